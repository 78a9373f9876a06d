package dockerdiag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// Engine is what an engine's API says. Podman's compatible API says the same in
// almost the same words.
type Engine struct {
	// Product and Version, "Docker Desktop 4.36.0 (175267)" and "27.3.1".
	Product, Version string
	// Desktop says that it is Docker Desktop, whose containers run in a VM.
	Desktop     bool
	CPUs        int64
	MemoryBytes int64
	Storage     string // "overlayfs"
	Containerd  bool   // images are kept by containerd
	Containers  []Container
	// Skipped containers are more than are looked at, or could not be.
	Skipped int
}

// Container is a running container.
type Container struct {
	Name string
	// Service of its Compose file, or its own name.
	Service composefile.Service
	// Usage is nil if the engine did not tell in time.
	Usage *Usage
}

// Usage of a container at one moment.
type Usage struct {
	// CPUPercent of one CPU; null where the engine's counters make no sense.
	CPUPercent optional.Value[float64]
	// MemoryBytes without what can be dropped at any time.
	MemoryBytes int64
}

const (
	maxResponseBytes = 8 << 20
	maxContainers    = 100
	parallelRequests = 8
	// maxCPUPercent is far more than any machine has: 10,000 CPUs.
	maxCPUPercent = 1e6
)

// client talks to an engine over its socket. There is no other way out: what
// it is asked never leaves the machine.
type client struct {
	http    *http.Client
	timeout time.Duration
}

func newClient(socket string, timeout time.Duration) *client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	return &client{
		http: &http.Client{
			Transport:     &http.Transport{DialContext: dial, DisableKeepAlives: true, Proxy: nil},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		timeout: timeout,
	}
}

// get asks one thing. Errors repeat nothing that the engine said.
func (c *client) get(ctx context.Context, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://engine"+path, nil)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return connection(err, c.timeout)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return statusError(resp.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxResponseBytes+1))
	switch {
	case err != nil:
		return connection(err, c.timeout)
	case len(b) > maxResponseBytes:
		return fmt.Errorf("the engine's answer is larger than %d MiB", maxResponseBytes>>20)
	case json.Unmarshal(b, into) != nil:
		return errors.New("the engine's answer is not what an engine answers")
	}
	return nil
}

// statusError is an answer that is none.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("the engine answers %d", int(e)) }

// connection says why there is no answer.
func connection(err error, timeout time.Duration) error {
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no answer within %s", timeout)
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such socket")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("no permission to use the socket")
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("nothing listens on the socket: the engine is not running")
	}
	return errors.New("the socket is not that of an engine")
}

// Answers of the API, as far as they are looked at.
type (
	infoAnswer struct {
		NCPU            int64
		MemTotal        int64
		Driver          string
		DriverStatus    [][]string
		OperatingSystem string
		ServerVersion   string
	}
	versionAnswer struct {
		Platform   struct{ Name string }
		Version    string
		Components []struct{ Name, Version string }
	}
	listAnswer []struct {
		ID    string `json:"Id"`
		Names []string
	}
	inspectAnswer struct {
		Name       string
		HostConfig struct {
			Memory, MemoryReservation, NanoCPUs int64
			PidsLimit                           *int64
			Ulimits                             []struct {
				Name       string
				Soft, Hard int64
			}
			Tmpfs map[string]string
		}
		Config struct {
			Env    []string
			Labels map[string]string
		}
		Mounts []struct{ Type, Destination string }
	}
	statsAnswer struct {
		CPU    cpuStats `json:"cpu_stats"`
		Before cpuStats `json:"precpu_stats"`
		Memory struct {
			Usage int64            `json:"usage"`
			Stats map[string]int64 `json:"stats"`
		} `json:"memory_stats"`
	}
	cpuStats struct {
		Usage struct {
			Total float64 `json:"total_usage"`
		} `json:"cpu_usage"`
		System float64 `json:"system_cpu_usage"`
		Online float64 `json:"online_cpus"`
	}
)

// ReadEngine asks an engine over its socket for what it is and what it runs.
// Every question has the timeout for itself. An error is about the engine as a
// whole; what is not told about a container is left out.
func ReadEngine(ctx context.Context, socket string, timeout time.Duration) (*Engine, error) {
	c := newClient(socket, timeout)
	var info infoAnswer
	if err := c.get(ctx, "/info", &info); err != nil {
		return nil, err
	}
	var list listAnswer
	if err := c.get(ctx, "/containers/json", &list); err != nil {
		return nil, err
	}
	e := &Engine{
		Product: printable(info.OperatingSystem), Version: printable(info.ServerVersion),
		Desktop: strings.Contains(info.OperatingSystem, "Docker Desktop"),
		CPUs:    info.NCPU, MemoryBytes: info.MemTotal, Storage: printable(info.Driver),
	}
	e.Containerd = slices.ContainsFunc(info.DriverStatus, func(pair []string) bool {
		return slices.ContainsFunc(pair, func(s string) bool { return strings.HasPrefix(s, "io.containerd.snapshotter") })
	})
	var version versionAnswer
	if c.get(ctx, "/version", &version) == nil {
		e.describe(version)
	}
	e.readContainers(ctx, c, list)
	return e, ctx.Err()
}

// describe takes the product from the version: Docker Desktop names itself as
// the platform, Podman as a component.
func (e *Engine) describe(v versionAnswer) {
	if e.Desktop && strings.HasPrefix(v.Platform.Name, "Docker Desktop") {
		e.Product = printable(v.Platform.Name)
	}
	for _, c := range v.Components {
		if strings.HasPrefix(c.Name, "Podman") {
			e.Product, e.Version = "Podman", printable(c.Version)
		}
	}
}

// readContainers asks about each container, several at a time, because the
// usage of one takes the engine a second or two.
func (e *Engine) readContainers(ctx context.Context, c *client, list listAnswer) {
	if len(list) > maxContainers {
		e.Skipped = len(list) - maxContainers
		list = list[:maxContainers]
	}
	found, gone := make([]*Container, len(list)), make([]bool, len(list))
	turns := make(chan struct{}, parallelRequests)
	var all sync.WaitGroup
	for i, l := range list {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			found[i], gone[i] = readContainer(ctx, c, l.ID)
		})
	}
	all.Wait()
	for i, f := range found {
		switch {
		case f != nil:
			e.Containers = append(e.Containers, *f)
		case !gone[i]:
			e.Skipped++
		}
	}
	slices.SortFunc(e.Containers, func(a, b Container) int { return strings.Compare(a.Name, b.Name) })
}

// readContainer is nil for a container of which the engine does not tell. gone
// says that it has ended since it was listed.
func readContainer(ctx context.Context, c *client, id string) (found *Container, gone bool) {
	var a inspectAnswer
	base := "/containers/" + url.PathEscape(id)
	if err := c.get(ctx, base+"/json", &a); err != nil {
		return nil, errors.Is(err, statusError(http.StatusNotFound))
	}
	name := printable(strings.TrimPrefix(a.Name, "/"))
	out := &Container{Name: name, Service: a.service(name)}
	var s statsAnswer
	if c.get(ctx, base+"/stats?stream=false", &s) == nil {
		out.Usage = s.usage()
	}
	return out, false
}

// composeService is the label in which Compose writes the service's name.
const composeService = "com.docker.compose.service"

func (a inspectAnswer) service(name string) composefile.Service {
	h := a.HostConfig
	s := composefile.Service{
		Name: name, Replicas: 1,
		MemoryLimitBytes: max(0, h.Memory), ReservationBytes: max(0, h.MemoryReservation),
		CPUs: float64(h.NanoCPUs) / 1e9,
	}
	if label := a.Config.Labels[composeService]; label != "" {
		s.Name = printable(label)
	}
	if h.PidsLimit != nil {
		s.PidsLimit = max(0, *h.PidsLimit) // -1 and 0 are no limit
	}
	for _, u := range h.Ulimits {
		switch strings.TrimPrefix(strings.ToLower(u.Name), "rlimit_") { // Podman's names
		case "nofile":
			s.FilesLimit = u.Soft
		case "nproc":
			s.ProcessesLimit = u.Soft
		}
	}
	for _, options := range h.Tmpfs {
		s.AddTmpfs(options)
	}
	for _, m := range a.Mounts {
		if m.Type == "bind" && !strings.HasSuffix(m.Destination, ".sock") {
			s.BindMounts = append(s.BindMounts, m.Destination)
		}
	}
	// Nothing of the environment is kept but this number.
	for _, e := range a.Config.Env {
		if options, ok := strings.CutPrefix(e, "NODE_OPTIONS="); ok {
			s.NodeHeapMiB = composefile.NodeHeap(options)
		}
	}
	return s
}

// usage is what "docker stats" shows: CPU as a share of one CPU, and memory
// without the page cache that can be dropped.
func (a statsAnswer) usage() *Usage {
	u := &Usage{MemoryBytes: max(0, a.Memory.Usage), CPUPercent: optional.Known(0.0)}
	cache, ok := a.Memory.Stats["inactive_file"] // cgroup v2
	if !ok {
		cache = a.Memory.Stats["total_inactive_file"] // v1
	}
	if cache > 0 && cache < u.MemoryBytes {
		u.MemoryBytes -= cache
	}
	cpu, system := a.CPU.Usage.Total-a.Before.Usage.Total, a.CPU.System-a.Before.System
	if cpu > 0 && system > 0 {
		u.CPUPercent = optional.Known(cpu / system * max(1, a.CPU.Online) * 100)
	}
	// Counters of another time or none at all can come to anything, infinity included.
	if percent, _ := u.CPUPercent.Get(); !(percent <= maxCPUPercent) {
		u.CPUPercent = optional.Null[float64]()
	}
	return u
}

// SocketPaths are where an engine listens, first choice first: what DOCKER_HOST
// names, Docker Desktop, the system's Docker, Podman. ok is false if DOCKER_HOST
// names something else than a socket of this machine.
func SocketPaths(dockerHost, home, runtimeDir string) (paths []string, ok bool) {
	if dockerHost != "" {
		path, isUnix := strings.CutPrefix(dockerHost, "unix://")
		if !isUnix || path == "" {
			return nil, false
		}
		return []string{path}, true
	}
	if home != "" {
		paths = append(paths, home+"/.docker/run/docker.sock")
	}
	paths = append(paths, "/var/run/docker.sock")
	if runtimeDir != "" {
		paths = append(paths, runtimeDir+"/podman/podman.sock")
	}
	return append(paths, "/run/podman/podman.sock"), true
}

// printable keeps control characters of what an engine says off the terminal,
// and long texts short.
func printable(s string) string {
	const most = 80
	runes := []rune(s)
	if len(runes) > most {
		runes = append(runes[:most], '…')
	}
	return string(slices.DeleteFunc(runes, func(r rune) bool { return r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) }))
}
