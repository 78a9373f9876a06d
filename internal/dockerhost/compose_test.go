package dockerhost_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerhost"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var update = flag.Bool("update", false, "write golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What Compose itself makes of the file, in an empty folder, with the .env.
func TestComposeFile(t *testing.T) {
	p := evaluate(t, dockerhost.Host{MemoryGiB: n("20"), Organizations: n("2")})
	text, _ := p.ComposeYAML.Get()
	env, _ := p.DotEnv.Get()
	golden(t, "compose.golden.yaml", text)
	golden(t, "dotenv.golden", env)

	for name, tc := range map[string]struct {
		env      types.Mapping
		replicas int
		image    string
	}{
		"without .env":      {types.Mapping{}, 5, "ghcr.io/actions/actions-runner:latest"},
		"with a smaller VM": {types.Mapping{"REPLICAS": "3", "RUNNER_IMAGE": "example.com/runner:1"}, 3, "example.com/runner:1"},
	} {
		t.Run(name, func(t *testing.T) {
			project, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
				WorkingDir: t.TempDir(), ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: []byte(text)}}, Environment: tc.env,
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(project.Services) != 2 {
				t.Fatalf("%d services", len(project.Services))
			}
			for _, s := range project.Services {
				if s.GetScale() != tc.replicas || s.Image != tc.image {
					t.Errorf("%d of %s", s.GetScale(), s.Image)
				}
				if s.MemLimit != 3<<30 || s.MemReservation != 512<<20 || s.PidsLimit != 4096 {
					t.Errorf("limits %d, %d, %d", s.MemLimit, s.MemReservation, s.PidsLimit)
				}
				if u := s.Ulimits["nofile"]; u.Soft != 65536 || u.Hard != 65536 {
					t.Errorf("nofile %+v", u)
				}
				if u := s.Ulimits["nproc"]; u.Single != 4096 {
					t.Errorf("nproc %+v", u)
				}
				if diff := cmp.Diff(types.StringList{"/tmp:size=512m,mode=1777,nosuid,nodev", "/dev/shm:size=256m,mode=1777,nosuid,nodev"}, s.Tmpfs); diff != "" {
					t.Error(diff)
				}
				if v := s.Environment["NODE_OPTIONS"]; v == nil || *v != "--max-old-space-size=2048" {
					t.Errorf("NODE_OPTIONS %v", v)
				}
				if v := s.Environment["VITEST_MAX_THREADS"]; v == nil || *v != "2" {
					t.Errorf("VITEST_MAX_THREADS %v", v)
				}
			}
		})
	}
}

// A limit that is no whole number of MiB, no tmpfs, no room for a heap: the file
// is still one that Compose reads, with just these limits.
func TestComposeOfOddHosts(t *testing.T) {
	for name, h := range map[string]dockerhost.Host{
		"a fraction":            {MemoryGiB: n("20"), MemoryLimitGiB: n("2.3333")},
		"no tmpfs":              {MemoryGiB: n("20"), TmpfsMiB: n("0")},
		"one MiB of tmpfs":      {MemoryGiB: n("20"), TmpfsMiB: n("1")},
		"below the reservation": {MemoryGiB: n("4"), MemoryLimitGiB: n("0.25"), TmpfsMiB: n("0")},
		"a hundred":             {MemoryGiB: n("20"), Organizations: n("100"), Replicas: n("1000")},
	} {
		t.Run(name, func(t *testing.T) {
			p := evaluate(t, h)
			text, ok := p.ComposeYAML.Get()
			if !ok {
				t.Fatal("no file")
			}
			services, err := composefile.Read(t.Context(), "compose.yaml", []byte(text), nil)
			if err != nil {
				t.Fatal(err)
			}
			limit, _ := h.MemoryLimitGiB.Or(dockerhost.DefaultMemoryLimitGiB).Get()
			for _, s := range services {
				if want := limit.Mul(decimal.NewFromInt(1 << 30)).IntPart(); s.MemoryLimitBytes != want || s.ReservationBytes > s.MemoryLimitBytes {
					t.Errorf("limit %d, want %d; reservation %d", s.MemoryLimitBytes, want, s.ReservationBytes)
				}
			}
		})
	}
}

// The public cases of Docker on a Mac, as facts.
func TestJudgeServices(t *testing.T) {
	const gib = 1 << 30
	runner := composefile.Service{Name: "runner", Replicas: 5, MemoryLimitBytes: 3 * gib, TmpfsBytes: 768 << 20, NodeHeapMiB: optional.Known[int64](2048)}
	with := func(change func(*composefile.Service)) composefile.Service {
		s := runner
		change(&s)
		return s
	}
	for name, tc := range map[string]struct {
		services  []composefile.Service
		available number
		rules     []string
		says      string
	}{
		"as it should be": {services: []composefile.Service{runner}, available: n("17")},
		"nothing runs":    {available: n("17")},
		// livingdocsIO/monitoring 4: one container starved all others.
		"one without a limit": {
			services: []composefile.Service{runner, {Name: "prometheus", Replicas: 1}}, available: n("17"),
			rules: []string{"warning docker-memory-unlimited x"}, says: "prometheus has no memory limit",
		},
		"two of them": {
			services: []composefile.Service{{Name: "a", Replicas: 1}, {Name: "b", Replicas: 1}},
			rules:    []string{"warning docker-memory-unlimited x"}, says: "a, b have no memory limit",
		},
		"many of them": {
			services: []composefile.Service{{Name: "a", Replicas: 1}, {Name: "b", Replicas: 1}, {Name: "c", Replicas: 1}, {Name: "d", Replicas: 1}, {Name: "e", Replicas: 1}, {Name: "f", Replicas: 1}, {Name: "g", Replicas: 1}},
			rules:    []string{"warning docker-memory-unlimited x"}, says: "a, b, c, d, e and 2 more have",
		},
		"none of it started": {services: []composefile.Service{{Name: "a", Replicas: 0}}},
		"ten in 17 GiB": {
			services: []composefile.Service{runner, with(func(s *composefile.Service) { s.Name = "other" })}, available: n("17"),
			rules: []string{"warning docker-memory-overcommit x"}, says: "The limits of 10 containers add up to 30 GiB, but the VM leaves containers 17, so the limits are 1.76 times that. As few as 6 of them at their peak",
		},
		"a large one beside small ones": {
			services: []composefile.Service{{Name: "small", Replicas: 10, MemoryLimitBytes: gib}, {Name: "large", Replicas: 1, MemoryLimitBytes: 12 * gib}}, available: n("17"),
			rules: []string{"warning docker-memory-overcommit x"}, says: "The limits of 11 containers add up to 22 GiB, but the VM leaves containers 17, so the limits are 1.29 times that. As few as 7 of them",
		},
		"two heaps, one message": {
			services: []composefile.Service{
				with(func(s *composefile.Service) { s.NodeHeapMiB = optional.Known[int64](2500) }),
				with(func(s *composefile.Service) { s.Name, s.NodeHeapMiB = "other", optional.Known[int64](2500) }),
			},
			rules: []string{"error docker-heap x"}, says: "runner, other: Node may grow its heap to 2,500 MiB",
		},
		"no room for any heap": {
			services: []composefile.Service{with(func(s *composefile.Service) { s.MemoryLimitBytes = gib })},
			rules:    []string{"error docker-heap x"}, says: "Raise mem_limit to 3072m or more.",
		},
		"memory of the VM not known": {services: []composefile.Service{runner, with(func(s *composefile.Service) { s.Name = "other" })}, available: null},
		"a heap of 2,500": {
			services: []composefile.Service{with(func(s *composefile.Service) { s.NodeHeapMiB = optional.Known[int64](2500) })}, available: n("17"),
			rules: []string{"error docker-heap x"}, says: "runner: Node may grow its heap to 2,500 MiB, but the limit of 3,072 MiB less 768 MiB of tmpfs",
		},
		"a heap without a limit": {
			services: []composefile.Service{with(func(s *composefile.Service) { s.MemoryLimitBytes = 0 })},
			rules:    []string{"warning docker-memory-unlimited x"}, says: "no memory limit",
		},
		// docker/for-mac 6667 and roadmap 7: eleven times slower for some, the opposite
		// for others; three times slower from 4.14 to 4.15.
		"a folder of the Mac": {
			services: []composefile.Service{with(func(s *composefile.Service) { s.BindMounts = []string{"/src"} })}, available: n("17"),
			rules: []string{"info docker-bind-mount x"}, says: "write down the version of Docker Desktop with every measurement",
		},
		// docker/for-mac 6363: 8 minutes natively, 20 and 29 shared.
		"a database on it": {
			services: []composefile.Service{with(func(s *composefile.Service) { s.BindMounts = []string{"/var/lib/postgresql/data"} })}, available: n("17"),
			rules: []string{"warning docker-bind-mount x"}, says: "2.5 to 3.6 times as long as natively",
		},
		"a folder that only sounds like one": {
			services: []composefile.Service{with(func(s *composefile.Service) { s.BindMounts = []string{"/var/lib/mysqldump"} })}, available: n("17"),
			rules: []string{"info docker-bind-mount x"}, says: "folders of the Mac are mounted",
		},
	} {
		t.Run(name, func(t *testing.T) {
			fs := dockerhost.JudgeServices(tc.services, tc.available, "x")
			if diff := cmp.Diff(tc.rules, rules(fs)); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			if all := text(fs); !strings.Contains(all, tc.says) {
				t.Errorf("%q is missing in %s", tc.says, all)
			}
		})
	}
}

// Whatever was read can be judged.
func FuzzJudgeServices(f *testing.F) {
	f.Add("services:\n  a:\n    image: x\n    mem_limit: 3g\n    tmpfs: /tmp:size=512m\n")
	f.Fuzz(func(t *testing.T, text string) {
		if services, err := composefile.Read(t.Context(), "compose.yaml", []byte(text), nil); err == nil {
			dockerhost.JudgeServices(services, n("17"), "")
		}
	})
}
