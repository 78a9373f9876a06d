package measure

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// openUncached sets F_NOCACHE: reads do not fill the cache, but what is in it
// already still comes from memory. A raw device (/dev/rdiskN) has no cache.
func openUncached(path string) (f *os.File, cacheNote string, err error) {
	f, err = os.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, "", err
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_NOCACHE, 1); err != nil {
		return f, "the system did not turn its cache off, so repeated reads may come from memory", nil //nolint:nilerr // it can be measured all the same
	}
	return f, "", nil
}

// The requests of <sys/disk.h>: the size of a block, and how many there are.
const (
	dkiocGetBlockSize  = 0x40046418 // _IOR('d', 24, uint32_t)
	dkiocGetBlockCount = 0x40086419 // _IOR('d', 25, uint64_t)
)

// deviceSize is asked for: the end of a raw device cannot be sought.
func deviceSize(f *os.File) (int64, error) {
	size, err := unix.IoctlGetInt(int(f.Fd()), dkiocGetBlockSize)
	if err != nil {
		return 0, err
	}
	count, err := unix.IoctlGetInt(int(f.Fd()), dkiocGetBlockCount)
	if err != nil {
		return 0, err
	}
	if size <= 0 || count <= 0 || int64(count) > math.MaxInt64/int64(size) {
		return 0, nil
	}
	return int64(count) * int64(size), nil
}
