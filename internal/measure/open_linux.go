package measure

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
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
	if number, ok := deviceNumber(f); ok {
		return loopNote("/sys/dev/block", number)
	}
	return ""
}

// deviceNumber is "7:0" for a block device. A device is known by its number and
// not by its name, which may be a link or anything else.
func deviceNumber(f *os.File) (string, bool) {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeDevice == 0 || info.Mode()&os.ModeCharDevice != 0 {
		return "", false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", false
	}
	return fmt.Sprintf("%d:%d", unix.Major(s.Rdev), unix.Minor(s.Rdev)), true
}

// loopNote says that a loop device, or a partition of one, reads its file
// through the page cache, which it does unless it was set up with direct I/O.
// sys is where the kernel shows devices by their numbers.
func loopNote(sys, number string) string {
	device, err := filepath.EvalSymlinks(filepath.Join(sys, number))
	if err != nil {
		return ""
	}
	for _, dir := range []string{device, filepath.Dir(device)} { // a partition's folder is in that of its disk
		if dio, err := os.ReadFile(filepath.Join(dir, "loop", "dio")); err == nil && strings.TrimSpace(string(dio)) == "0" {
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
