package measure

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// asNobody runs as a user that may read nothing: root may read everything. It
// changes the user of one thread, which then is not used for anything else.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		const nobody = 65534
		err := syscall.Setfsuid(nobody)
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestNoPermission(t *testing.T) {
	file := write(t, 32<<20)
	if err := os.Chmod(file, 0); err != nil {
		t.Fatal(err)
	}
	// The folders on the way have to be open, or it would not even be found.
	for dir := filepath.Dir(file); strings.Contains(dir, t.Name()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	asNobody(t, func() {
		if _, err := Open(file); !errors.Is(err, ErrPermission) {
			t.Errorf("%v", err)
		}
	})
	// The twin: with permission it opens.
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		target, err := Open(file)
		if err != nil {
			t.Errorf("%v", err)
			return
		}
		_ = target.Close()
	})
}

func TestPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(pipe); !errors.Is(err, ErrNoDisk) {
		t.Errorf("%v", err)
	}
}

// TestLoopNote: a loop device is known by its number, whatever the name it was
// opened by; a partition of one is, too.
func TestLoopNote(t *testing.T) {
	sys := t.TempDir()
	for dir, dio := range map[string]string{
		"devices/block/loop0": "0\n", "devices/block/loop1": "1\n", "devices/block/sda": "",
	} {
		if err := os.MkdirAll(filepath.Join(sys, dir, "loop"), 0o700); err != nil {
			t.Fatal(err)
		}
		if dio == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(sys, dir, "loop", "dio"), []byte(dio), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for number, device := range map[string]string{"7:0": "loop0", "7:1": "loop1", "8:0": "sda", "259:0": "loop0/loop0p1"} {
		device = filepath.Join(sys, "devices/block", device)
		if err := os.MkdirAll(device, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(device, filepath.Join(sys, number)); err != nil {
			t.Fatal(err)
		}
	}
	for number, want := range map[string]bool{"7:0": true, "259:0": true, "7:1": false, "8:0": false, "1:1": false} {
		if got := loopNote(sys, number); strings.Contains(got, "page cache") != want {
			t.Errorf("%s: %q", number, got)
		}
	}
}

// TestDeviceNumber: the number is the device's through any link to it.
func TestDeviceNumber(t *testing.T) {
	dir := t.TempDir()
	device, link := filepath.Join(dir, "device"), filepath.Join(dir, "any-name")
	const loop0 = 7 << 8
	if err := syscall.Mknod(device, syscall.S_IFBLK|0o600, loop0); err != nil {
		t.Skipf("no device can be made here: %v", err)
	}
	if err := os.Symlink(device, link); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(link, os.O_RDONLY, 0)
	if err != nil {
		t.Skipf("no loop device can be opened here: %v", err)
	}
	defer f.Close()
	if got, ok := deviceNumber(f); !ok || got != "7:0" {
		t.Errorf("%s %v", got, ok)
	}
}
