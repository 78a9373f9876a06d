//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
)

// Whoever interrupts a command that waits for standard input gets the shell
// back.
func TestInterruptedStdin(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"labels", "-"}, {"audit", "-"}, {"diagnose", "iostat", "-"}, {"diagnose", "cache-log"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			in, w := io.Pipe()
			defer func() { _ = w.Close() }()
			ctx, cancel := context.WithCancel(t.Context())
			code := make(chan int, 1)
			var out, errs bytes.Buffer
			go func() { code <- cli.Run(ctx, "1.2.3", args, in, &out, &errs) }()
			time.Sleep(50 * time.Millisecond)
			cancel()
			select {
			case got := <-code:
				if got != cli.ExitFailure || !strings.Contains(errs.String(), "context canceled") || out.Len() > 0 {
					t.Errorf("code %d, stdout %q, stderr %q", got, &out, &errs)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("it still reads")
			}
		})
	}
}

func TestNamedPipe(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "ci.yml")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{{"labels", fifo}, {"diagnose", "iostat", fifo}, {"diagnose", "cache-log", fifo}, {"audit", fifo}} {
		stdout, stderr, code := runOn(t, strings.NewReader(""), args...)
		if code != cli.ExitFailure || !strings.Contains(strings.ToLower(stdout+stderr), "not a regular file; to read a pipe, write - and redirect it to standard input") {
			t.Errorf("%v: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}
