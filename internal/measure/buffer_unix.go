//go:build unix

package measure

import "syscall"

// alignedBuffer is memory that starts at a page, which direct I/O needs; the Go
// heap promises nothing of the kind.
func alignedBuffer(size int) (b []byte, release func(), err error) {
	b, err = syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return b, func() { _ = syscall.Munmap(b) }, nil
}
