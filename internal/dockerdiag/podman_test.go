package dockerdiag_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerdiag"
)

// Podman's real compatible API, where there is a Podman.
func TestPodman(t *testing.T) {
	podman, err := exec.LookPath("podman")
	if err != nil {
		t.Skip("podman is not on PATH")
	}
	dir, err := os.MkdirTemp("", "podman") //nolint:usetesting // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "podman.sock")
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	// A storage of its own, so that nobody's containers are in it.
	cmd := exec.CommandContext(ctx, podman, "--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs",
		"system", "service", "--time=0", "unix://"+socket)
	if err := cmd.Start(); err != nil {
		t.Skipf("podman does not start here: %v", err)
	}
	defer func() { stop(); _ = cmd.Wait() }()
	if !listens(ctx, socket) {
		t.Skip("podman does not serve here")
	}
	e, err := dockerdiag.ReadEngine(ctx, socket, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if e.Product != "Podman" || e.Version == "" || e.CPUs < 1 || e.MemoryBytes < 1<<20 || e.Storage != "vfs" || e.Desktop || len(e.Containers) != 0 {
		t.Errorf("%+v", e)
	}
}

// listens waits until somebody listens on a socket.
func listens(ctx context.Context, socket string) bool {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range 400 {
		if c, err := new(net.Dialer).DialContext(ctx, "unix", socket); err == nil {
			_ = c.Close()
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return false
}
