package cachelog_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cachelog"
)

var update = flag.Bool("update", false, "write golden files anew")

func TestText(t *testing.T) {
	for name, setting := range map[string]cachelog.Setting{
		"restore": {Link: 10_000, Volume: 191}, // 48 MiB/s of a link of 10 Gbit/s; a save without lines of progress
		"stall":   {},                          // full speed, until a segment hangs
		"small":   {Link: 1000},                // no line of progress, and a miss
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(filepath.Join("testdata", name+".log"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			log, err := cachelog.Parse(f)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := log.Text(&got, setting); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// Keys and paths are somebody's own.
			if strings.Contains(got.String(), "npm-8f2d1c") || strings.Contains(got.String(), "/home") || strings.Contains(got.String(), "pip-") {
				t.Error("a key or a path is shown")
			}
		})
	}
}

// short is a transfer in a test table: direction, bytes moved of bytes, seconds,
// MiB/s, seconds stalled.
func short(ts []cachelog.Transfer) string {
	var out []string
	for _, t := range ts {
		seconds, rate := "-", "-"
		if s, ok := t.Seconds.Get(); ok {
			seconds = fmt.Sprint(math.Round(s*10) / 10)
		}
		if r, ok := t.Rate().Get(); ok {
			rate = fmt.Sprint(math.Round(float64(r)*10) / 10)
		}
		out = append(out, fmt.Sprintf("%s %d/%d %s %s %v", t.Direction, t.Moved, t.Bytes, seconds, rate, math.Round(t.StalledSeconds)))
	}
	return strings.Join(out, "; ")
}

func TestParse(t *testing.T) {
	const done = "Received 104857600 of 104857600 (100.0%), 50.0 MBs/sec\n"
	for name, tc := range map[string]struct{ log, want string }{
		"one line":                    {done, "restore 104857600/104857600 2 50 0"},
		"the speed is of 2^20 bytes":  {"Received 104857600 of 104857600 (100.0%), 100.0 MBs/sec\n", "restore 104857600/104857600 1 100 0"},
		"times are exact, speeds not": {"2026-08-02T10:00:01.0Z Received 52428800 of 104857600 (50.0%), 50.0 MBs/sec\n2026-08-02T10:00:03.5Z " + strings.Replace(done, "50.0 MBs", "28.6 MBs", 1), "restore 104857600/104857600 3.5 28.6 0"},
		"with a mark and colours":     {"\ufeff2026-08-02T10:00:01.0Z \x1b[36;1m" + done, "restore 104857600/104857600 2 50 0"},
		"an upload":                   {"Cache Size: ~100 MB (104857600 B)\nSent 33554432 of 104857600 (32.0%), 32.0 MBs/sec\nSent 104857600 of 104857600 (100.0%), 25.0 MBs/sec\nCache saved successfully\n", "save 104857600/104857600 4 25 0"},
		"two restores":                {done + "Cache Size: ~100 MB (104857600 B)\nCache restored successfully\n" + done + "Cache Size: ~100 MB (104857600 B)\nCache restored successfully\n", "restore 104857600/104857600 2 50 0; restore 104857600/104857600 2 50 0"},
		"two without ends":            {done + "Received 1048576 of 2097152 (50.0%), 1.0 MBs/sec\n", "restore 104857600/104857600 2 50 0; restore 1048576/2097152 1 1 0"},
		"cut off":                     {"Received 52428800 of 104857600 (50.0%), 50.0 MBs/sec\n", "restore 52428800/104857600 1 50 0"},
		"a size and no more":          {"Cache Size: ~0 MB (1463 B)\nCache restored from key: x\n", "restore 1463/1463 - - 0"},
		"a save by the clock":         {"2026-08-02T10:00:00Z Cache Size: ~80 MB (83886080 B)\n2026-08-02T10:02:40Z Cache saved with key: x\n", "save 83886080/83886080 160 0.5 0"},
		"nothing moved yet":           {"Received 0 of 1048576 (0.0%), 0.0 MBs/sec\nReceived 1048576 of 1048576 (100.0%), 0.5 MBs/sec\n", "restore 1048576/1048576 2 0.5 0"},
		"no speed":                    {"Received 0 of 0 (NaN%), NaN MBs/sec\nReceived 1048576 of 1048576 (100.0%), Infinity MBs/sec\n", "restore 1048576/1048576 - - 0"},
		"more than there is":          {"Received 5 of 4 (125.0%), 1.0 MBs/sec\n" + done, "restore 104857600/104857600 2 50 0"},
		"numbers that do not fit":     {"Received 999999999999999999999 of 999999999999999999999 (1%), 1.0 MBs/sec\n" + done, "restore 104857600/104857600 2 50 0"},
		"stood still for 99 s":        {"Received 52428800 of 104857600 (50.0%), 50.0 MBs/sec\nReceived 52428800 of 104857600 (50.0%), 5.0 MBs/sec\nReceived 52428800 of 104857600 (50.0%), 0.5 MBs/sec\n", "restore 52428800/104857600 100 50 99"},
		"stood still, then went on":   {"Received 52428800 of 104857600 (50.0%), 50.0 MBs/sec\nReceived 52428800 of 104857600 (50.0%), 2.0 MBs/sec\nReceived 104857600 of 104857600 (100.0%), 3.8 MBs/sec\n", "restore 104857600/104857600 26.3 43.2 24"},
		"a short pause is no stall":   {"Received 52428800 of 104857600 (50.0%), 50.0 MBs/sec\nReceived 52428800 of 104857600 (50.0%), 10.0 MBs/sec\nReceived 104857600 of 104857600 (100.0%), 16.0 MBs/sec\n", "restore 104857600/104857600 6.3 16 0"},
		"long lines in between":       {strings.Repeat("x", 1<<20) + "\n" + done, "restore 104857600/104857600 2 50 0"},
		"Windows ends of lines":       {strings.ReplaceAll(done, "\n", "\r\n"), "restore 104857600/104857600 2 50 0"},
		"a clock that goes backwards": {"2026-08-02T10:00:05Z Received 52428800 of 104857600 (50.0%), 50.0 MBs/sec\n2026-08-02T09:00:05Z " + done, "restore 104857600/104857600 2 50 0"},
		"the line of another program": {"I Received 1 of 2 letters\n" + done, "restore 104857600/104857600 2 50 0"},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := cachelog.Parse(strings.NewReader(tc.log))
			if err != nil {
				t.Fatal(err)
			}
			if got := short(log.Transfers); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	at := func(rate string) string {
		return "Received 1073741824 of 1073741824 (100.0%), " + rate + " MBs/sec\n"
	}
	for name, tc := range map[string]struct {
		log     string
		setting cachelog.Setting
		want    string
		says    string
	}{
		"4 % of the link":     {at("47.7"), cachelog.Setting{Link: 10_000}, cachelog.ByServer, "It used 4 % of the 1,192.09 MiB/s of the link. What bounds it is what serves the cache: a server of your own, or GitHub's cache with the way to it. The log does not tell which"},
		"of one's own server": {at("47.7"), cachelog.Setting{Link: 10_000, Backend: cachelog.OwnServer}, cachelog.ByServer, "What bounds it is the cache server"},
		// neondatabase/neon#11364: 2,987,085,791 bytes at 4.7 to 9.9 MB/s, and 70 to 80
		// from a bucket near by.
		"GitHub's cache": {"Received 2987085791 of 2987085791 (100.0%), 9.4 MBs/sec\n", cachelog.Setting{Link: 1000, Backend: cachelog.GitHub}, cachelog.ByLink, "It is GitHub's own cache, so what bounds it is the way there and not the runner's own link. That is 0.49 times the 20 MB/s"},
		"GitHub's, by the log": {
			"##[debug]Resource Url: https://acghubeus1.actions.githubusercontent.com/abc/_apis/artifactcache/cache?keys=x\n" + at("9.4"),
			cachelog.Setting{Link: 1000},
			cachelog.ByLink, "It is GitHub's own cache",
		},
		"GitHub's newer protocol": {
			"##[debug][Request] GetCacheEntryDownloadURL https://results-receiver.actions.githubusercontent.com/twirp/x\n" + at("9.4"),
			cachelog.Setting{Link: 1000},
			cachelog.ByLink, "It is GitHub's own cache",
		},
		"one's own, by the log": {
			"  ACTIONS_RESULTS_URL: http://cache.internal:3000/\n" + at("9.4"), cachelog.Setting{Link: 1000}, cachelog.ByServer, "What bounds it is the cache server",
		},
		"a name that only looks like GitHub's": {
			"  ACTIONS_RESULTS_URL: http://actions.githubusercontent.com.example.org/\n" + at("9.4"), cachelog.Setting{Link: 1000}, cachelog.ByServer, "What bounds it is the cache server",
		},
		"both": {
			"  ACTIONS_RESULTS_URL: http://cache.internal:3000/\n##[debug]Resource Url: https://a.actions.githubusercontent.com/x\n  ACTIONS_CACHE_URL: http://cache.internal:3000/\n" + at("9.4"),
			cachelog.Setting{Link: 1000},
			cachelog.ByServer, "The log does not tell which",
		},
		"a person knows better": {
			"##[debug]Resource Url: https://a.actions.githubusercontent.com/x\n" + at("9.4"), cachelog.Setting{Link: 1000, Backend: cachelog.OwnServer}, cachelog.ByServer, "What bounds it is the cache server",
		},
		"the link, whosever it is": {at("115.0"), cachelog.Setting{Link: 1000, Backend: cachelog.GitHub}, cachelog.ByLink, "96 % of the 119.21 MiB/s of the link"},
		"the link":                 {at("115.0"), cachelog.Setting{Link: 1000}, cachelog.ByLink, "96 % of the 119.21 MiB/s of the link"},
		"the volume":               {at("124.0"), cachelog.Setting{Link: 10_000, Volume: 125}, cachelog.ByVolume, "10 % of the 1,192.09 MiB/s of the link and 99 % of the 125 MiB/s of the volume"},
		"only the volume":          {at("60.0"), cachelog.Setting{Volume: 125}, cachelog.ByServer, "It used 48 % of the 125 MiB/s of the volume."},
		"nothing to compare":       {at("47.7"), cachelog.Setting{}, cachelog.ByUnknown, "2.5 times the 20 MB/s"},
		"no speed":                 {"Cache Size: ~0 MB (1463 B)\nCache restored from key: x\n", cachelog.Setting{Link: 1000}, cachelog.ByUnknown, "no speed"},
		"a stall, not a speed":     {"Received 52428800 of 104857600 (50.0%), 50.0 MBs/sec\nReceived 52428800 of 104857600 (50.0%), 0.5 MBs/sec\n", cachelog.Setting{Link: 1000}, cachelog.ByStall, "a segment hung"},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := cachelog.Parse(strings.NewReader(tc.log))
			if err != nil {
				t.Fatal(err)
			}
			v := cachelog.Judge(log.Transfers[0], tc.setting.With(log))
			if v.BoundBy != tc.want || !strings.Contains(v.Means, tc.says) {
				t.Errorf("bound by %s: %s", v.BoundBy, v.Means)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		log  string
		want error
	}{
		"empty":             {"", cachelog.ErrEmpty},
		"blank":             {"\n \n", cachelog.ErrEmpty},
		"binary":            {"PK\x03\x04\x00\x00", cachelog.ErrBinary},
		"binary further on": {strings.Repeat("x", 100_000) + "\x00\n", cachelog.ErrBinary},
		"another log":       {"npm warn deprecated\nadded 158 packages in 5s\n", cachelog.ErrNone},
		"half a line":       {"Received 1048576 of 20971", cachelog.ErrNone},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := cachelog.Parse(strings.NewReader(tc.log)); !errors.Is(err, tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
	broken := errors.New("broken")
	if _, err := cachelog.Parse(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// endless is a text over and over, up to a size.
type endless struct {
	text string
	at   int
	left int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	e.left -= n
	return n, nil
}

// 100 MB of log keep a bounded number of transfers, and 100 MB without any line
// of the cache are an error.
func TestLongLog(t *testing.T) {
	other := strings.Repeat("npm warn deprecated something at some length\n", 100)
	log, err := cachelog.Parse(&endless{text: "Received 5 of 9 (55.6%), 1.0 MBs/sec\n" + other + "Received 3 of 7 (42.9%), 1.0 MBs/sec\n" + other, left: 100 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(log.Transfers) != 1000 || log.Skipped < 10_000 {
		t.Errorf("%d transfers, %d skipped", len(log.Transfers), log.Skipped)
	}
	if _, err := cachelog.Parse(&endless{text: "x", left: 100 << 20}); !errors.Is(err, cachelog.ErrNone) {
		t.Errorf("one line of 100 MB: %v", err)
	}
}

// Whatever is read, there are transfers that can be judged, or an error in one
// line.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"restore", "stall", "small"} {
		b, err := os.ReadFile(filepath.Join("testdata", name+".log"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("Sent 5 of 9 (1%), 0.0 MBs/sec\nCache Size: ~1 MB (9 B)\nCache saved with\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		log, err := cachelog.Parse(bytes.NewReader(b))
		if err != nil {
			if log != nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, %q", log, err)
			}
			return
		}
		for _, tr := range log.Transfers {
			rate, hasRate := tr.Rate().Get()
			if tr.Moved > tr.Bytes || tr.Direction == "" || hasRate && (rate <= 0 || math.IsInf(float64(rate), 0)) {
				t.Errorf("%+v at %v", tr, rate)
			}
		}
		if err := log.Text(io.Discard, cachelog.Setting{Link: 1000}); err != nil {
			t.Error(err)
		}
	})
}
