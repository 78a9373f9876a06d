package composefile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

func TestRead(t *testing.T) {
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
	got, err := composefile.Read(t.Context(), "compose.yaml", []byte(file), map[string]string{"SECRET": "hunter2"})
	if err != nil {
		t.Fatal(err)
	}
	want := []composefile.Service{
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
	got, err = composefile.Read(t.Context(), "compose.yaml", []byte(file), map[string]string{"REPLICAS": "3"})
	if err != nil || got[0].Replicas != 3 {
		t.Errorf("REPLICAS from the .env: %+v, %v", got, err)
	}
}

// Errors say where, and never what: a Compose file holds secrets.
func TestErrors(t *testing.T) {
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
		"too large":           {"services: # " + strings.Repeat("x", composefile.MaxBytes), "is larger than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := composefile.Read(t.Context(), "compose.yaml", []byte(tc.file), nil)
			var fault *composefile.Error
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
	got, err := composefile.Read(t.Context(), filepath.Join(dir, "compose.yaml"), []byte(file), nil)
	if err != nil || len(got) != 2 || got[1].MemoryLimitBytes != 1<<30 {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = composefile.Read(t.Context(), "compose.yaml", []byte(file), nil)
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
		"one with default": {"services:\n  a:\n    image: ${IMAGE:-x}\n    mem_limit: many\n", "/nowhere/compose.yaml", "a size such as 512m is expected"},
		"one with a value": {"services:\n  a:\n    image: ${KNOWN}\n    mem_limit: many\n", "/nowhere/compose.yaml", "a size such as 512m is expected"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := composefile.Read(t.Context(), tc.name, []byte(tc.file), map[string]string{"KNOWN": "x"})
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
		if got := composefile.HasIncludes([]byte(text)); got != want {
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
		got := "-"
		if mib, ok := composefile.NodeHeap(options).Get(); ok {
			got = strconv.FormatInt(mib, 10)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", options, got, want)
		}
	}
}

// Whatever is read, there is a list of services or an error that repeats nothing.
func FuzzRead(f *testing.F) {
	f.Add("services:\n  a:\n    image: x\n    mem_limit: 3g\n    tmpfs: /tmp:size=512m\n")
	f.Add("services:\n  a: &a\n    image: x\n  b: *a\n")
	f.Add("services: {a: {image: x, deploy: {resources: {limits: {memory: -1}}}}}")
	f.Add("include: [x]\nservices: {a: {extends: b}}")
	f.Fuzz(func(t *testing.T, text string) {
		services, err := composefile.Read(t.Context(), "compose.yaml", []byte(text), nil)
		var fault *composefile.Error
		if err != nil && (!errors.As(err, &fault) || services != nil) {
			t.Errorf("%v, %v", services, err)
		}
		for _, s := range services {
			if s.Name == "" || s.TmpfsBytes < 0 {
				t.Errorf("%+v", s)
			}
		}
	})
}
