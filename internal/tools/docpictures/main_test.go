package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The pictures are those of the guides, and say what the guides say.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"start-up.svg": {"ready after 366.5 s", "ready after 303 s", "ready after 289.5 s", "113 s", "49.5 s", "36 s", "allowed: 600 s"},
		"frontier.svg": {"now: 1,000 MiB/s, $100.00", "recommended: 700 MiB/s, $83.00", "instance: 953.67 MiB/s = 1,000 MB/s"},
		"pool.svg":     {"quota: 10 hosts", "10 allocated and 10 in use after 72 hours"},
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range want {
			if !strings.Contains(string(b), w) {
				t.Errorf("%s does not say %q", name, w)
			}
		}
	}
	if err := write(filepath.Join(dir, "pool.svg")); err == nil {
		t.Error("pictures are written into a file")
	}
}
