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
