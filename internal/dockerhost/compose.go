package dockerhost

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
)

// Limits of a container that do not depend on the host, as they held for
// vitest: each worker opens many files, and a runaway test must not fill the
// VM's table of processes.
const (
	pidsLimit        = 4096
	filesLimit       = 65536
	processesLimit   = 4096
	reservationBytes = 512 << 20
)

// defaultImage is the image that GitHub publishes. It does not register itself,
// so a fleet has an image of its own on top of it.
const defaultImage = "ghcr.io/actions/actions-runner:latest"

// Compose is what a Compose file of runners is written from.
type Compose struct {
	// Organizations that get a service each, of Replicas containers.
	Organizations, Replicas int
	MemoryLimitBytes        int64
	TmpfsMiB                int64
	NodeHeapMiB             int64 // 0: not set
	VitestThreads           int64
}

// YAML is the Compose file: a service an organisation, every one with all
// limits. It has been read back, so it says what was meant. The number of
// containers comes from REPLICAS, so that a smaller VM needs another .env and
// not another file. Credentials are not in it: each organisation's go into a
// file of its own, which is not there yet.
func (c Compose) YAML() (string, error) {
	var b strings.Builder
	b.WriteString(composeHeader)
	for i := range c.Organizations {
		c.writeService(&b, i+1)
	}
	if err := c.check(b.String()); err != nil {
		return "", fmt.Errorf("the Compose file that was written does not read back: %w", err)
	}
	return b.String(), nil
}

const composeHeader = `# .env beside this file sets REPLICAS, the runners of each organisation, and
# RUNNER_IMAGE, an image that registers its runner. What it registers with
# (organisation, token) goes into org1.env and so on, which are not written here.
name: runners
services:
`

// DotEnv is the .env file for the Compose file.
func (c Compose) DotEnv() string {
	return fmt.Sprintf("REPLICAS=%d\nRUNNER_IMAGE=%s\n", c.Replicas, defaultImage)
}

// writeService writes the service of an organisation. No folder of the Mac is
// mounted: job files stay in the container, on the VM's own disk, which file
// sharing does not slow down.
func (c Compose) writeService(w io.Writer, n int) {
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	line("  runner-org%d:", n)
	line("    restart: unless-stopped")
	line("    scale: ${REPLICAS:-%d}", c.Replicas)
	line("    environment:")
	if c.NodeHeapMiB > 0 {
		line("      NODE_OPTIONS: --max-old-space-size=%d", c.NodeHeapMiB)
	}
	line("      VITEST_MAX_THREADS: %q", strconv.FormatInt(c.VitestThreads, 10))
	line("    env_file:")
	line("      - path: org%d.env", n)
	line("        required: false")
	line("    image: ${RUNNER_IMAGE:-%s}", defaultImage)
	line("    mem_limit: %s", byteSize(c.MemoryLimitBytes))
	line("    mem_reservation: %s", byteSize(min(reservationBytes, c.MemoryLimitBytes)))
	line("    pids_limit: %d", pidsLimit)
	if c.TmpfsMiB > 0 {
		line("    tmpfs:")
	}
	// Two to one, as it was measured: 512 MiB for /tmp and 256 for /dev/shm.
	shm := c.TmpfsMiB / 3
	for _, mount := range []struct {
		path string
		mib  int64
	}{{"/tmp", c.TmpfsMiB - shm}, {"/dev/shm", shm}} {
		if mount.mib > 0 {
			line("      - %s:size=%dm,mode=1777,nosuid,nodev", mount.path, mount.mib)
		}
	}
	line("    ulimits:")
	line("      nofile:")
	line("        soft: %d", filesLimit)
	line("        hard: %d", filesLimit)
	line("      nproc: %d", processesLimit)
}

// byteSize is a number of bytes in the largest unit in which it is whole, as
// Compose reads it: its "g" is a GiB.
func byteSize(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 30, "g"}, {1 << 20, "m"}, {1 << 10, "k"}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "b"
}

// check reads a written file and compares what arrives with what was meant.
func (c Compose) check(text string) error {
	services, err := composefile.Read(context.Background(), "compose.yaml", []byte(text), nil)
	if err != nil {
		return err
	}
	if len(services) != c.Organizations {
		return fmt.Errorf("%d services instead of %d", len(services), c.Organizations)
	}
	for _, s := range services {
		if s.Replicas != int64(c.Replicas) || s.MemoryLimitBytes != c.MemoryLimitBytes || s.TmpfsBytes != c.TmpfsMiB<<20 ||
			s.PidsLimit != pidsLimit || s.FilesLimit != filesLimit || s.ProcessesLimit != processesLimit {
			return fmt.Errorf("service %s lost a limit", s.Name)
		}
	}
	return nil
}
