//go:build !unix

package measure

// alignedBuffer is plain memory: there is no direct I/O here that needs more.
func alignedBuffer(size int) (b []byte, release func(), err error) {
	return make([]byte, size), func() {}, nil
}
