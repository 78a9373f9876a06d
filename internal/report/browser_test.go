//go:build browser

package report_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// check.js looks at pages in frames and writes what is wrong into the document.
//
//go:embed testdata/check.js
var checkScript string

// Widths of a phone, a small window and a screen.
var widths = []int{400, 800, 1400}

// pictureMarks are how many shapes each picture of the fixture has: bars, lines
// and points. Both layouts of a picture have the same.
var pictureMarks = map[string]map[string]int{
	"fleets": {
		// Boot before and after, each alone: nobody says what is pulled.
		"Predicted start-up of aws_launch_template.mac": 2,
		// Boot, pull and ready, before and after.
		"Predicted start-up of runnerfit_mac_host_storage.slow": 6,
		// The frontier, and two points.
		"root of aws_launch_template.mac: the least that a throughput costs": 3,
		// Two volumes, before and after.
		"Throughput that the volumes of aws_launch_template.mac share": 4,
		// Allocated, in use, and allocated with auto release.
		"Hosts of aws_launch_template.mac over 72 hours": 3,
	},
	"plan.json": {
		"Predicted start-up of aws_launch_template.mac": 3,
		// The frontier and one at the IOPS that are set, and one point.
		"VMData of aws_launch_template.mac: the least that a throughput costs": 3,
		"Throughput that the volumes of aws_launch_template.mac share":         2,
		// Hosts are released by themselves, so there is no other line.
		"Hosts of aws_launch_template.mac over 72 hours": 2,
	},
	"empty": {},
}

// seen is what the script reports of a page in one width.
type seen struct {
	Width    int
	Dark     bool
	Problems []string
	// Marks of the visible picture, by its title.
	Marks map[string]int
	Texts int
}

// The pages in a real browser, at three widths, light and dark: nothing is
// written to the console or loaded, labels neither overlap nor leave their picture,
// nothing is wider than the window, text can be told from its background.
func TestInBrowser(t *testing.T) {
	chromium := os.Getenv("CHROMIUM")
	if chromium == "" {
		t.Fatal("CHROMIUM does not name a browser; run make test-browser")
	}
	for _, name := range append(slices.Clone(inputs), "odd") {
		source := page(t, read(t, name))
		for _, dark := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, dark %v", name, dark), func(t *testing.T) {
				all := look(t, chromium, source, dark)
				if len(all) != len(widths) {
					t.Fatalf("%d widths were looked at, not %d", len(all), len(widths))
				}
				for _, s := range all {
					if s.Dark != dark {
						t.Errorf("at %d the scheme is dark: %v", s.Width, s.Dark)
					}
					for _, p := range s.Problems {
						t.Errorf("at %d: %s", s.Width, p)
					}
					if s.Texts == 0 && len(pictureMarks[name]) > 0 {
						t.Errorf("at %d no label was looked at", s.Width)
					}
					for title, want := range pictureMarks[name] {
						if got := s.Marks[title]; got != want {
							t.Errorf("at %d %q has %d marks, not %d", s.Width, title, got, want)
						}
					}
				}
			})
		}
	}
}

// The script finds the faults that it looks for.
func TestTheCheckFindsFaults(t *testing.T) {
	chromium := os.Getenv("CHROMIUM")
	if chromium == "" {
		t.Fatal("CHROMIUM does not name a browser; run make test-browser")
	}
	bad := `<!DOCTYPE html><html lang="en"><title>x</title><meta name="color-scheme" content="light dark"><body><h1>a</h1><h3 id="i">b</h3><p id="i" style="color:#bbb;background:#fff">pale</p>
<div style="width:3000px">wide</div><a href="#nowhere">x</a>
<div class="pic"><div class="wide"><svg viewBox="0 0 100 50" width="100" role="img" aria-labelledby="t"><title id="t"></title><text x="0" y="20">one</text><text x="5" y="22">two</text><text x="90" y="40">leaves</text></svg></div><div class="narrow"><svg viewBox="0 0 10 10"></svg></div></div></body></html>`
	for _, s := range look(t, chromium, bad, false) {
		got := strings.Join(s.Problems, "\n")
		for _, want := range []string{"contrast", "overlap", "leaves its picture", "wider than the window", "twice", "follows h1", "leads nowhere", "has no title", "layouts are shown"} {
			if !strings.Contains(got, want) {
				t.Errorf("at %d it did not find %q in:\n%s", s.Width, want, got)
			}
		}
	}
}

var result = regexp.MustCompile(`(?s)<pre id="result">(.*?)</pre>`)

// look opens a page in frames of all widths.
func look(t *testing.T, chromium, source string, dark bool) []seen {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head><body>`)
	for _, w := range widths {
		fmt.Fprintf(&b, `<iframe data-width="%d" style="border:0;width:%dpx;height:900px" srcdoc="%s"></iframe>`, w, w, html.EscapeString(source))
	}
	fmt.Fprintf(&b, `<pre id="result"></pre><script>%s</script></body></html>`, checkScript)
	file := filepath.Join(dir, "frames.html")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	scheme := "1"
	if dark {
		scheme = "0"
	}
	c := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--blink-settings=preferredColorScheme="+scheme, "--window-size=1600,1000",
		"--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom", "file://"+file)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	for l := range strings.SplitSeq(stderr.String(), "\n") {
		if strings.Contains(l, ":CONSOLE") {
			t.Errorf("the console says: %s", l)
		}
	}
	m := result.FindSubmatch(out)
	if m == nil || len(m[1]) == 0 {
		t.Fatalf("the script did not run\n%s", stderr.String())
	}
	var all []seen
	if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &all); err != nil {
		t.Fatal(err)
	}
	return all
}
