package module

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bench is a folder in which a script runs with commands that only pretend:
// each writes its call down and then does what the test says.
type bench struct {
	t   *testing.T
	dir string
	env []string
}

// newBench makes stubs of commands: what a shell does when it is called. A call
// is written down before that.
func newBench(t *testing.T, stubs map[string]string) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	for name, body := range stubs {
		b.write("stubs/"+name, "#!/bin/sh\necho \""+name+" $*\" >>\"$BENCH/calls\"\n"+body+"\n", 0o750)
	}
	b.env = append(os.Environ(), "BENCH="+b.dir, "PATH="+b.path("stubs")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return b
}

func (b *bench) path(elem ...string) string {
	return filepath.Join(append([]string{b.dir}, elem...)...)
}

func (b *bench) write(name, content string, mode os.FileMode) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o750); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(content), mode); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	b.t.Helper()
	content, err := os.ReadFile(b.path(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		b.t.Fatal(err)
	}
	return string(content)
}

// run runs an embedded script by the shell of its first line. It returns what it
// printed, the calls, and its exit code.
func (b *bench) run(name string, env ...string) (printed string, calls []string, code int) {
	b.t.Helper()
	return b.runWith(name, nil, env...)
}

// runWith is run with arguments.
func (b *bench) runWith(name string, args []string, env ...string) (printed string, calls []string, code int) {
	b.t.Helper()
	_ = os.Remove(b.path("calls")) // There is none before the first run.
	content := string(text(name))
	b.write(filepath.Base(name), content, 0o600)
	shell, _, _ := strings.Cut(strings.TrimPrefix(content, "#!"), "\n")
	cmd := exec.CommandContext(b.t.Context(), filepath.Base(shell), append([]string{b.path(filepath.Base(name))}, args...)...)
	cmd.Env = append(slices.Clip(b.env), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			b.t.Fatal(err)
		}
		code = exit.ExitCode()
	}
	if all := strings.TrimSpace(b.read("calls")); all != "" {
		calls = strings.Split(all, "\n")
	}
	return out.String(), calls, code
}

// refusedOptions checks that settings are refused in one line that begins with
// the flag, and that the defaults are not.
func refusedOptions[K Kind](t *testing.T, tests map[string]struct {
	change func(K)
	want   string
}, defaults func() K,
) {
	t.Helper()
	if err := defaults().Check(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for name, tt := range tests {
		k := defaults()
		tt.change(k)
		files, err := Generate(k)
		if option := (*OptionError)(nil); !errors.As(err, &option) || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") || files != nil {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
