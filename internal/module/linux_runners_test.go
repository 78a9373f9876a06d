package module

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// linuxBench is a Linux host with 32 GiB and two directories of a job.
func linuxBench(t *testing.T) (b *bench, env []string) {
	t.Helper()
	mounted := `grep -qxF "$2" "$BENCH/mounted" 2>/dev/null`
	b = newBench(t, map[string]string{
		"modprobe": `[ ! -e "$BENCH/no-zram" ]`, "mkswap": "", "sysctl": "",
		"zramctl":    "echo /dev/zram0",
		"swapon":     `echo "/dev/zram0 partition 33554432 0 100" >>"$BENCH/swaps"`,
		"systemctl":  `[ "$1" != is-active ] || [ "$3" != docker.socket ]`,
		"mountpoint": mounted,
		"mount":      `for at in "$@"; do :; done; [ "$at" != "$(cat "$BENCH/broken" 2>/dev/null)" ] && echo "$at" >>"$BENCH/mounted"`,
		"umount":     `grep -vxF "$1" "$BENCH/mounted" >"$BENCH/left"; mv "$BENCH/left" "$BENCH/mounted"`,
	})
	b.write("meminfo", "MemTotal:       33554432 kB\nMemFree:        1024 kB\n", 0o600)
	b.write("swaps", "Filename Type Size Used Priority\n", 0o600)
	b.write("home/runner/run.sh", "run", 0o750)
	b.write("docker/.hidden", "x", 0o600)
	if err := os.Chmod(b.path("home/runner"), 0o711); err != nil {
		t.Fatal(err)
	}
	return b, []string{
		"JOB_DISK_DIRECTORIES=" + b.path("home/runner") + " " + b.path("docker"),
		"JOB_DISK_MEMINFO=" + b.path("meminfo"), "JOB_DISK_SWAPS=" + b.path("swaps"), "JOB_DISK_MOUNT_POINT=" + b.path("tmpfs"),
	}
}

const jobDisk = "linux-runners/job-disk.sh"

// inFolder shortens the calls by the folder's name.
func (b *bench) inFolder(calls []string) []string {
	var out []string
	for _, c := range calls {
		if !strings.HasPrefix(c, "mountpoint ") && !strings.HasPrefix(c, "systemctl is-active") {
			c = strings.ReplaceAll(c, strings.ReplaceAll(strings.TrimPrefix(b.dir, "/"), "/", "-"), "DIR")
			out = append(out, strings.ReplaceAll(c, b.dir, "DIR"))
		}
	}
	return out
}

func TestJobDisk(t *testing.T) {
	t.Parallel()
	b, env := linuxBench(t)
	log, calls, code := b.run(jobDisk, env...)
	want := []string{
		"modprobe zram", "zramctl --find --size 33554432KiB --algorithm zstd", "mkswap /dev/zram0", "swapon --priority 100 /dev/zram0",
		"sysctl -q -w vm.swappiness=150 vm.page-cluster=0",
		"systemctl stop docker.service", "systemctl stop containerd.service",
		"mount -t tmpfs -o size=50331648k,mode=0755 job-disk DIR/tmpfs",
		"mount --bind DIR/tmpfs/DIR-home-runner DIR/home/runner", "mount --bind DIR/tmpfs/DIR-docker DIR/docker",
		"systemctl start containerd.service docker.service",
	}
	if diff := cmp.Diff(want, b.inFolder(calls)); diff != "" || code != 0 {
		t.Errorf("exit code %d, calls (-want +got):\n%s\n%s", code, diff, log)
	}
	if !strings.Contains(log, "at most 49152 MiB, swap 32768 MiB before compression") {
		t.Errorf("it says %s", log)
	}
	// What was there is in memory, with its modes, hidden files too.
	copies, _ := filepath.Glob(b.path("tmpfs", "*runner", "run.sh")) // The pattern is fine.
	if len(copies) != 1 {
		t.Fatalf("copies are %q", copies)
	}
	if info, err := os.Stat(copies[0]); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("the copy is %v, %v", info, err)
	}
	// The directory itself, too: /tmp has to stay open to all.
	if info, err := os.Stat(filepath.Dir(copies[0])); err != nil || info.Mode().Perm() != 0o711 {
		t.Errorf("the copy of the directory is %v, %v", info, err)
	}
	if hidden, _ := filepath.Glob(b.path("tmpfs", "*docker", ".hidden")); len(hidden) != 1 { // The pattern is fine.
		t.Error("hidden files stayed behind")
	}

	// Run again, it changes nothing.
	log, calls, code = b.run(jobDisk, env...)
	if got := b.inFolder(calls); code != 0 || len(got) != 0 {
		t.Errorf("exit code %d, calls %q\n%s", code, got, log)
	}
}

func TestJobDiskOtherSizes(t *testing.T) {
	t.Parallel()
	b, env := linuxBench(t)
	_, calls, code := b.run(jobDisk, append(env, "JOB_DISK_LIMIT_PERCENT=80", "JOB_DISK_ZRAM_PERCENT=0")...)
	got := b.inFolder(calls)
	if code != 0 || !slices.Contains(got, "mount -t tmpfs -o size=26843545k,mode=0755 job-disk DIR/tmpfs") || slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, "zram") }) {
		t.Errorf("exit code %d, calls %q", code, got)
	}
	b, env = linuxBench(t)
	b.write("swaps", "/dev/zram0 partition 1 0 100\n", 0o600) // of the image's own
	if _, calls, code = b.run(jobDisk, env...); code != 0 || slices.Contains(b.inFolder(calls), "modprobe zram") {
		t.Errorf("exit code %d, a second swap: %q", code, calls)
	}
}

// Whatever fails, the directories are on the disk as before and Docker runs.
func TestJobDiskFailures(t *testing.T) {
	t.Parallel()
	t.Run("no zram", func(t *testing.T) {
		t.Parallel()
		b, env := linuxBench(t)
		b.write("no-zram", "", 0o600)
		log, calls, code := b.run(jobDisk, env...)
		if got := b.inFolder(calls); code == 0 || !slices.Equal(got, []string{"modprobe zram"}) || !strings.Contains(log, "the job's files stay on the disk") {
			t.Errorf("exit code %d, calls %q\n%s", code, got, log)
		}
	})
	t.Run("a mount", func(t *testing.T) {
		t.Parallel()
		b, env := linuxBench(t)
		b.write("broken", b.path("third"), 0o600)
		log, calls, code := b.run(jobDisk, append(env, "JOB_DISK_DIRECTORIES="+b.path("home/runner")+" "+b.path("docker")+" "+b.path("third"))...)
		got := b.inFolder(calls)
		if want := []string{"umount DIR/docker", "umount DIR/home/runner", "umount DIR/tmpfs", "systemctl start containerd.service docker.service"}; code == 0 || !slices.Equal(got[len(got)-4:], want) || b.read("mounted") != "" {
			t.Errorf("exit code %d, calls %q\n%s", code, got, log)
		}
	})
	t.Run("no memory", func(t *testing.T) {
		t.Parallel()
		b, env := linuxBench(t)
		b.write("meminfo", "MemFree: 1 kB\n", 0o600)
		if log, calls, code := b.run(jobDisk, env...); code != 1 || len(calls) != 0 || !strings.Contains(log, "there is no MemTotal") {
			t.Errorf("exit code %d, calls %q\n%s", code, calls, log)
		}
	})
}

func TestLinuxRunnersGolden(t *testing.T) {
	for name, change := range map[string]func(*LinuxRunners){
		"linux-runners": func(*LinuxRunners) {},
		"linux-runners-tmpfs": func(k *LinuxRunners) {
			k.Name, k.InstanceType, k.Disk, k.RootSizeGiB, k.ThroughputMiBPerS = "builds", "r8g.xlarge", DiskTmpfs, 60, 250
		},
	} {
		k := NewLinuxRunners()
		change(k)
		files, err := Generate(k)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, files)
		golden(t, name, files)
	}
}

func TestLinuxRunnersRefused(t *testing.T) {
	t.Parallel()
	refusedOptions(t, map[string]struct {
		change func(*LinuxRunners)
		want   string
	}{
		"no name":             {func(k *LinuxRunners) { k.Name = "" }, "--name: must not be empty"},
		"an unknown type":     {func(k *LinuxRunners) { k.InstanceType = "m8a.2xlage" }, "--instance-type: no such instance type"},
		"a Mac":               {func(k *LinuxRunners) { k.InstanceType = "mac2.metal" }, "--instance-type: mac2.metal is a Mac; use the kind mac-fleet"},
		"another disk":        {func(k *LinuxRunners) { k.Disk = "gp2" }, "--disk: must be gp3 or tmpfs"},
		"no size":             {func(k *LinuxRunners) { k.RootSizeGiB = 0 }, "--root-size-gib: must be"},
		"too little":          {func(k *LinuxRunners) { k.ThroughputMiBPerS = 100 }, "--throughput-mib-per-s: must be 125 to 2000"},
		"more than it can":    {func(k *LinuxRunners) { k.InstanceType, k.ThroughputMiBPerS = "m8a.large", 2000 }, "--throughput-mib-per-s: "},
		"too small for speed": {func(k *LinuxRunners) { k.InstanceType, k.RootSizeGiB, k.ThroughputMiBPerS = "m8a.24xlarge", 4, 2000 }, "--throughput-mib-per-s: "},
	}, NewLinuxRunners)
}
