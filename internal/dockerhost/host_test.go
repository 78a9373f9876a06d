package dockerhost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerhost"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

type number = optional.Value[decimal.Decimal]

func n(s string) number { return optional.Known(decimal.RequireFromString(s)) }

var (
	null    number
	unknown = optional.Unknown[decimal.Decimal]()
)

// evaluate plans a host that has no problems.
func evaluate(t *testing.T, h dockerhost.Host) dockerhost.Plan {
	t.Helper()
	for _, p := range h.Problems() {
		t.Fatalf("%s: %s", p.Path, p.Message)
	}
	plan, err := dockerhost.Evaluate(h)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// rules are the findings in short: "warning docker-heap node_heap_mib".
func rules(fs []finding.Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, strings.TrimRight(fmt.Sprintf("%s %s %s", f.Severity, f.Rule, f.Path), " "))
	}
	return out
}

// text is all that the findings say.
func text(fs []finding.Finding) string {
	var b strings.Builder
	for _, f := range fs {
		b.WriteString(f.Message + "\n" + f.Fix + "\n")
	}
	return b.String()
}

// figure is a number in a test table: "-" for null, "?" for unknown.
func figure[T any](v optional.Value[T]) string {
	f, ok := v.Get()
	switch {
	case ok:
		return fmt.Sprint(f)
	case v.IsUnknown():
		return "?"
	}
	return "-"
}

// The counts of the article's table, with what it leaves out: how many runners
// never run out, and the overcommit.
func TestPlan(t *testing.T) {
	overcommit := "warning docker-memory-overcommit organizations"
	for name, tc := range map[string]struct {
		host dockerhost.Host
		// fit, each, total; worst case in GiB, overcommit, CPU ratio, heap, threads
		want  string
		rules []string
	}{
		"8 GiB": {
			host:  dockerhost.Host{MemoryGiB: n("8"), Organizations: n("2")},
			want:  "1 1 2; 6 1.2 - 2048 2",
			rules: []string{overcommit, "info docker-memory-small memory_gib"},
		},
		"12 GiB": {
			host:  dockerhost.Host{MemoryGiB: n("12"), Organizations: n("2")},
			want:  "3 3 6; 18 2 - 2048 2",
			rules: []string{overcommit},
		},
		"16 GiB": {
			host:  dockerhost.Host{MemoryGiB: n("16"), Organizations: n("2")},
			want:  "4 4 8; 24 1.8462 - 2048 2",
			rules: []string{overcommit},
		},
		"20 GiB": {
			host:  dockerhost.Host{MemoryGiB: n("20"), Organizations: n("2"), CPUs: n("16")},
			want:  "5 5 10; 30 1.7647 1 2048 2",
			rules: []string{overcommit},
		},
		"one organisation never over-commits": {
			host: dockerhost.Host{MemoryGiB: n("20")},
			want: "5 5 5; 15 0.8824 - 2048 2",
		},
		"all that fit, exactly": {
			host: dockerhost.Host{MemoryGiB: n("18"), Replicas: n("5")},
			want: "5 5 5; 15 1 - 2048 2",
		},
		"replicas as written": {
			host:  dockerhost.Host{MemoryGiB: n("20"), Organizations: n("2"), Replicas: n("3")},
			want:  "5 3 6; 18 1.0588 - 2048 2",
			rules: []string{"warning docker-memory-overcommit replicas"},
		},
		"4 GiB: none fits": {
			host:  dockerhost.Host{MemoryGiB: n("4")},
			want:  "0 0 0; 0 0 - 2048 2",
			rules: []string{"warning docker-memory-small memory_gib"},
		},
		"3 GiB: nothing is left": {
			host:  dockerhost.Host{MemoryGiB: n("3")},
			want:  "0 0 0; 0 0 - 2048 2",
			rules: []string{"warning docker-memory-small memory_gib"},
		},
		"2 GiB, an older default": {
			host:  dockerhost.Host{MemoryGiB: n("2")},
			want:  "0 0 0; 0 0 - 2048 2",
			rules: []string{"warning docker-memory-small memory_gib"},
		},
		"replicas that nothing is left for": {
			host:  dockerhost.Host{MemoryGiB: n("3"), Replicas: n("1")},
			want:  "0 1 1; 3 - - 2048 2",
			rules: []string{"warning docker-memory-small memory_gib", "warning docker-memory-overcommit replicas"},
		},
		"fractions are not rounded up": {
			host:  dockerhost.Host{MemoryGiB: n("8.9"), MemoryLimitGiB: n("2.95")},
			want:  "2 2 2; 5.9 1 - 1996 2",
			rules: nil,
		},
		"a limit of one third": {
			host: dockerhost.Host{MemoryGiB: n("4"), VMOverheadGiB: n("2"), BuildCacheGiB: n("1"), MemoryLimitGiB: n("0.1"), TmpfsMiB: n("0")},
			want: "10 10 10; 1 1 - 0 2",
			// 102.4 MiB less 256 leave nothing for a heap.
			rules: []string{"error docker-heap memory_limit_gib"},
		},
		"no overhead": {
			host: dockerhost.Host{MemoryGiB: n("6"), VMOverheadGiB: n("0"), BuildCacheGiB: n("0")},
			want: "2 2 2; 6 1 - 2048 2",
		},
		"a heap that fits": {
			host: dockerhost.Host{MemoryGiB: n("12"), NodeHeapMiB: n("2048")},
			want: "3 3 3; 9 1 - 2048 2",
		},
		"a heap of 2,500": {
			host:  dockerhost.Host{MemoryGiB: n("12"), NodeHeapMiB: n("2500")},
			want:  "3 3 3; 9 1 - 2500 2",
			rules: []string{"error docker-heap node_heap_mib"},
		},
		"more tmpfs, less heap": {
			host: dockerhost.Host{MemoryGiB: n("12"), TmpfsMiB: n("1024")},
			want: "3 3 3; 9 1 - 1792 2",
		},
		"8 CPUs for 6 are about right": {
			host: dockerhost.Host{MemoryGiB: n("21"), CPUs: n("8")},
			want: "6 6 6; 18 1 1.2 2048 2",
		},
		"8 CPUs for 7 are not": {
			host:  dockerhost.Host{MemoryGiB: n("24"), CPUs: n("8")},
			want:  "7 7 7; 21 1 1.4 2048 2",
			rules: []string{"info docker-cpu cpus"},
		},
		"one CPU a runner": {
			host: dockerhost.Host{MemoryGiB: n("12"), CPUsPerRunner: n("1"), CPUs: n("3")},
			want: "3 3 3; 9 1 1 2048 1",
		},
		"osxfs": {
			host:  dockerhost.Host{MemoryGiB: n("12"), FileSharing: optional.Known(dockerhost.OSXFS)},
			want:  "3 3 3; 9 1 - 2048 2",
			rules: []string{"warning docker-file-sharing file_sharing"},
		},
		"VirtioFS": {
			host: dockerhost.Host{MemoryGiB: n("12"), FileSharing: optional.Known(dockerhost.VirtioFS)},
			want: "3 3 3; 9 1 - 2048 2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := evaluate(t, tc.host)
			got := fmt.Sprintf("%s %s %s; %s %s %s %s %s", figure(p.RunnersWithoutOvercommit), figure(p.ReplicasPerOrganization), figure(p.TotalRunners),
				figure(p.WorstCaseMemoryGiB), figure(p.OvercommitRatio), figure(p.CPURatio), figure(p.NodeHeapMiB), figure(p.VitestThreads))
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if diff := cmp.Diff(tc.rules, rules(p.Findings)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			total, _ := p.TotalRunners.Get()
			if p.ComposeYAML.IsKnown() != (total > 0) || p.DotEnv.IsKnown() != (total > 0) {
				t.Errorf("%d runners, and the files are %v and %v", total, p.ComposeYAML, p.DotEnv)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	for name, tc := range map[string]struct {
		host dockerhost.Host
		says []string
	}{
		"overcommit": {
			host: dockerhost.Host{MemoryGiB: n("20"), Organizations: n("2")},
			says: []string{"10 runners of 3 GiB may use 30 GiB", "the VM's 20 GiB leave them 17", "1.76 times", "When 6 or more are at their peak at once", "replicas = 2 (4 in all", "memory_gib = 33"},
		},
		"one runner too many": {
			host: dockerhost.Host{MemoryGiB: n("8"), Organizations: n("2")},
			says: []string{"When all 2 are at their peak at once"},
		},
		"nothing left": {
			host: dockerhost.Host{MemoryGiB: n("3"), Replicas: n("1")},
			says: []string{"One runner of 3 GiB may use 3 GiB, but the VM's 3 GiB leave them 0. When one of them is at its peak", "memory_gib = 6"},
		},
		"what is missing": {
			host: dockerhost.Host{MemoryGiB: n("4")},
			says: []string{"4 GiB less the 3 GiB of the VM and the build cache leave 1 GiB", "needs 2 GiB more", "Write memory_gib = 6 or more."},
		},
		"one fits": {
			host: dockerhost.Host{MemoryGiB: n("8")},
			says: []string{"8 GiB hold one runner of 3 GiB", "not for regular use", "memory_gib = 9"},
		},
		"heap": {
			host: dockerhost.Host{MemoryGiB: n("12"), NodeHeapMiB: n("2500")},
			says: []string{"2,500 MiB", "3,072 MiB less 768 MiB of tmpfs", "leave 2,048", "Write node_heap_mib = 2048"},
		},
		"no room for a heap": {
			host: dockerhost.Host{MemoryGiB: n("12"), MemoryLimitGiB: n("1")},
			says: []string{"No room is left for Node's heap", "Write memory_limit_gib = 1.5 or more"},
		},
		"CPUs": {
			host: dockerhost.Host{MemoryGiB: n("33"), CPUs: n("8")},
			says: []string{"10 runners at about 1.6 CPUs each want 16, 2 times the 8", "cpus = 16"},
		},
		"gRPC FUSE: no rule holds for all versions": {
			host: dockerhost.Host{MemoryGiB: n("12"), FileSharing: optional.Known(dockerhost.GRPCFUSE)},
			says: []string{"gRPC FUSE", "10 s with it and 5 s with VirtioFS", "Measure before and after: versions are known in which VirtioFS was the slower one", "named volumes"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := text(evaluate(t, tc.host).Findings)
			for _, s := range tc.says {
				if !strings.Contains(all, s) {
					t.Errorf("%q is missing in:\n%s", s, all)
				}
			}
		})
	}
}

// What a fix tells to write has to help: with it, the rule is silent.
func TestFixesHelp(t *testing.T) {
	for name, h := range map[string]dockerhost.Host{
		"replicas":  {MemoryGiB: n("20"), Organizations: n("2"), Replicas: n("2")},
		"memory":    {MemoryGiB: n("33"), Organizations: n("2"), Replicas: n("5")},
		"none fits": {MemoryGiB: n("9")},
		"heap":      {MemoryGiB: n("12"), NodeHeapMiB: n("2048")},
		"limit":     {MemoryGiB: n("12"), MemoryLimitGiB: n("1.5"), NodeHeapMiB: n("512")},
	} {
		t.Run(name, func(t *testing.T) {
			if fs := evaluate(t, h).Findings; len(fs) > 0 {
				t.Errorf("%v", rules(fs))
			}
		})
	}
}

func TestUnknownWaits(t *testing.T) {
	p := evaluate(t, dockerhost.Host{MemoryGiB: unknown, CPUs: n("8")})
	if !p.RunnersWithoutOvercommit.IsUnknown() || !p.TotalRunners.IsUnknown() || !p.OvercommitRatio.IsUnknown() || !p.ComposeYAML.IsUnknown() || !p.CPURatio.IsUnknown() {
		t.Errorf("something does not wait: %+v", p)
	}
	if heap, ok := p.NodeHeapMiB.Get(); !ok || heap != 2048 {
		t.Errorf("the heap does not depend on the memory: %v", p.NodeHeapMiB)
	}
	if len(p.Findings) > 0 || !p.FindingsWaitForAnUnknown {
		t.Errorf("findings %v, wait %v", p.Findings, p.FindingsWaitForAnUnknown)
	}
	// Null is not unknown: there is nothing to wait for.
	p = evaluate(t, dockerhost.Host{})
	if p.FindingsWaitForAnUnknown || !p.TotalRunners.IsNull() || !p.ComposeYAML.IsNull() || len(p.Findings) > 0 {
		t.Errorf("%+v", p)
	}
	// The twin: what is known does not wait.
	p = evaluate(t, dockerhost.Host{MemoryGiB: n("12"), CPUs: unknown})
	if p.FindingsWaitForAnUnknown != true || !p.CPURatio.IsUnknown() || !p.TotalRunners.IsKnown() {
		t.Errorf("%+v", p)
	}
	p = evaluate(t, dockerhost.Host{MemoryGiB: n("12")})
	if p.FindingsWaitForAnUnknown || !p.CPURatio.IsNull() {
		t.Errorf("%+v", p)
	}
	services := dockerhost.Host{MemoryGiB: n("12"), Services: optional.Unknown[[]composefile.Service]()}
	if p := evaluate(t, services); !p.FindingsWaitForAnUnknown {
		t.Error("does not wait for the services")
	}
}

func TestProblems(t *testing.T) {
	for name, tc := range map[string]struct {
		host dockerhost.Host
		want string
	}{
		"memory 0":          {dockerhost.Host{MemoryGiB: n("0")}, "memory_gib: memory_gib is 0"},
		"negative":          {dockerhost.Host{MemoryGiB: n("-8")}, "memory_gib: memory_gib must not be negative"},
		"absurd":            {dockerhost.Host{MemoryGiB: n("1e9")}, "memory_gib: memory_gib is too large"},
		"half a replica":    {dockerhost.Host{MemoryGiB: n("8"), Replicas: n("1.5")}, "replicas: replicas must be a whole number, not 1.5"},
		"no organisations":  {dockerhost.Host{MemoryGiB: n("8"), Organizations: n("0")}, "organizations: organizations is 0"},
		"101 organisations": {dockerhost.Host{MemoryGiB: n("8"), Organizations: n("101")}, "organizations: organizations is too large"},
		"a limit of 1 MiB":  {dockerhost.Host{MemoryGiB: n("8"), MemoryLimitGiB: n("0.001")}, "memory_limit_gib: memory_limit_gib is too small: Docker takes no limit below 6 MiB"},
		"half a MiB":        {dockerhost.Host{MemoryGiB: n("8"), TmpfsMiB: n("0.5")}, "tmpfs_mib: tmpfs_mib must be a whole number"},
		"no such sharing":   {dockerhost.Host{MemoryGiB: n("8"), FileSharing: optional.Known[dockerhost.FileSharing]("nfs")}, `file_sharing: file_sharing must be "virtiofs", "grpcfuse" or "osxfs"`},
	} {
		t.Run(name, func(t *testing.T) {
			ps := tc.host.Problems()
			if len(ps) != 1 {
				t.Fatalf("%d problems: %v", len(ps), ps)
			}
			if got := ps[0].Path + ": " + ps[0].Message; !strings.HasPrefix(got, tc.want) || strings.HasSuffix(got, ".") || strings.Contains(got, "nfs") {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	fine := dockerhost.Host{MemoryGiB: n("8"), VMOverheadGiB: n("0"), BuildCacheGiB: n("0"), TmpfsMiB: n("0"), CPUs: null, Replicas: unknown}
	if ps := fine.Problems(); len(ps) > 0 {
		t.Errorf("%v", ps)
	}
}

// anyHost is a host without problems.
func anyHost(t *rapid.T) dockerhost.Host {
	tenths := func(name string, low, high int) number {
		return optional.Known(decimal.New(int64(rapid.IntRange(low, high).Draw(t, name)), -1))
	}
	maybe := func(name string, v number) number {
		if rapid.Bool().Draw(t, name+" given") {
			return v
		}
		return null
	}
	return dockerhost.Host{
		MemoryGiB:      tenths("memory", 1, 2000),
		CPUs:           maybe("cpus", tenths("cpus", 1, 1000)),
		Organizations:  maybe("organizations", optional.Known(decimal.NewFromInt(int64(rapid.IntRange(1, 5).Draw(t, "organizations"))))),
		Replicas:       maybe("replicas", optional.Known(decimal.NewFromInt(int64(rapid.IntRange(1, 20).Draw(t, "replicas"))))),
		MemoryLimitGiB: maybe("limit", tenths("limit", 1, 100)),
		VMOverheadGiB:  maybe("overhead", tenths("overhead", 0, 50)),
		BuildCacheGiB:  maybe("cache", tenths("cache", 0, 50)),
		TmpfsMiB:       maybe("tmpfs", optional.Known(decimal.NewFromInt(int64(rapid.IntRange(0, 4000).Draw(t, "tmpfs"))))),
		CPUsPerRunner:  maybe("each", tenths("each", 1, 80)),
		NodeHeapMiB:    maybe("heap", optional.Known(decimal.NewFromInt(int64(rapid.IntRange(1, 10_000).Draw(t, "heap"))))),
	}
}

// The count that never over-commits is the largest one that does not, and a
// warning of overcommit is there if and only if the limits exceed the memory.
func TestNeverOvercommits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := anyHost(rt)
		for _, p := range h.Problems() {
			rt.Fatalf("%s: %s", p.Path, p.Message)
		}
		p, err := dockerhost.Evaluate(h)
		if err != nil {
			rt.Fatal(err)
		}
		available, _ := p.AvailableMemoryGiB.Get()
		limit, _ := h.MemoryLimitGiB.Or(dockerhost.DefaultMemoryLimitGiB).Get()
		fit, _ := p.RunnersWithoutOvercommit.Get()
		total, _ := p.TotalRunners.Get()
		fitting := limit.Mul(decimal.NewFromInt(fit))
		if fitting.GreaterThan(available) || !fitting.Add(limit).GreaterThan(available) {
			rt.Errorf("%d runners of %s GiB in %s GiB", fit, limit, available)
		}
		over := limit.Mul(decimal.NewFromInt(total)).GreaterThan(available) && total > 0
		var warned, heap bool
		for _, f := range p.Findings {
			warned = warned || f.Rule == dockerhost.RuleMemoryOvercommit.ID
			heap = heap || f.Rule == dockerhost.RuleHeap.ID
			if f.Message == "" || f.Fix == "" || !strings.HasSuffix(f.Fix, ".") {
				rt.Errorf("%s: %q, %q", f.Rule, f.Message, f.Fix)
			}
		}
		if over != warned {
			rt.Errorf("over-commits: %v, warned: %v", over, warned)
		}
		tmpfs, _ := h.TmpfsMiB.Or(dockerhost.DefaultTmpfsMiB).Get()
		planned, _ := p.NodeHeapMiB.Get()
		tooMuch := decimal.NewFromInt(planned).Add(tmpfs).Add(decimal.NewFromInt(256)).GreaterThan(limit.Mul(decimal.NewFromInt(1024)))
		if (tooMuch || planned == 0) != heap {
			rt.Errorf("a heap of %d MiB and %s of tmpfs in %s GiB, found: %v", planned, tmpfs, limit, heap)
		}
	})
}

// More memory never means fewer runners.
func TestMoreMemoryHelps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := anyHost(rt)
		more := h
		gib, _ := h.MemoryGiB.Get()
		more.MemoryGiB = optional.Known(gib.Add(decimal.New(int64(rapid.IntRange(0, 500).Draw(rt, "more")), -2)))
		a, errA := dockerhost.Evaluate(h)
		b, errB := dockerhost.Evaluate(more)
		if errA != nil || errB != nil {
			rt.Fatal(errA, errB)
		}
		before, _ := a.RunnersWithoutOvercommit.Get()
		after, _ := b.RunnersWithoutOvercommit.Get()
		if after < before {
			rt.Errorf("%d runners with less, %d with more", before, after)
		}
	})
}

func TestRunners(t *testing.T) {
	for _, tc := range []struct{ memory, limit, reserved, want string }{
		{"20", "3", "3", "5"},
		{"8", "3", "3", "1"},
		{"3", "3", "3", "0"},
		{"2", "3", "3", "0"},
		{"0.3", "0.1", "0", "3"}, // binary floating point would say 2
		{"1000000000000", "0.001", "0", "1000000000000000"},
	} {
		got := dockerhost.Runners(decimal.RequireFromString(tc.memory), decimal.RequireFromString(tc.limit), decimal.RequireFromString(tc.reserved))
		if got.String() != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
	}
}
