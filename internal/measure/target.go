package measure

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Target is a device or a file that is open for reading.
type Target struct {
	reader io.ReaderAt
	closer io.Closer
	size   int64
	// CacheNote says why the page cache is not bypassed; empty if it is.
	CacheNote string
}

// Size in bytes.
func (t *Target) Size() int64 { return t.size }

// Close closes the target.
func (t *Target) Close() error { return t.closer.Close() }

// Errors of Open. Their texts go after the path.
var (
	ErrNotFound   = errors.New("there is no such file or device")
	ErrPermission = errors.New("no permission to read it; devices are for root (sudo)")
	ErrDirectory  = errors.New("is a directory; name a device, or a large file in it")
	ErrNoDisk     = errors.New("is neither a disk nor a file")
	ErrEmpty      = errors.New("is empty")
)

// SizeError says that a target is too small for a measurement.
type SizeError struct{ Size, Needed int64 }

// Error goes after the path.
func (e *SizeError) Error() string {
	size := units.Count(e.Size) + " bytes"
	if e.Size == 1 {
		size = "1 byte"
	}
	return fmt.Sprintf("has %s, too few for a measurement: every stream needs a MiB of its own, %s MiB in all", size, units.Count(e.Needed/BlockBytes))
}

// Open opens a device or a file for reading and for nothing else, past the page
// cache where the system allows it. Anything that is not a disk or a file is
// refused before it is opened, because opening a pipe waits and opening a tape
// rewinds.
func Open(path string) (*Target, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, reason(err)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return nil, ErrDirectory
	case mode.IsRegular():
		if info.Size() == 0 {
			return nil, ErrEmpty
		}
	case !isDisk(mode):
		return nil, ErrNoDisk
	}
	f, note, err := openUncached(path)
	if err != nil {
		return nil, reason(err)
	}
	size := info.Size()
	if !info.Mode().IsRegular() {
		if size, err = deviceSize(f); err != nil || size == 0 {
			_ = f.Close()
			return nil, errors.Join(ErrEmpty, err)
		}
	}
	return &Target{reader: f, closer: f, size: size, CacheNote: note}, nil
}

// isDisk says whether a special file is a disk: a block device, and on macOS
// the raw device of one, which is a character device.
func isDisk(mode fs.FileMode) bool {
	if mode&fs.ModeDevice == 0 {
		return false
	}
	return mode&fs.ModeCharDevice == 0 || runtime.GOOS == "darwin"
}

// reason is the cause of an error of the system in words, without the path that
// Go puts in front.
func reason(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNotFound
	case errors.Is(err, fs.ErrPermission):
		return ErrPermission
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
