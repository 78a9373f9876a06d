//go:build unix

package terraform

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock waits until no other process has the lock. It is gone with the process,
// however that ends.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.FcntlFlock(f.Fd(), unix.F_SETLKW, &unix.Flock_t{Type: unix.F_WRLCK}); err != nil {
		_ = f.Close() // The error that matters is the lock's.
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return func() { _ = f.Close() }, nil // Nothing was written.
}
