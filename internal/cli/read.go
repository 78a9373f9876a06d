package cli

import (
	"context"
	"errors"
	"io"
	"os"
)

// errNotRegular is for what has no end of its own or waits for a writer: a
// named pipe, a device, a socket.
var errNotRegular = errors.New("not a regular file; to read a pipe, write - and redirect it to standard input")

var errDirectory = errors.New("a directory, not a file")

// openRegular opens a file to read it. What is no regular file is refused
// before it is opened, because opening a named pipe waits for its writer.
func openRegular(name string) (*os.File, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errDirectory
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	}
	return os.Open(name)
}

// interruptible is a reader whose Read returns when ctx ends, also while it
// waits for standard input. The read that was under way then is left behind;
// the process is about to end.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	return &interruptibleReader{ctx: ctx, r: r}
}

type interruptibleReader struct {
	ctx     context.Context //nolint:containedctx // io.Reader has no place for it
	r       io.Reader
	pending []byte
	err     error
}

func (i *interruptibleReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(i.pending) == 0 {
		if i.err != nil {
			return 0, i.err
		}
		if i.err = i.ctx.Err(); i.err != nil {
			return 0, i.err
		}
		type result struct {
			b   []byte
			err error
		}
		const most = 64 << 10
		done := make(chan result, 1)
		go func() {
			b := make([]byte, min(len(p), most)) // not p, which is the caller's again after an interrupt
			n, err := i.r.Read(b)
			done <- result{b[:n], err}
		}()
		select {
		case <-i.ctx.Done():
			i.err = i.ctx.Err()
			return 0, i.err
		case got := <-done:
			i.pending, i.err = got.b, got.err
		}
	}
	n := copy(p, i.pending)
	if i.pending = i.pending[n:]; n == 0 {
		return 0, i.err
	}
	return n, nil
}
