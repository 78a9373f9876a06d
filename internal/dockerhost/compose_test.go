package dockerhost_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

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
			services, err := dockerhost.ReadCompose(t.Context(), "compose.yaml", []byte(text), nil)
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

func TestReadCompose(t *testing.T) {
	const file = `
x-base: &base
  image: example.com/runner
  mem_limit: 3g
services:
  runner-a:
    <<: *base
    scale: ${REPLICAS:-5}
    pids_limit: 4096
    mem_reservation: 512m
    ulimits: {nproc: 4096, nofile: {soft: 65536, hard: 65536}}
    tmpfs: ["/tmp:size=512m,mode=1777", "/dev/shm:size=256m"]
    environment: ["NODE_OPTIONS=--trace-warnings --max-old-space-size=2500", "TOKEN=${SECRET}"]
    env_file: [does-not-exist.env]
  runner-b:
    image: example.com/runner
    deploy:
      replicas: 2
      resources:
        limits: {memory: 2g, cpus: "1.5", pids: 100}
        reservations: {memory: 1g}
    tmpfs: /run
    volumes:
      - ./src:/src
      - /var/run/docker.sock:/var/run/docker.sock
      - {type: tmpfs, target: /scratch, tmpfs: {size: 1048576}}
  off:
    image: example.com/off
    profiles: [debug]
`
	t.Setenv("REPLICAS", "7") // this process's environment is not the file's
	got, err := dockerhost.ReadCompose(t.Context(), "compose.yaml", []byte(file), map[string]string{"SECRET": "hunter2"})
	if err != nil {
		t.Fatal(err)
	}
	want := []dockerhost.Service{
		{
			Name: "runner-a", Replicas: 5, MemoryLimitBytes: 3 << 30, ReservationBytes: 512 << 20, PidsLimit: 4096, FilesLimit: 65536, ProcessesLimit: 4096,
			TmpfsBytes: 768 << 20, NodeHeapMiB: optional.Known[int64](2500),
		},
		{
			Name: "runner-b", Replicas: 2, MemoryLimitBytes: 2 << 30, ReservationBytes: 1 << 30, PidsLimit: 100, CPUs: 1.5,
			TmpfsBytes: 1 << 20, UnsizedTmpfs: true, BindMounts: []string{"/src"},
		},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b optional.Value[int64]) bool { return a == b }), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, err = dockerhost.ReadCompose(t.Context(), "compose.yaml", []byte(file), map[string]string{"REPLICAS": "3"})
	if err != nil || got[0].Replicas != 3 {
		t.Errorf("REPLICAS from the .env: %+v, %v", got, err)
	}
}

// Errors say where, and never what: a Compose file holds secrets.
func TestReadComposeErrors(t *testing.T) {
	const secret = "hunter2"
	for name, tc := range map[string]struct{ file, want string }{
		"empty":               {"", "is empty"},
		"spaces":              {" \n\t\n", "is empty"},
		"binary":              {"\x00\x01\x02" + secret, "is a binary file"},
		"no YAML":             {"services:\n  a: [" + secret + "\n", "is not a valid Compose file (line"},
		"a list":              {"- " + secret + "\n", "is not a valid Compose file"},
		"nothing in it":       {"{}", "is not a valid Compose file"},
		"a bad size":          {"services:\n  a:\n    image: x\n    mem_limit: " + secret + "\n", "is not a valid Compose file"},
		"a bad key":           {"services:\n  a:\n    image: x\n    mem_limmit: " + secret + "\n", "is not a valid Compose file (services.a.mem_limmit, line 4): there is no such setting, mem_limit is meant"},
		"a required variable": {"services:\n  a:\n    image: ${TOKEN:?" + secret + "}\n", "needs the variable TOKEN"},
		"another file":        {"services:\n  a:\n    image: x\n    extends: {file: /etc/passwd, service: root}\n", "takes services from another file"},
		"too large":           {"services: # " + strings.Repeat("x", dockerhost.MaxComposeBytes), "is larger than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dockerhost.ReadCompose(t.Context(), "compose.yaml", []byte(tc.file), nil)
			var fault *dockerhost.ComposeError
			if !errors.As(err, &fault) {
				t.Fatalf("%T: %v", err, err)
			}
			if got := fault.Error(); !strings.HasPrefix(got, tc.want) || strings.Contains(got, secret) || strings.ContainsAny(got, "\n\r") || strings.HasSuffix(got, ".") {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// A file on disk may have other files beside it, one without a folder may not.
func TestIncludes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "other.yaml"), []byte("services:\n  b:\n    image: x\n    mem_limit: 1g\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const file = "include: [other.yaml]\nservices:\n  a:\n    image: x\n"
	got, err := dockerhost.ReadCompose(t.Context(), filepath.Join(dir, "compose.yaml"), []byte(file), nil)
	if err != nil || len(got) != 2 || got[1].MemoryLimitBytes != 1<<30 {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = dockerhost.ReadCompose(t.Context(), "compose.yaml", []byte(file), nil)
	if err != nil || len(got) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestVariablesWithoutValue: which variables they are is said, and what to do.
func TestVariablesWithoutValue(t *testing.T) {
	for name, tc := range map[string]struct{ file, name, want string }{
		"a size":           {"services:\n  a:\n    image: x\n    mem_limit: ${MEM}\n", "compose.yaml", "perhaps because of MEM, which has no value; give it a default in the text, as in ${NAME:-default}"},
		"a size on disk":   {"services:\n  a:\n    image: x\n    mem_limit: ${MEM}\n", "/nowhere/compose.yaml", "perhaps because of MEM, which has no value; write it into .env beside the file"},
		"two":              {"services:\n  a:\n    image: ${IMAGE}\n    mem_limit: $MEM\n", "/nowhere/compose.yaml", "perhaps because of IMAGE, MEM, which have no value; write them into .env beside the file"},
		"required":         {"services:\n  a:\n    image: ${TOKEN:?hunter2}\n", "/nowhere/compose.yaml", "needs the variable TOKEN, which has no value; write it into .env beside the file"},
		"one with default": {"services:\n  a:\n    image: ${IMAGE:-x}\n    mem_limit: many\n", "/nowhere/compose.yaml", "docker compose config says what is wrong"},
		"one with a value": {"services:\n  a:\n    image: ${KNOWN}\n    mem_limit: many\n", "/nowhere/compose.yaml", "docker compose config says what is wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dockerhost.ReadCompose(t.Context(), tc.name, []byte(tc.file), map[string]string{"KNOWN": "x"})
			if err == nil || !strings.HasSuffix(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v, want …%s", err, tc.want)
			}
		})
	}
}

func TestHasIncludes(t *testing.T) {
	for text, want := range map[string]bool{
		"include: [a.yaml]\nservices: {}\n": true, "include: a.yaml\n": true, "services: {include: {image: x}}\n": false, "include: []\n": false, "include:\n": false, "x: &x [a.yaml]\ninclude: *x\n": true, "a: [": false,
	} {
		if got := dockerhost.HasIncludes([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestNodeHeap(t *testing.T) {
	for options, want := range map[string]string{
		"--max-old-space-size=2048":                           "2048",
		"--max_old_space_size=2048":                           "2048",
		"--max-old-space-size 4096 --trace-warnings":          "4096",
		"--max-old-space-size=1024 --max-old-space-size=2048": "2048",
		"--max-old-space-size=0":                              "-",
		"--max-old-space-size=":                               "-",
		"--max-old-space-size=many":                           "-",
		"--max-old-space-size=99999999999999999999":           "-",
		"--max-semi-space-size=64":                            "-",
		"":                                                    "-",
	} {
		if got := figure(dockerhost.NodeHeap(options)); got != want {
			t.Errorf("%q: %s, want %s", options, got, want)
		}
	}
}

// The public cases of Docker on a Mac, as facts.
func TestJudgeServices(t *testing.T) {
	const gib = 1 << 30
	runner := dockerhost.Service{Name: "runner", Replicas: 5, MemoryLimitBytes: 3 * gib, TmpfsBytes: 768 << 20, NodeHeapMiB: optional.Known[int64](2048)}
	with := func(change func(*dockerhost.Service)) dockerhost.Service {
		s := runner
		change(&s)
		return s
	}
	for name, tc := range map[string]struct {
		services  []dockerhost.Service
		available number
		rules     []string
		says      string
	}{
		"as it should be": {services: []dockerhost.Service{runner}, available: n("17")},
		"nothing runs":    {available: n("17")},
		// livingdocsIO/monitoring 4: one container starved all others.
		"one without a limit": {
			services: []dockerhost.Service{runner, {Name: "prometheus", Replicas: 1}}, available: n("17"),
			rules: []string{"warning docker-memory-unlimited x"}, says: "prometheus has no memory limit",
		},
		"two of them": {
			services: []dockerhost.Service{{Name: "a", Replicas: 1}, {Name: "b", Replicas: 1}},
			rules:    []string{"warning docker-memory-unlimited x"}, says: "a, b have no memory limit",
		},
		"many of them": {
			services: []dockerhost.Service{{Name: "a", Replicas: 1}, {Name: "b", Replicas: 1}, {Name: "c", Replicas: 1}, {Name: "d", Replicas: 1}, {Name: "e", Replicas: 1}, {Name: "f", Replicas: 1}, {Name: "g", Replicas: 1}},
			rules:    []string{"warning docker-memory-unlimited x"}, says: "a, b, c, d, e and 2 more have",
		},
		"none of it started": {services: []dockerhost.Service{{Name: "a", Replicas: 0}}},
		"ten in 17 GiB": {
			services: []dockerhost.Service{runner, with(func(s *dockerhost.Service) { s.Name = "other" })}, available: n("17"),
			rules: []string{"warning docker-memory-overcommit x"}, says: "The limits of 10 containers add up to 30 GiB, but the VM leaves containers 17, so the limits are 1.76 times that. As few as 6 of them at their peak",
		},
		"a large one beside small ones": {
			services: []dockerhost.Service{{Name: "small", Replicas: 10, MemoryLimitBytes: gib}, {Name: "large", Replicas: 1, MemoryLimitBytes: 12 * gib}}, available: n("17"),
			rules: []string{"warning docker-memory-overcommit x"}, says: "The limits of 11 containers add up to 22 GiB, but the VM leaves containers 17, so the limits are 1.29 times that. As few as 7 of them",
		},
		"two heaps, one message": {
			services: []dockerhost.Service{
				with(func(s *dockerhost.Service) { s.NodeHeapMiB = optional.Known[int64](2500) }),
				with(func(s *dockerhost.Service) { s.Name, s.NodeHeapMiB = "other", optional.Known[int64](2500) }),
			},
			rules: []string{"error docker-heap x"}, says: "runner, other: Node may grow its heap to 2,500 MiB",
		},
		"no room for any heap": {
			services: []dockerhost.Service{with(func(s *dockerhost.Service) { s.MemoryLimitBytes = gib })},
			rules:    []string{"error docker-heap x"}, says: "Raise mem_limit to 3072m or more.",
		},
		"memory of the VM not known": {services: []dockerhost.Service{runner, with(func(s *dockerhost.Service) { s.Name = "other" })}, available: null},
		"a heap of 2,500": {
			services: []dockerhost.Service{with(func(s *dockerhost.Service) { s.NodeHeapMiB = optional.Known[int64](2500) })}, available: n("17"),
			rules: []string{"error docker-heap x"}, says: "runner: Node may grow its heap to 2,500 MiB, but the limit of 3,072 MiB less 768 MiB of tmpfs",
		},
		"a heap without a limit": {
			services: []dockerhost.Service{with(func(s *dockerhost.Service) { s.MemoryLimitBytes = 0 })},
			rules:    []string{"warning docker-memory-unlimited x"}, says: "no memory limit",
		},
		// docker/for-mac 6667 and roadmap 7: eleven times slower for some, the opposite
		// for others; three times slower from 4.14 to 4.15.
		"a folder of the Mac": {
			services: []dockerhost.Service{with(func(s *dockerhost.Service) { s.BindMounts = []string{"/src"} })}, available: n("17"),
			rules: []string{"info docker-bind-mount x"}, says: "write down the version of Docker Desktop with every measurement",
		},
		// docker/for-mac 6363: 8 minutes natively, 20 and 29 shared.
		"a database on it": {
			services: []dockerhost.Service{with(func(s *dockerhost.Service) { s.BindMounts = []string{"/var/lib/postgresql/data"} })}, available: n("17"),
			rules: []string{"warning docker-bind-mount x"}, says: "2.5 to 3.6 times as long as natively",
		},
		"a folder that only sounds like one": {
			services: []dockerhost.Service{with(func(s *dockerhost.Service) { s.BindMounts = []string{"/var/lib/mysqldump"} })}, available: n("17"),
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

// Whatever is read, there is a list of services or an error that repeats nothing.
func FuzzReadCompose(f *testing.F) {
	f.Add("services:\n  a:\n    image: x\n    mem_limit: 3g\n    tmpfs: /tmp:size=512m\n")
	f.Add("services:\n  a: &a\n    image: x\n  b: *a\n")
	f.Add("services: {a: {image: x, deploy: {resources: {limits: {memory: -1}}}}}")
	f.Add("include: [x]\nservices: {a: {extends: b}}")
	f.Fuzz(func(t *testing.T, text string) {
		services, err := dockerhost.ReadCompose(t.Context(), "compose.yaml", []byte(text), nil)
		var fault *dockerhost.ComposeError
		if err != nil && (!errors.As(err, &fault) || services != nil) {
			t.Errorf("%v, %v", services, err)
		}
		for _, s := range services {
			if s.Name == "" || s.TmpfsBytes < 0 {
				t.Errorf("%+v", s)
			}
		}
		dockerhost.JudgeServices(services, n("17"), "")
	})
}
