package dockerdiag_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerdiag"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerhost"
)

var update = flag.Bool("update", false, "write golden files anew")

func write(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const (
	goodSettings = `{"MemoryMiB": 20480, "Cpus": 16, "SwapMiB": 1024, "DiskSizeMiB": 65536, "UseVirtualizationFrameworkVirtioFS": true, "UseGrpcfuse": false, "UseContainerdSnapshotter": true, "OverrideProxyHTTP": "http://user:hunter2@proxy"}`
	// As Docker Desktop 4.34 and older wrote it.
	oldSettings = `{"memoryMiB": 8192, "cpus": 4, "swapMiB": 512, "diskSizeMiB": 30000, "useVirtualizationFrameworkVirtioFS": false, "useGrpcfuse": true, "useContainerdSnapshotter": false, "proxyHttpMode": "hunter2"}`
)

const compose = `
services:
  runner-a: &runner
    image: example.com/runner
    scale: ${REPLICAS:-5}
    mem_limit: 3g
    mem_reservation: 512m
    pids_limit: 4096
    ulimits: {nofile: {soft: 65536, hard: 65536}}
    tmpfs: ["/tmp:size=512m", "/dev/shm:size=256m"]
    environment: {NODE_OPTIONS: --max-old-space-size=2500, TOKEN: hunter2}
  runner-b: *runner
  database:
    image: postgres
    volumes: ["./hunter2:/var/lib/postgresql/data"]
    environment: {POSTGRES_PASSWORD: "${PASSWORD}"}
`

// Everything that is wrong, everything that is right, and nothing to see.
func TestReport(t *testing.T) {
	withCompose := func(t *testing.T) string {
		t.Helper()
		file := write(t, "compose.yaml", compose)
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), ".env"), []byte("REPLICAS=3\nPASSWORD=hunter2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, options := range map[string]func(t *testing.T) dockerdiag.Options{
		"right": func(t *testing.T) dockerdiag.Options {
			t.Helper()
			e := desktop()
			for id := range e.containers {
				if strings.HasPrefix(id, "runner-b") {
					delete(e.containers, id) // five in all never run out
				}
			}
			return dockerdiag.Options{Settings: write(t, "settings-store.json", goodSettings), Socket: e.start(t)}
		},
		"overcommit": func(t *testing.T) dockerdiag.Options {
			t.Helper()
			return dockerdiag.Options{Settings: write(t, "settings-store.json", goodSettings), Socket: desktop().start(t)}
		},
		"wrong": func(t *testing.T) dockerdiag.Options {
			t.Helper()
			e := desktop() // 20 GiB, where the settings say 8: not restarted
			e.info.(object)["Driver"], e.info.(object)["DriverStatus"] = "overlay2", nil
			return dockerdiag.Options{Settings: write(t, "settings.json", oldSettings), Socket: e.start(t), Compose: withCompose(t)}
		},
		"compose_only": func(t *testing.T) dockerdiag.Options {
			t.Helper()
			return dockerdiag.Options{Compose: withCompose(t)}
		},
		"podman": func(t *testing.T) dockerdiag.Options {
			t.Helper()
			return dockerdiag.Options{Socket: podman().start(t)}
		},
		"nothing": func(t *testing.T) dockerdiag.Options {
			t.Helper()
			return dockerdiag.Options{SettingsPaths: []string{filepath.Join(t.TempDir(), "none")}, SocketPaths: []string{filepath.Join(t.TempDir(), "none"), filepath.Join(t.TempDir(), "none")}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := dockerdiag.Diagnose(t.Context(), options(t))
			if err != nil {
				t.Fatal(err)
			}
			var text, doc bytes.Buffer
			if err := report.Text(&text); err != nil {
				t.Fatal(err)
			}
			if err := report.JSON(&doc); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".golden", text.String())
			golden(t, name+".golden.json", doc.String())
			if strings.Contains(text.String()+doc.String(), secret) {
				t.Error("a secret is shown")
			}
			if !json.Valid(doc.Bytes()) {
				t.Error("the JSON is none")
			}
			if marks := strings.Count(text.String(), "✗ "); marks != report.Faults() {
				t.Errorf("%d marks, %d faults", marks, report.Faults())
			}
		})
	}
}

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

// check is one check of a report: "fault gRPC FUSE. Files ...".
func check(t *testing.T, r *dockerdiag.Report, id string) string {
	t.Helper()
	for _, c := range r.Checks {
		if c.ID == id {
			return string(c.Status) + " " + c.Detail
		}
	}
	return "none"
}

func TestSettings(t *testing.T) {
	for name, tc := range map[string]struct {
		settings string
		id, want string
	}{
		"VirtioFS":                    {`{"UseVirtualizationFrameworkVirtioFS": true}`, "file-sharing", "ok VirtioFS"},
		"VirtioFS, gRPC FUSE left on": {`{"UseVirtualizationFrameworkVirtioFS": true, "UseGrpcfuse": true}`, "file-sharing", "ok VirtioFS"},
		"VirtioFS off":                {`{"UseVirtualizationFrameworkVirtioFS": false, "UseGrpcfuse": true}`, "file-sharing", "fault gRPC FUSE."},
		"VirtioFS off and no more":    {`{"UseVirtualizationFrameworkVirtioFS": false}`, "file-sharing", "fault gRPC FUSE."},
		"both off":                    {`{"UseVirtualizationFrameworkVirtioFS": false, "UseGrpcfuse": false}`, "file-sharing", "fault osxfs."},
		"both off, in lower case":     {`{"useVirtualizationFrameworkVirtioFS": false, "useGrpcfuse": false}`, "file-sharing", "fault osxfs."},
		"neither in the file":         {`{"Cpus": 4}`, "file-sharing", "unknown not in the settings file"},
		"another type":                {`{"UseVirtualizationFrameworkVirtioFS": "yes"}`, "file-sharing", "unknown not in the settings file"},
		"null":                        {`{"UseVirtualizationFrameworkVirtioFS": null}`, "file-sharing", "unknown not in the settings file"},
		"memory":                      {`{"MemoryMiB": 12288}`, "memory", "ok 12 GiB, which leave 9 to containers: room for 3 runners of 3 GiB"},
		"memory of 4.34":              {`{"memoryMiB": 12288}`, "memory", "ok 12 GiB, which leave 9 to containers: room for 3 runners of 3 GiB"},
		"memory for one":              {`{"MemoryMiB": 8192}`, "memory", "ok 8 GiB, which leave 5 to containers: room for one runner of 3 GiB"},
		"an older default":            {`{"MemoryMiB": 2048}`, "memory", "fault 2 GiB less the 3 of the VM and the build cache hold no runner"},
		"memory not in the file":      {`{"Cpus": 4}`, "memory", "unknown not in the settings file, so it is Docker Desktop's default"},
		"memory as text":              {`{"MemoryMiB": "8192"}`, "memory", "unknown not in the settings file"},
		"the newer spelling wins":     {`{"memoryMiB": 2048, "MemoryMiB": 12288}`, "memory", "ok 12 GiB"},
		"CPUs":                        {`{"Cpus": 8}`, "cpus", "ok 8, enough for 6 runners at about 1.6 each"},
		"swap":                        {`{"SwapMiB": 512}`, "swap", "fault 0.5 GiB"},
		"enough swap":                 {`{"SwapMiB": 1024}`, "swap", "ok 1 GiB"},
		"disk":                        {`{"DiskSizeMiB": 61000}`, "disk", "fault 64 GB"},
		"enough disk":                 {`{"DiskSizeMiB": 61036}`, "disk", "ok 64 GB"},
		"containerd":                  {`{"UseContainerdSnapshotter": true}`, "storage-driver", "ok containerd"},
		"without containerd":          {`{"UseContainerdSnapshotter": false}`, "storage-driver", "unknown images are not kept by containerd"},
		"with a mark in front":        {"\ufeff" + `{"Cpus": 8}`, "cpus", "ok 8"},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := dockerdiag.Diagnose(t.Context(), dockerdiag.Options{Settings: write(t, "settings-store.json", tc.settings)})
			if err != nil {
				t.Fatal(err)
			}
			if got := check(t, report, tc.id); !strings.HasPrefix(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Without a name, the newer file is read if there is one, else the older.
func TestSettingsPaths(t *testing.T) {
	home := t.TempDir()
	paths := dockerdiag.SettingsPaths("darwin", home, "")
	if want := filepath.Join(home, "Library/Group Containers/group.com.docker/settings-store.json"); paths[0] != want || filepath.Base(paths[1]) != "settings.json" {
		t.Fatalf("%v", paths)
	}
	if got := dockerdiag.SettingsPaths("windows", "", `C:\x`); len(got) != 2 || !strings.Contains(got[0], "Docker") {
		t.Errorf("%v", got)
	}
	if got := dockerdiag.SettingsPaths("linux", "/home/x", ""); got[0] != "/home/x/.docker/desktop/settings-store.json" {
		t.Errorf("%v", got)
	}
	if got := dockerdiag.SettingsPaths("linux", "", ""); got != nil {
		t.Errorf("%v", got)
	}
	read := func() *dockerdiag.Settings {
		r, err := dockerdiag.Diagnose(t.Context(), dockerdiag.Options{SettingsPaths: paths})
		if err != nil {
			t.Fatal(err)
		}
		return r.Settings
	}
	if s := read(); s != nil {
		t.Errorf("%+v", s)
	}
	if err := os.MkdirAll(filepath.Dir(paths[0]), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{paths[1], paths[0]} {
		if err := os.WriteFile(p, []byte(`{"Cpus": 4}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if s := read(); s == nil || s.Path != p {
			t.Errorf("%+v, want %s", s, p)
		}
	}
	if got := check(t, mustDiagnose(t, dockerdiag.Options{SettingsPaths: paths}), "settings"); got != "none" {
		t.Errorf("nothing was passed over, but: %s", got)
	}
	// A newer one that cannot be read is said where the older is read.
	if err := os.WriteFile(paths[0], []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := check(t, mustDiagnose(t, dockerdiag.Options{SettingsPaths: paths}), "settings"),
		"unknown "+paths[0]+": is not a JSON object; the older "+paths[1]+" was read instead, and its figures may no longer hold"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// One that cannot be read is said, and no reason to stop.
	for _, p := range paths {
		if err := os.WriteFile(p, []byte("hunter2"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := dockerdiag.Diagnose(t.Context(), dockerdiag.Options{SettingsPaths: paths})
	if err != nil || r.Settings != nil || !strings.Contains(check(t, r, "file-sharing"), "is not a JSON object") {
		t.Errorf("%v, %s", err, check(t, r, "file-sharing"))
	}
}

func mustDiagnose(t *testing.T, o dockerdiag.Options) *dockerdiag.Report {
	t.Helper()
	r, err := dockerdiag.Diagnose(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMemoryForOne: room for one runner is right, but said to be little.
func TestMemoryForOne(t *testing.T) {
	for settings, want := range map[string]string{
		`{"MemoryMiB": 8192}`:  "One runner is enough to try it out, not for regular use: 12 GiB hold three, 20 hold five.",
		`{"MemoryMiB": 12288}`: "",
	} {
		for _, c := range mustDiagnose(t, dockerdiag.Options{Settings: write(t, "settings-store.json", settings)}).Checks {
			if c.ID == "memory" && (c.ToDo != want || c.Status != dockerdiag.OK) {
				t.Errorf("%s: %s %q, want %q", settings, c.Status, c.ToDo, want)
			}
		}
	}
}

// What was asked for by name and cannot be read is one clear line.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	big := write(t, "big", strings.Repeat("x", 2<<20))
	for name, tc := range map[string]struct {
		options dockerdiag.Options
		want    string
	}{
		"no settings":           {dockerdiag.Options{Settings: filepath.Join(dir, "none")}, "there is no such file"},
		"settings: a directory": {dockerdiag.Options{Settings: dir}, "is a directory"},
		"settings: empty":       {dockerdiag.Options{Settings: write(t, "s", "")}, "is empty"},
		"settings: binary":      {dockerdiag.Options{Settings: write(t, "s", "\x00\xff"+secret)}, "is not a JSON object"},
		"settings: cut off":     {dockerdiag.Options{Settings: write(t, "s", `{"MemoryMiB": 20480, "x": "`+secret)}, "is not a JSON object"},
		"settings: a list":      {dockerdiag.Options{Settings: write(t, "s", `["`+secret+`"]`)}, "is not a JSON object"},
		"settings: null":        {dockerdiag.Options{Settings: write(t, "s", "null")}, "is not a JSON object"},
		"settings: too large":   {dockerdiag.Options{Settings: big}, "is larger than 1024 KiB"},
		"no Compose file":       {dockerdiag.Options{Compose: filepath.Join(dir, "none")}, "there is no such file"},
		"Compose: a directory":  {dockerdiag.Options{Compose: dir}, "is a directory"},
		"Compose: empty":        {dockerdiag.Options{Compose: write(t, "c", "\n")}, "is empty"},
		"Compose: no Compose":   {dockerdiag.Options{Compose: write(t, "c", "password: "+secret)}, "is not a valid Compose file"},
		"Compose: too large":    {dockerdiag.Options{Compose: big}, "is larger than 1024 KiB"},
		"no socket":             {dockerdiag.Options{Socket: filepath.Join(dir, "none")}, "there is no such socket"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dockerdiag.Diagnose(t.Context(), tc.options)
			path := tc.options.Settings + tc.options.Compose + tc.options.Socket
			if err == nil || !strings.HasPrefix(err.Error(), path+": "+tc.want) || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
	file := write(t, "compose.yaml", compose)
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), ".env"), []byte("A='"+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := dockerdiag.Diagnose(t.Context(), dockerdiag.Options{Compose: file})
	if err == nil || !strings.HasSuffix(err.Error(), ".env: is not a file of NAME=value lines") {
		t.Errorf("a broken .env: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	e := desktop()
	e.hang = "/info"
	socket := e.start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, o := range []dockerdiag.Options{{Socket: socket, Timeout: time.Minute}, {SocketPaths: []string{socket}, Timeout: time.Minute}} {
		if _, err := dockerdiag.Diagnose(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}

// A socket that somebody named is named again where nobody answers.
func TestSocketThatIsNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	r, err := dockerdiag.Diagnose(t.Context(), dockerdiag.Options{SocketPaths: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Text(&out); err != nil {
		t.Fatal(err)
	}
	if want := "? engine: " + path + ": no socket of an engine is there"; !strings.Contains(out.String(), want) {
		t.Errorf("%q is missing in\n%s", want, out.String())
	}
}

// Names come from an engine and go to a terminal.
func TestNamesArePrintable(t *testing.T) {
	e := desktop()
	e.containers["x"] = fakeContainer{inspect("\x1b[31mevil\u009b"+strings.Repeat("y", 200), "", 1<<30, nil), nil}
	r, err := dockerdiag.Diagnose(t.Context(), dockerdiag.Options{Socket: e.start(t)})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Text(&out); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\u009b") || strings.Contains(out.String(), strings.Repeat("y", 81)) || !strings.Contains(out.String(), "[31mevil") {
		t.Errorf("%q", out.String())
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(goodSettings))
	f.Add([]byte(oldSettings))
	f.Add([]byte(`{"Cpus": 1e99, "MemoryMiB": -5, "SwapMiB": null}`))
	file := filepath.Join(f.TempDir(), "settings")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := dockerdiag.Diagnose(t.Context(), dockerdiag.Options{Settings: file})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		if s, ok := r.Settings.FileSharing().Get(); ok && s != dockerhost.VirtioFS && s != dockerhost.GRPCFUSE && s != dockerhost.OSXFS {
			t.Errorf("%q", s)
		}
		if err := r.JSON(new(bytes.Buffer)); err != nil {
			t.Error(err)
		}
	})
}
