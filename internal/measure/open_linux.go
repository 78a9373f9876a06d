package measure

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// openUncached opens with O_DIRECT, which file systems in memory do not have.
// Some take the flag and refuse the first read, so one is tried.
func openUncached(path string) (f *os.File, cacheNote string, err error) {
	f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECT, 0)
	if err == nil {
		if err = tryRead(f); err == nil {
			return f, memoryNote(f), nil
		}
		_ = f.Close()
	}
	if !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return nil, "", err
	}
	f, err = os.OpenFile(path, os.O_RDONLY, 0)
	return f, "the file system has no direct I/O, so the page cache takes part and repeated reads may come from memory", err
}

// Magic numbers of file systems in memory (statfs(2)). Newer kernels let them
// have O_DIRECT, which changes nothing.
const (
	tmpfsMagic = 0x01021994
	ramfsMagic = 0x858458f6
)

// memoryNote says what stays in memory all the same.
func memoryNote(f *os.File) string {
	var s syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &s); err == nil && isRegular(f) && (uint32(s.Type) == tmpfsMagic || uint32(s.Type) == ramfsMagic) { //nolint:gosec // magic numbers have 32 bits
		return "the file is in memory, not on a disk"
	}
	// A loop device reads its file through the page cache, unless it was set up with
	// direct I/O.
	if name := filepath.Base(f.Name()); strings.HasPrefix(name, "loop") {
		if dio, err := os.ReadFile("/sys/block/" + name + "/loop/dio"); err == nil && strings.TrimSpace(string(dio)) == "0" {
			return "a loop device reads its file through the page cache (losetup --direct-io=on keeps it from that)"
		}
	}
	return ""
}

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

func tryRead(f *os.File) error {
	b, release, err := alignedBuffer(BlockBytes)
	if err != nil {
		return err
	}
	defer release()
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// deviceSize is the size of a block device, which is where its end is.
func deviceSize(f *os.File) (int64, error) { return f.Seek(0, io.SeekEnd) }
