//go:build unix

package cli

import (
	"io/fs"
	"os"
	"syscall"
)

// hasOtherNames says whether a file has hard links.
func hasOtherNames(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}

// keepOwner gives a file the owner and the group of another.
func keepOwner(name string, of fs.FileInfo) bool {
	want, ok := of.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	if now, ok := info.Sys().(*syscall.Stat_t); ok && now.Uid == want.Uid && now.Gid == want.Gid {
		return true
	}
	return os.Lchown(name, int(want.Uid), int(want.Gid)) == nil
}
