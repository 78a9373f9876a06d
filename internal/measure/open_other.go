//go:build !linux && !darwin

package measure

import (
	"io"
	"os"
)

// openUncached opens without more: there is no portable way past the cache.
func openUncached(path string) (f *os.File, cacheNote string, err error) {
	f, err = os.OpenFile(path, os.O_RDONLY, 0)
	return f, "the page cache is bypassed on Linux and macOS only, so repeated reads may come from memory", err
}

func deviceSize(f *os.File) (int64, error) { return f.Seek(0, io.SeekEnd) }
