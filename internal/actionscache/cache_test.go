package actionscache_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/actionscache"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

type number = optional.Value[decimal.Decimal]

func n(s string) number { return optional.Known(decimal.RequireFromString(s)) }

var null number

func known[T any](v T) optional.Value[T] { return optional.Known(v) }

// rules are the findings in short: "warning cache-memory server.memory_mib".
func rules(fs []finding.Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, strings.TrimRight(fmt.Sprintf("%s %s %s", f.Severity, f.Rule, f.Path), " "))
	}
	return out
}

func text(fs []finding.Finding) string {
	var b strings.Builder
	for _, f := range fs {
		b.WriteString(f.Message + "\n" + f.Fix + "\n")
	}
	return b.String()
}

func evaluate(t *testing.T, c actionscache.Cache) actionscache.Result {
	t.Helper()
	if c.Region == "" {
		c.Region = catalog.DefaultRegion
	}
	for _, p := range c.Problems() {
		t.Fatalf("%s: %s", p.Path, p.Message)
	}
	return actionscache.Evaluate(catalog.Embedded(), c)
}

// rounded is a number of seconds or the like in a test table: "-" for null, "?"
// for unknown.
func rounded(v optional.Value[float64]) string {
	f, ok := v.Get()
	switch {
	case ok:
		return fmt.Sprint(math.Round(f*100) / 100)
	case v.IsUnknown():
		return "?"
	}
	return "-"
}

// The published restores of 1 GiB, and what other people saw.
func TestRestoreSeconds(t *testing.T) {
	for name, tc := range map[string]struct {
		size                 string
		link, server, volume number
		want                 string
	}{
		"hosted cache, self-hosted runner, 20 MB/s": {"1", n("160"), null, null, "53.6870912"},
		"from Tokyo, 5.4 MB/s":                      {"1", n("43.2"), null, null, "198.8410785185185185185185185185"},
		"hosted cache, hosted runner, 231 MB/s":     {"1", n("1848"), null, null, "4.6482330909090909090909090909"},
		"10 GbE":                                    {"1", n("10000"), null, null, "0.8589934592"},
		"same host, first download":                 {"1", null, n("8060"), null, "0.1270471464019851116625310174"},
		"same host, later download":                 {"1", null, n("2312"), null, "0.4429065743944636678200692042"},
		"cold from a gp3 of 125 MiB/s":              {"1", null, n("2312"), n("125"), "8.192"},
		"the lowest counts":                         {"1", n("10000"), n("100"), n("125"), "10.24"},
		"nothing to move":                           {"0", n("10000"), null, null, "0"},
		// neondatabase/neon 11364: 2,987,085,791 bytes took 302 to 636 s from GitHub,
		// 37 to 43 s from a bucket near by; 1 Gbit/s would give 23.9 at best.
		"3 GB at 9.9 MB/s": {"2.781940270", n("79.2"), null, null, "301.7258374"},
		"3 GB at 4.7 MB/s": {"2.781940270", n("37.6"), null, null, "635.5501681"},
		"3 GB at 80 MB/s":  {"2.781940270", n("640"), null, null, "37.3385723"},
		"3 GB at 1 Gbit/s": {"2.781940270", n("1000"), null, null, "23.8966863"},
		// actions/cache 1141: 2,194,729,101 bytes at 88 MB/s, were it not for a stall.
		"2.19 GB at 88 MB/s": {"2.0440007569", n("704"), null, null, "24.9401034"},
		// actions/cache 259: 80 MB on an upload of 4 Mbit/s.
		"80 MB at 4 Mbit/s": {"0.074505806", n("4"), null, null, "160.0000001"},
		// falcondev-oss/github-actions-cache-server 94: 2 GB at 50 MB/s seen, 10 s by
		// the disk, 1.6 s by the link.
		"2 GB at 50 MB/s":  {"1.862645149", n("10000"), n("47.68371582"), n("190.7348633"), "40"},
		"2 GB by the disk": {"1.862645149", n("10000"), null, n("190.7348633"), "10"},
		"2 GB by the link": {"1.862645149", n("10000"), null, null, "1.6"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := actionscache.RestoreSeconds(decimal.RequireFromString(tc.size), tc.link, tc.server, tc.volume)
			if err != nil {
				t.Fatal(err)
			}
			want := decimal.RequireFromString(tc.want)
			if off := got.Sub(want).Abs(); off.GreaterThan(want.Mul(decimal.New(1, -7))) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	if _, err := actionscache.RestoreSeconds(decimal.NewFromInt(1), null, null, null); !errors.Is(err, actionscache.ErrNoLimit) {
		t.Errorf("no limit: %v", err)
	}
}

func TestEvaluate(t *testing.T) {
	server := known[actionscache.Server]
	volume := func(size, iops, throughput number) optional.Value[actionscache.Volume] {
		return known(actionscache.Volume{SizeGiB: size, IOPS: iops, ThroughputMiBPerS: throughput})
	}
	for name, tc := range map[string]struct {
		cache actionscache.Cache
		// restore, first restore, bound by, hosted, speedup
		want  string
		rules []string
		says  []string
	}{
		"same host": {
			cache: actionscache.Cache{EntryGiB: n("1")},
			want:  "0.44 0.13 server 53.69 121.22",
			rules: []string{"info cache-server-bound"},
			says:  []string{"2,312 MiB/s", "No other limit is known"},
		},
		"10 GbE": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("10000")},
			want:  "0.86 0.86 link 53.69 62.5",
			rules: []string{"info cache-link-bound link_mbit_per_s"},
			says:  []string{"10,000 Mbit/s = 1,192.09 MiB/s", "the next limit, the server, is 2,312 MiB/s"},
		},
		"a link slower than the hosted cache": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("100")},
			want:  "85.9 85.9 link 53.69 0.63",
			rules: []string{"warning cache-link-bound link_mbit_per_s"},
			says:  []string{"takes 85.9 s, longer than the 53.69 s from GitHub's hosted cache"},
		},
		"as fast as the hosted cache": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("160")},
			want:  "53.69 53.69 link 53.69 1",
			rules: []string{"info cache-link-bound link_mbit_per_s"},
		},
		"cold gp3": {
			cache: actionscache.Cache{EntryGiB: n("1"), Server: server(actionscache.Server{Volume: volume(n("500"), null, n("125"))})},
			want:  "8.19 0.13 volume 53.69 6.55",
			rules: []string{"warning cache-volume-bound server.volume.throughput_mib_per_s"},
			says:  []string{"read from its volume at 125 MiB/s", "throughput_mib_per_s = 2000 and iops = 8000 (+$100.00 a month)", "throughput_mib_per_s = 750 (+$25.00 a month), which needs no more IOPS"},
		},
		"a gp3 as fast as the link is told to be": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("5000"), Server: server(actionscache.Server{Volume: volume(n("500"), null, null)})},
			want:  "8.19 1.72 volume 53.69 6.55",
			rules: []string{"warning cache-volume-bound server.volume.throughput_mib_per_s"},
			says:  []string{"Write throughput_mib_per_s = 597 (+$18.88 a month)."},
		},
		"a volume too small for more": {
			cache: actionscache.Cache{EntryGiB: n("1"), Server: server(actionscache.Server{Volume: volume(n("6"), null, n("750"))})},
			want:  "1.37 0.13 volume 53.69 39.32",
			rules: []string{"warning cache-volume-bound server.volume.throughput_mib_per_s"},
			says:  []string{"This is the most that a gp3 volume of this size has"},
		},
		"gp2": {
			cache: actionscache.Cache{EntryGiB: n("1"), Server: server(actionscache.Server{Volume: known(actionscache.Volume{Type: known("gp2"), SizeGiB: n("500")})})},
			want:  "4.1 0.13 volume 53.69 13.11",
			rules: []string{"warning cache-volume-bound server.volume.type", "warning volume-type-legacy server.volume.type"},
		},
		"m8a.xlarge sustains little": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("10000"), Server: server(actionscache.Server{InstanceType: known("m8a.xlarge"), Volume: volume(n("500"), n("4000"), n("1000"))})},
			want:  "6.87 0.86 instance 53.69 7.81",
			rules: []string{"warning cache-instance-bound server.instance_type", "info instance-throughput server.volume.throughput_mib_per_s"},
			says:  []string{"m8a.xlarge sustains 149.01 MiB/s", "in bursts 1,192.09 MiB/s", "the next limit, the volume, is 1,000 MiB/s", "the cheapest of the table"},
		},
		"an instance without a volume that anybody knows of": {
			cache: actionscache.Cache{EntryGiB: n("1"), Server: server(actionscache.Server{InstanceType: known("m8a.xlarge")})},
			want:  "6.87 0.13 instance 53.69 7.81",
			rules: []string{"warning cache-instance-bound server.instance_type"},
		},
		"on S3 its disks are not in the way": {
			cache: actionscache.Cache{EntryGiB: n("1"), Server: server(actionscache.Server{InstanceType: known("m8a.xlarge"), Storage: known(actionscache.S3), Volume: volume(n("500"), null, null)})},
			want:  "1.06 1.06 server 53.69 50.86",
			rules: []string{"info cache-server-bound server"},
			says:  []string{"970 MiB/s"},
		},
		// falcondev-oss/github-actions-cache-server 94.
		"50 MB/s seen on a link of 10 Gbit/s": {
			cache: actionscache.Cache{EntryGiB: n("2"), LinkMbitPerS: n("10000"), Server: server(actionscache.Server{ThroughputMiBPerS: n("47.6837"), Volume: volume(n("500"), null, n("191"))})},
			want:  "42.95 42.95 server 107.37 2.5",
			rules: []string{"warning cache-server-bound server.throughput_mib_per_s"},
			says:  []string{"was measured to hand out 47.68 MiB/s = 50 MB/s", "The link carries 1,192.09 MiB/s, of which 4 % are used", "The volume carries 191 MiB/s, of which 24.97 % are used", "A faster one of them changes nothing", "ENABLE_DIRECT_DOWNLOADS"},
		},
		// falcondev-oss/github-actions-cache-server 252: without direct downloads the
		// server carries all traffic.
		"S3 behind a fast link": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("25000"), Server: server(actionscache.Server{Storage: known(actionscache.S3)})},
			want:  "1.06 1.06 server 53.69 50.86",
			rules: []string{"warning cache-server-bound server"},
			says:  []string{"download from the bucket themselves (ENABLE_DIRECT_DOWNLOADS)"},
		},
		"the Node server": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("10000"), Server: server(actionscache.Server{Implementation: known(actionscache.Node)})},
			want:  "1.24 2.78 server 53.69 43.46",
			rules: []string{"warning cache-server-bound server"},
			says:  []string{`implementation = "rust"`},
		},
		"four at a time, and a second for each": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("10000"), ParallelRestores: n("4"), FixedSeconds: n("1")},
			want:  "4.44 4.44 link 54.69 12.33",
			rules: []string{"info cache-link-bound link_mbit_per_s"},
		},
		"a hosted runner": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("10000"), HostedMBPerS: n("231")},
			want:  "0.86 0.86 link 4.65 5.41",
			rules: []string{"info cache-link-bound link_mbit_per_s"},
		},
		"a type that is not in the table": {
			cache: actionscache.Cache{EntryGiB: n("1"), Server: server(actionscache.Server{InstanceType: known("m99.xlarge")})},
			want:  "0.44 0.13 server 53.69 121.22",
			rules: []string{"warning instance-unknown server.instance_type", "info cache-server-bound server"},
		},
		"a type of which AWS publishes nothing": {
			cache: actionscache.Cache{EntryGiB: n("1"), Server: server(actionscache.Server{InstanceType: known("c1.medium")})},
			want:  "0.44 0.13 server 53.69 121.22",
			rules: []string{"warning instance-unknown server.instance_type", "info cache-server-bound server"},
		},
		"IOPS are filled in": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("1000"), Server: server(actionscache.Server{Volume: volume(n("500"), null, n("1000"))})},
			want:  "8.59 8.59 link 53.69 6.25",
			rules: []string{"info cache-link-bound link_mbit_per_s"},
		},
		"a volume that EC2 refuses": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("1000"), Server: server(actionscache.Server{Volume: volume(n("500"), n("3000"), n("1000"))})},
			want:  "8.59 8.59 link 53.69 6.25",
			rules: []string{"error gp3-throughput-ratio server.volume.throughput_mib_per_s", "info cache-link-bound link_mbit_per_s"},
		},
		"SQLite and replicas": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("1000"), Server: server(actionscache.Server{Replicas: n("2")})},
			want:  "8.59 8.59 link 53.69 6.25",
			rules: []string{"error cache-sqlite-replicas server.replicas", "info cache-link-bound link_mbit_per_s"},
			says:  []string{"2 replicas are planned with SQLite", `database = "postgres"`},
		},
		"Postgres and replicas": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("1000"), Server: server(actionscache.Server{Replicas: n("2"), Database: known(actionscache.Postgres)})},
			want:  "8.59 8.59 link 53.69 6.25",
			rules: []string{"info cache-link-bound link_mbit_per_s"},
		},
		// falcondev-oss/github-actions-cache-server 182: out of memory at 640, 1,280 and
		// 2,048 MiB. There is no sure figure; less than the entry is surely too little.
		"Node on S3 with less than an entry": {
			cache: actionscache.Cache{EntryGiB: n("2"), LinkMbitPerS: n("1000"), Server: server(actionscache.Server{Implementation: known(actionscache.Node), Storage: known(actionscache.S3), MemoryMiB: n("640")})},
			want:  "17.18 17.18 link 107.37 6.25",
			rules: []string{"error cache-memory server.memory_mib", "info cache-link-bound link_mbit_per_s"},
			says:  []string{"one entry of 2 GiB take at least 2,048 MiB, and it has 640", "Write memory_mib = 2048 or more"},
		},
		"Node on S3 with two entries at a time": {
			cache: actionscache.Cache{EntryGiB: n("2"), ParallelRestores: n("2"), LinkMbitPerS: n("1000"), Server: server(actionscache.Server{Implementation: known(actionscache.Node), Storage: known(actionscache.S3), MemoryMiB: n("2048")})},
			want:  "34.36 34.36 link 107.37 3.12",
			rules: []string{"error cache-memory server.memory_mib", "info cache-link-bound link_mbit_per_s"},
			says:  []string{"2 entries at a time of 2 GiB take at least 4,096 MiB"},
		},
		"Node on S3 with enough, as far as anybody knows": {
			cache: actionscache.Cache{EntryGiB: n("2"), LinkMbitPerS: n("1000"), Server: server(actionscache.Server{Implementation: known(actionscache.Node), Storage: known(actionscache.S3), MemoryMiB: n("2048")})},
			want:  "17.18 17.18 link 107.37 6.25",
			rules: []string{"info cache-link-bound link_mbit_per_s", "info cache-memory server.memory_mib"},
			says:  []string{"no sure figure"},
		},
		"Node on S3 with nobody knows what": {
			cache: actionscache.Cache{EntryGiB: n("2"), LinkMbitPerS: n("1000"), Server: server(actionscache.Server{Implementation: known(actionscache.Node), Storage: known(actionscache.S3)})},
			want:  "17.18 17.18 link 107.37 6.25",
			rules: []string{"warning cache-memory server.implementation", "info cache-link-bound link_mbit_per_s"},
		},
		"Node on files with less than it takes": {
			cache: actionscache.Cache{EntryGiB: n("2"), LinkMbitPerS: n("1000"), Server: server(actionscache.Server{Implementation: known(actionscache.Node), MemoryMiB: n("256")})},
			want:  "17.18 17.18 link 107.37 6.25",
			rules: []string{"warning cache-memory server.memory_mib", "info cache-link-bound link_mbit_per_s"},
			says:  []string{"has 256 MiB of memory; under load it was measured to take 436 MiB"},
		},
		"Rust with enough": {
			cache: actionscache.Cache{EntryGiB: n("2"), LinkMbitPerS: n("1000"), Server: server(actionscache.Server{Storage: known(actionscache.S3), MemoryMiB: n("128")})},
			want:  "17.18 17.18 link 107.37 6.25",
			rules: []string{"info cache-link-bound link_mbit_per_s"},
		},
		"90 days do not fit": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("1000"), DailyUploadGiB: n("20"), Server: server(actionscache.Server{Volume: volume(n("500"), null, null)})},
			want:  "8.59 8.59 link 53.69 6.25",
			rules: []string{"warning cache-storage-size server.volume.size_gib", "info cache-link-bound link_mbit_per_s"},
			says:  []string{"20 GiB a day kept for 90 days are 1,800 GiB; a volume of 500 GiB is full after 25 days", "size_gib = 1800, or retention_days = 25"},
		},
		"25 days fit": {
			cache: actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("1000"), DailyUploadGiB: n("20"), RetentionDays: n("25"), Server: server(actionscache.Server{Volume: volume(n("500"), null, null)})},
			want:  "8.59 8.59 link 53.69 6.25",
			rules: []string{"info cache-link-bound link_mbit_per_s"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := evaluate(t, tc.cache)
			bound, _ := r.BoundBy.Get()
			got := fmt.Sprintf("%s %s %s %s %s", rounded(r.RestoreSeconds), rounded(r.FirstRestoreSeconds), bound, rounded(r.HostedSeconds), rounded(r.Speedup))
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if diff := cmp.Diff(tc.rules, rules(r.Findings)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			for _, s := range tc.says {
				if !strings.Contains(text(r.Findings), s) {
					t.Errorf("%q is missing in:\n%s", s, text(r.Findings))
				}
			}
		})
	}
}

func TestStorage(t *testing.T) {
	r := evaluate(t, actionscache.Cache{EntryGiB: n("1"), DailyUploadGiB: n("1.5")})
	if gib, ok := r.StorageGiB.Get(); !ok || gib.String() != "135" {
		t.Errorf("1.5 GiB a day for 90 days: %v", r.StorageGiB)
	}
	if r := evaluate(t, actionscache.Cache{EntryGiB: n("1"), RetentionDays: n("30")}); !r.StorageGiB.IsNull() {
		t.Errorf("without an upload: %v", r.StorageGiB)
	}
}

// What the fixes tell to write helps: with it, nothing is bound by that any more.
func TestFixesHelp(t *testing.T) {
	c := actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("5000"), Server: known(actionscache.Server{Volume: known(actionscache.Volume{SizeGiB: n("500"), ThroughputMiBPerS: n("597")})})}
	if b, _ := evaluate(t, c).BoundBy.Get(); b != actionscache.BoundLink {
		t.Errorf("with a faster volume it is bound by the %s", b)
	}
	slow := actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("10000"), Server: known(actionscache.Server{InstanceType: known("m8a.xlarge")})}
	var suggested string
	for _, f := range evaluate(t, slow).Findings {
		if f.Rule == actionscache.RuleInstanceBound.ID {
			_, rest, _ := strings.Cut(f.Fix, `instance_type = "`)
			suggested, _, _ = strings.Cut(rest, `"`)
		}
	}
	slow.Server = known(actionscache.Server{InstanceType: known(suggested)})
	if b, _ := evaluate(t, slow).BoundBy.Get(); b != actionscache.BoundLink {
		t.Errorf("on %q it is bound by the %s", suggested, b)
	}
	// Without prices there is no cheapest.
	slow.Server = known(actionscache.Server{InstanceType: known("m8a.xlarge")})
	slow.Region = "xx-nowhere-1"
	if fix := text(evaluate(t, slow).Findings); strings.Contains(fix, "instance_type =") || !strings.Contains(fix, "Choose an instance type that sustains more") {
		t.Error(fix)
	}
}

func TestUnknownWaits(t *testing.T) {
	unknown := optional.Unknown[decimal.Decimal]()
	for name, c := range map[string]actionscache.Cache{
		"link":     {EntryGiB: n("1"), LinkMbitPerS: unknown},
		"server":   {EntryGiB: n("1"), Server: optional.Unknown[actionscache.Server]()},
		"volume":   {EntryGiB: n("1"), Server: known(actionscache.Server{Volume: optional.Unknown[actionscache.Volume]()})},
		"setting":  {EntryGiB: n("1"), Server: known(actionscache.Server{Volume: known(actionscache.Volume{ThroughputMiBPerS: unknown})})},
		"instance": {EntryGiB: n("1"), Server: known(actionscache.Server{InstanceType: optional.Unknown[string]()})},
		"storage":  {EntryGiB: n("1"), Server: known(actionscache.Server{Storage: optional.Unknown[actionscache.Storage]()})},
		"rate":     {EntryGiB: n("1"), Server: known(actionscache.Server{ThroughputMiBPerS: unknown})},
	} {
		t.Run(name, func(t *testing.T) {
			r := evaluate(t, c)
			if !r.RestoreSeconds.IsUnknown() || !r.BoundBy.IsUnknown() || !r.Limits.IsUnknown() || !r.FindingsWaitForAnUnknown || len(r.Findings) > 0 {
				t.Errorf("%+v", r)
			}
			if seconds, ok := r.HostedSeconds.Get(); !ok || math.Round(seconds) != 54 {
				t.Errorf("the hosted cache does not depend on it: %v", r.HostedSeconds)
			}
		})
	}
	r := evaluate(t, actionscache.Cache{EntryGiB: unknown, LinkMbitPerS: n("1000")})
	if !r.RestoreSeconds.IsUnknown() || !r.HostedSeconds.IsUnknown() || !r.BoundBy.IsKnown() {
		t.Errorf("%+v", r)
	}
	// Null is not unknown: there is nothing to wait for.
	r = evaluate(t, actionscache.Cache{LinkMbitPerS: n("1000")})
	if r.FindingsWaitForAnUnknown || !r.RestoreSeconds.IsNull() || !r.HostedSeconds.IsNull() || len(r.Findings) > 0 {
		t.Errorf("%+v", r)
	}
	// The twin: nothing unknown, nothing waits.
	if r := evaluate(t, actionscache.Cache{EntryGiB: n("1")}); r.FindingsWaitForAnUnknown {
		t.Error("waits for nothing")
	}
}

func TestProblems(t *testing.T) {
	server := func(s actionscache.Server) actionscache.Cache {
		return actionscache.Cache{EntryGiB: n("1"), Server: known(s)}
	}
	for name, tc := range map[string]struct {
		cache actionscache.Cache
		want  string
	}{
		"an entry of 0":     {actionscache.Cache{EntryGiB: n("0")}, "entry_gib: entry_gib is 0"},
		"half a restore":    {actionscache.Cache{EntryGiB: n("1"), ParallelRestores: n("1.5")}, "parallel_restores: parallel_restores must be a whole number"},
		"a negative link":   {actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("-1")}, "link_mbit_per_s: link_mbit_per_s must not be negative"},
		"a link of nothing": {actionscache.Cache{EntryGiB: n("1"), LinkMbitPerS: n("0.0000001")}, "link_mbit_per_s: link_mbit_per_s must be at least"},
		"absurd":            {actionscache.Cache{EntryGiB: n("1e12")}, "entry_gib: entry_gib is too large"},
		"no such storage":   {server(actionscache.Server{Storage: known[actionscache.Storage]("secret")}), `server.storage: server.storage must be "filesystem" or "s3"`},
		"no such server":    {server(actionscache.Server{Implementation: known[actionscache.Implementation]("secret")}), `server.implementation: server.implementation must be "rust" or "node"`},
		"no such database":  {server(actionscache.Server{Database: known[actionscache.Database]("secret")}), `server.database: server.database must be "sqlite", "postgres" or "mysql"`},
		"half a replica":    {server(actionscache.Server{Replicas: n("0.5")}), "server.replicas: server.replicas must be a whole number"},
		"a fraction of MiB": {server(actionscache.Server{Volume: known(actionscache.Volume{ThroughputMiBPerS: n("125.5")})}), "server.volume.throughput_mib_per_s: server.volume.throughput_mib_per_s must be a whole number"},
	} {
		t.Run(name, func(t *testing.T) {
			ps := tc.cache.Problems()
			if len(ps) != 1 {
				t.Fatalf("%d problems: %v", len(ps), ps)
			}
			if got := ps[0].Path + ": " + ps[0].Message; !strings.HasPrefix(got, tc.want) || strings.Contains(got, "secret") {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// The lowest limit decides, whatever the order and the number of the others; a
// faster one never makes a restore slower.
func TestLowestLimit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rate := func(name string) number {
			if !rapid.Bool().Draw(rt, name+" given") {
				return null
			}
			return known(decimal.NewFromInt(int64(rapid.IntRange(1, 20_000).Draw(rt, name))))
		}
		c := actionscache.Cache{
			EntryGiB:         known(decimal.New(int64(rapid.IntRange(1, 1000).Draw(rt, "entry")), -2)),
			LinkMbitPerS:     rate("link"),
			ParallelRestores: known(decimal.NewFromInt(int64(rapid.IntRange(1, 20).Draw(rt, "parallel")))),
			FixedSeconds:     known(decimal.NewFromInt(int64(rapid.IntRange(0, 20).Draw(rt, "fixed")))),
			Region:           catalog.DefaultRegion,
			Server: known(actionscache.Server{
				ThroughputMiBPerS: rate("server"),
				Storage:           known(rapid.SampledFrom(actionscache.Storages).Draw(rt, "storage")),
				Volume:            known(actionscache.Volume{ThroughputMiBPerS: known(decimal.NewFromInt(int64(rapid.IntRange(125, 750).Draw(rt, "volume"))))}),
			}),
		}
		r := actionscache.Evaluate(catalog.Embedded(), c)
		limits, _ := r.Limits.Get()
		bound, _ := r.BoundBy.Get()
		if len(limits) == 0 || limits[0].Name != bound {
			rt.Fatalf("bound by %q of %v", bound, limits)
		}
		for i := 1; i < len(limits); i++ {
			if limits[i].Throughput < limits[i-1].Throughput {
				rt.Errorf("not sorted: %v", limits)
			}
		}
		size, _ := c.EntryGiB.Get()
		parallel, _ := c.ParallelRestores.Get()
		fixed, _ := c.FixedSeconds.Get()
		want := fixed.InexactFloat64() + size.Mul(parallel).InexactFloat64()*1024/float64(limits[0].Throughput)
		got, _ := r.RestoreSeconds.Get()
		if math.Abs(got-want) > 1e-9*want {
			rt.Errorf("%v s, want %v", got, want)
		}
		if first, _ := r.FirstRestoreSeconds.Get(); c.LinkMbitPerS.IsNull() && first > got+1e-9 {
			rt.Errorf("the first takes %v s, a later one %v", first, got)
		}
		c.LinkMbitPerS = optional.Map(c.LinkMbitPerS, func(d decimal.Decimal) decimal.Decimal { return d.Mul(decimal.NewFromInt(2)) })
		if faster, _ := actionscache.Evaluate(catalog.Embedded(), c).RestoreSeconds.Get(); faster > got+1e-9 {
			rt.Errorf("a faster link: %v s instead of %v", faster, got)
		}
		for _, f := range r.Findings {
			if f.Message == "" || f.Fix != "" && !strings.HasSuffix(f.Fix, ".") {
				rt.Errorf("%s: %q, %q", f.Rule, f.Message, f.Fix)
			}
		}
	})
}
