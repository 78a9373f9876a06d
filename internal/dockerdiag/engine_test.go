package dockerdiag_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerdiag"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// secret is in every place of the fake engine and files where somebody might
// have one; nothing may show it.
const secret = "hunter2"

// fakeEngine answers as an engine does, on a socket.
type fakeEngine struct {
	info, version any
	containers    map[string]fakeContainer
	// hang makes a path never answer.
	hang string
}

type fakeContainer struct{ inspect, stats any }

type object = map[string]any

// start serves the engine and returns its socket.
func (e fakeEngine) start(t *testing.T) string {
	t.Helper()
	// Paths of sockets are short by law, so not t.TempDir.
	dir, err := os.MkdirTemp("", "engine") //nolint:usetesting // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "docker.sock")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		if text, ok := v.(string); ok {
			_, _ = w.Write([]byte(text))
			return
		}
		_ = json.NewEncoder(w).Encode(v)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /info", func(w http.ResponseWriter, _ *http.Request) { answer(w, e.info) })
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { answer(w, e.version) })
	mux.HandleFunc("GET /containers/json", func(w http.ResponseWriter, _ *http.Request) {
		list := []object{}
		for id := range e.containers {
			list = append(list, object{"Id": id, "Names": []string{"/" + id}, "Labels": object{"token": secret}})
		}
		answer(w, list)
	})
	part := func(get func(fakeContainer) any) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if v := get(e.containers[r.PathValue("id")]); v != nil {
				answer(w, v)
				return
			}
			http.Error(w, "no such container: "+secret, http.StatusNotFound)
		}
	}
	mux.HandleFunc("GET /containers/{id}/json", part(func(c fakeContainer) any { return c.inspect }))
	mux.HandleFunc("GET /containers/{id}/stats", part(func(c fakeContainer) any { return c.stats }))
	server := &httptest.Server{Listener: listener, Config: &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				t.Errorf("%s %s: the engine may only be asked", r.Method, r.URL)
			}
			if e.hang != "" && strings.HasPrefix(r.URL.Path, e.hang) {
				<-done
				return
			}
			mux.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: time.Minute,
	}}
	server.Start()
	t.Cleanup(func() {
		close(done)
		server.Close()
	})
	return socket
}

func inspect(name, service string, memory int64, change func(hostConfig object)) object {
	h := object{
		"Memory": memory, "MemoryReservation": 512 << 20, "NanoCpus": 0, "PidsLimit": 4096,
		"Ulimits": []object{{"Name": "nofile", "Soft": 65536, "Hard": 65536}, {"Name": "nproc", "Soft": 4096, "Hard": 4096}},
		"Tmpfs":   object{"/tmp": "size=512m,mode=1777,nosuid,nodev", "/dev/shm": "size=256m,mode=1777,nosuid,nodev"},
	}
	if change != nil {
		change(h)
	}
	return object{
		"Name": "/" + name, "HostConfig": h,
		"Config": object{
			"Env":    []string{"TOKEN=" + secret, "NODE_OPTIONS=--max-old-space-size=2048 --require=" + secret, "PATH=/bin"},
			"Labels": object{"com.docker.compose.service": service, "owner": secret},
		},
		"Mounts": []object{{"Type": "bind", "Source": "/" + secret, "Destination": "/var/run/docker.sock"}, {"Type": "volume", "Name": secret, "Destination": "/work"}},
	}
}

func stats(cpu, memory, cache int64) object {
	return object{
		"cpu_stats":    object{"cpu_usage": object{"total_usage": 1_000_000 + cpu}, "system_cpu_usage": 2_000_000_000, "online_cpus": 16},
		"precpu_stats": object{"cpu_usage": object{"total_usage": 1_000_000}, "system_cpu_usage": 1_000_000_000},
		"memory_stats": object{"usage": memory, "stats": object{"inactive_file": cache}},
	}
}

// desktop is Docker Desktop as the article recommends it: 16 CPUs, 20 GiB, two
// organisations with five runners each.
func desktop() fakeEngine {
	e := fakeEngine{
		info: object{
			"NCPU": 16, "MemTotal": 20_950_000_000, "Driver": "overlayfs", "DriverStatus": [][]string{{"driver-type", "io.containerd.snapshotter.v1"}},
			"OperatingSystem": "Docker Desktop", "ServerVersion": "27.3.1", "Name": secret, "HttpProxy": "http://user:" + secret + "@proxy", "Labels": []string{secret},
		},
		version:    object{"Platform": object{"Name": "Docker Desktop 4.36.0 (175267)"}, "Version": "27.3.1", "Components": []object{{"Name": "Engine", "Version": "27.3.1"}}},
		containers: map[string]fakeContainer{},
	}
	for _, service := range []string{"runner-a", "runner-b"} {
		for i := range 5 {
			name := fmt.Sprintf("%s-%d", service, i+1)
			e.containers[name] = fakeContainer{inspect(name, service, 3<<30, nil), stats(187_500, int64(60+i)<<20, 20<<20)}
		}
	}
	return e
}

// podman is Podman 4.3 as its compatible API answers.
func podman() fakeEngine {
	limited := inspect("runner-1", "", 3<<30, func(h object) {
		h["Ulimits"] = []object{{"Name": "RLIMIT_NOFILE", "Soft": 1024, "Hard": 1024}, {"Name": "RLIMIT_NPROC", "Soft": 4096, "Hard": 4096}}
		h["Tmpfs"] = object{"/tmp": "size=512m,mode=1777,nosuid,nodev,rw,rprivate,tmpcopyup"}
	})
	unlimited := inspect("free", "", 0, func(h object) { h["PidsLimit"] = 0; h["Tmpfs"] = nil; h["Ulimits"] = nil; h["MemoryReservation"] = 0 })
	return fakeEngine{
		info: object{
			"NCPU": 2, "MemTotal": 8_219_000_000, "Driver": "overlay", "DriverStatus": [][]string{{"Backing Filesystem", "extfs"}, {"Supports d_type", "true"}},
			"OperatingSystem": "debian", "ServerVersion": "4.3.1", "Labels": nil,
		},
		version: object{"Platform": object{"Name": "linux/amd64/debian-12"}, "Components": []object{{"Name": "Podman Engine", "Version": "4.3.1"}, {"Name": "Conmon", "Version": "conmon version 2.1.6"}}, "Version": "4.3.1"},
		containers: map[string]fakeContainer{
			"1": {limited, object{"cpu_stats": object{"cpu_usage": object{"total_usage": 5}, "system_cpu_usage": 9, "online_cpus": 2}, "precpu_stats": object{"cpu_usage": object{}}, "memory_stats": object{"usage": 40 << 20}}},
			"2": {unlimited, nil},
		},
	}
}

func TestReadEngine(t *testing.T) {
	e, err := dockerdiag.ReadEngine(t.Context(), podman().start(t), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	usage := &dockerdiag.Usage{CPUPercent: optional.Known(5.0 / 9 * 2 * 100), MemoryBytes: 40 << 20}
	want := &dockerdiag.Engine{
		Product: "Podman", Version: "4.3.1", CPUs: 2, MemoryBytes: 8_219_000_000, Storage: "overlay",
		Containers: []dockerdiag.Container{
			{Name: "free", Service: composefile.Service{Name: "free", Replicas: 1, NodeHeapMiB: optional.Known[int64](2048)}},
			{Name: "runner-1", Usage: usage, Service: composefile.Service{
				Name: "runner-1", Replicas: 1, MemoryLimitBytes: 3 << 30, ReservationBytes: 512 << 20, PidsLimit: 4096, FilesLimit: 1024, ProcessesLimit: 4096,
				TmpfsBytes: 512 << 20, NodeHeapMiB: optional.Known[int64](2048),
			}},
		},
	}
	if diff := cmp.Diff(want, e, cmp.Comparer(func(a, b optional.Value[int64]) bool { return a == b }),
		cmp.Comparer(func(a, b optional.Value[float64]) bool { return a == b })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadEngineErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	broken := desktop()
	broken.info = secret
	noJSON := desktop()
	noJSON.info = `{"NCPU": "` + secret + `"}`
	huge := desktop()
	huge.info = `{"x": "` + strings.Repeat("x", 9<<20) + `"}`
	hangs := desktop()
	hangs.hang = "/info"
	for name, tc := range map[string]struct{ socket, want string }{
		"no socket":   {filepath.Join(dir, "none.sock"), "there is no such socket"},
		"a file":      {file, "nothing listens on the socket"},
		"no engine":   {broken.start(t), "the engine's answer is not what an engine answers"},
		"other types": {noJSON.start(t), "the engine's answer is not what an engine answers"},
		"too long":    {huge.start(t), "the engine's answer is larger than 8 MiB"},
		"no answer":   {hangs.start(t), "no answer within 50ms"},
	} {
		t.Run(name, func(t *testing.T) {
			timeout := time.Minute
			if name == "no answer" {
				timeout = 50 * time.Millisecond
			}
			_, err := dockerdiag.ReadEngine(t.Context(), tc.socket, timeout)
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
}

// An engine that says nothing of itself leaves it unknown.
func TestSilentEngine(t *testing.T) {
	r, err := dockerdiag.Diagnose(t.Context(), dockerdiag.Options{Socket: fakeEngine{info: object{}, version: object{}}.start(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"cpus", "memory", "memory-limits", "file-sharing", "storage-driver"} {
		if got := check(t, r, id); !strings.HasPrefix(got, "unknown ") {
			t.Errorf("%s: %s", id, got)
		}
	}
}

// A container that goes while it is asked about, or whose usage does not come in
// time, does not stop the rest.
func TestSlowContainers(t *testing.T) {
	e := desktop()
	e.containers["runner-a-1"] = fakeContainer{} // 404
	e.hang = "/containers/runner-a-2/stats"
	got, err := dockerdiag.ReadEngine(t.Context(), e.start(t), 500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Containers) != 9 || got.Skipped != 0 {
		t.Fatalf("%d containers, %d skipped", len(got.Containers), got.Skipped)
	}
	if c := got.Containers[0]; c.Name != "runner-a-2" || c.Usage != nil || c.Service.MemoryLimitBytes != 3<<30 {
		t.Errorf("%+v", c)
	}
	if c := got.Containers[1]; c.Usage == nil {
		t.Errorf("%+v", c)
	}
}

// TestRefusedContainers: a container that the engine lists and does not show may
// have no limit, so nothing is said of all of them.
func TestRefusedContainers(t *testing.T) {
	for name, tc := range map[string]struct {
		refused int
		want    string
	}{
		"none":    {0, "ok every container has one"},
		"one":     {1, "unknown one running container was not looked at, so whether all have a limit is not known"},
		"several": {2, "unknown 2 running containers were not looked at, so whether all have a limit is not known"},
		"all":     {10, "unknown 10 running containers were not looked at, so whether all have a limit is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			e := desktop()
			refused := 0
			for id, c := range e.containers {
				if refused < tc.refused {
					c.inspect = "no JSON " + secret
					e.containers[id] = c
					refused++
				}
			}
			r, err := dockerdiag.Diagnose(t.Context(), dockerdiag.Options{Socket: e.start(t)})
			if err != nil {
				t.Fatal(err)
			}
			if got := check(t, r, "memory-limits"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			var doc strings.Builder
			if err := r.JSON(&doc); err != nil || !strings.Contains(doc.String(), fmt.Sprintf(`"containers_skipped": %d`, tc.refused)) {
				t.Errorf("%v: %s", err, doc.String())
			}
		})
	}
}

// TestAbsurdStats: counters that come to infinity or to nothing are not known,
// and the report is JSON all the same.
func TestAbsurdStats(t *testing.T) {
	counters := func(cpu, before, system, systemBefore, online any) object {
		return object{
			"cpu_stats":    object{"cpu_usage": object{"total_usage": cpu}, "system_cpu_usage": system, "online_cpus": online},
			"precpu_stats": object{"cpu_usage": object{"total_usage": before}, "system_cpu_usage": systemBefore},
			"memory_stats": object{"usage": 40 << 20},
		}
	}
	for name, tc := range map[string]struct {
		stats object
		want  string
	}{
		"infinite":      {counters(1e308, 0, 1e-300, 0, 1e300), "null"},
		"no number":     {counters(1e308, -1e308, 1e308, -1e308, 1), "null"},
		"only too much": {counters(1e12, 0, 1, 0, 16), "null"},
		"none":          {counters(0, 0, 1, 0, 16), "0"},
		"all of it":     {counters(100, 0, 100, 0, 16), "1600"},
	} {
		t.Run(name, func(t *testing.T) {
			e := desktop()
			e.containers = map[string]fakeContainer{"a": {inspect("a", "", 1<<30, nil), tc.stats}}
			r, err := dockerdiag.Diagnose(t.Context(), dockerdiag.Options{Socket: e.start(t)})
			if err != nil {
				t.Fatal(err)
			}
			var doc, text strings.Builder
			if err := r.JSON(&doc); err != nil {
				t.Fatal(err)
			}
			if err := r.Text(&text); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(doc.String(), `"cpu_percent": `+tc.want+",") || !strings.Contains(doc.String(), `"memory_bytes": 41943040`) {
				t.Errorf("want %s in %s", tc.want, doc.String())
			}
			if strings.Contains(text.String(), "Inf") || strings.Contains(text.String(), "NaN") {
				t.Error(text.String())
			}
		})
	}
}

// TestAdviceIsNoFault: too few CPUs are advice, which is no cross.
func TestAdviceIsNoFault(t *testing.T) {
	e := desktop()
	for id := range e.containers {
		if strings.HasPrefix(id, "runner-b") {
			delete(e.containers, id) // five in all never run out of memory
		}
	}
	e.info.(object)["NCPU"] = 4
	r, err := dockerdiag.Diagnose(t.Context(), dockerdiag.Options{Socket: e.start(t)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := check(t, r, "cpus"), "unknown 4, enough for 3 runners at about 1.6 each, and 5 are to run."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if r.Faults() != 0 || len(r.Findings) != 1 || r.Findings[0].Rule != "docker-cpu" {
		t.Errorf("%d faults, %v", r.Faults(), r.Findings)
	}
}

func TestManyContainers(t *testing.T) {
	e := desktop()
	for i := range 200 {
		name := fmt.Sprintf("c%03d", i)
		e.containers[name] = fakeContainer{inspect(name, "", 1<<30, nil), stats(0, 1<<20, 0)}
	}
	got, err := dockerdiag.ReadEngine(t.Context(), e.start(t), time.Minute)
	if err != nil || len(got.Containers) != 100 || got.Skipped != 110 {
		t.Errorf("%d containers, %d skipped, %v", len(got.Containers), got.Skipped, err)
	}
}

func TestSocketPaths(t *testing.T) {
	for name, tc := range map[string]struct {
		host, home, runtime string
		want                []string
		ok                  bool
	}{
		"as usual":     {"", "/home/x", "/run/user/1000", []string{"/home/x/.docker/run/docker.sock", "/var/run/docker.sock", "/run/user/1000/podman/podman.sock", "/run/podman/podman.sock"}, true},
		"nothing set":  {"", "", "", []string{"/var/run/docker.sock", "/run/podman/podman.sock"}, true},
		"DOCKER_HOST":  {"unix:///tmp/x.sock", "/home/x", "", []string{"/tmp/x.sock"}, true},
		"another host": {"tcp://" + secret + ":2375", "/home/x", "", nil, false},
		"no path":      {"unix://", "/home/x", "", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := dockerdiag.SocketPaths(tc.host, tc.home, tc.runtime)
			if diff := cmp.Diff(tc.want, got); diff != "" || ok != tc.ok {
				t.Errorf("%v, %s", ok, diff)
			}
		})
	}
}
