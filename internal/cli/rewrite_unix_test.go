//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A rewritten file keeps its owner and its other names.
func TestFixKeepsOwnerAndNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ci.yml")
	const before, after = "jobs: {a: {runs-on: runs-on=1/memory=32}}\n", "jobs: {a: {runs-on: runs-on=1/ram=32}}\n"
	write := func() {
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 12345, 23456); err != nil {
			t.Skip(err)
		}
		run(t, "labels", "--fix", path)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || s.Uid != 12345 || s.Gid != 23456 || read(t, path) != after {
			t.Errorf("owner %+v, content %q", s, read(t, path))
		}
		write()
	}
	other := path + ".other"
	if err := os.Link(path, other); err != nil {
		t.Skip(err)
	}
	run(t, "labels", "--fix", path)
	if read(t, path) != after || read(t, other) != after {
		t.Errorf("%q and %q", read(t, path), read(t, other))
	}
}
