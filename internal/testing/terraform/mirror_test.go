package terraform

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// fakeBuild makes a mirror without building anything.
func fakeBuild(t *testing.T, builds *int) func(dir string) error {
	t.Helper()
	return func(dir string) error {
		*builds++
		return os.MkdirAll(filepath.Join(dir, "registry"), 0o755)
	}
}

func TestPrepare(t *testing.T) {
	cache, key, builds := t.TempDir(), "a", 0
	prepared := func() string {
		t.Helper()
		config, err := prepare(cache, func() (string, error) { return key, nil }, fakeBuild(t, &builds))
		if err != nil {
			t.Fatal(err)
		}
		return config
	}
	first := prepared()
	if again := prepared(); again != first || builds != 1 {
		t.Errorf("%s then %s, after %d builds", first, again, builds)
	}

	// An interrupted build has left no CLI configuration.
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	if prepared(); builds != 2 {
		t.Errorf("an incomplete mirror was used")
	}

	// An old mirror goes when another one is used, one of just now does not.
	key = "b"
	if prepared(); builds != 3 {
		t.Error("changed sources were not built")
	}
	if _, err := os.Stat(first); err != nil {
		t.Errorf("the mirror of just now is gone: %v", err)
	}
	s, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	old := s.ModTime().Add(-2 * unused)
	if err := os.Chtimes(first, old, old); err != nil {
		t.Fatal(err)
	}
	prepared()
	if _, err := os.Stat(filepath.Dir(first)); !os.IsNotExist(err) {
		t.Errorf("the old mirror is still there: %v", err)
	}
}

// Sources that change during the build are built again, and what was built of
// them before does not stay. Nobody else gets what was built while they never
// stopped changing.
func TestPrepareWhileEditing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		keys   string // a letter each time the sources are looked at
		builds int
		want   string
	}{
		{"once", "abbb", 2, "b"},
		{"all the time", "abcdef", 3, "edited-*"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cache, builds, looked := t.TempDir(), 0, 0
			config, err := prepare(cache, func() (string, error) {
				looked++
				return tt.keys[looked-1 : looked], nil
			}, fakeBuild(t, &builds))
			if err != nil || builds != tt.builds {
				t.Fatalf("%d builds and %v", builds, err)
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(config), "registry")); err != nil {
				t.Error(err)
			}
			if entries, _ := filepath.Glob(filepath.Join(cache, tt.want, configName)); !slices.Equal(entries, []string{config}) {
				t.Errorf("the mirror is %s, and there are %v", config, entries)
			}
			if entries, _ := filepath.Glob(filepath.Join(cache, "*", configName)); len(entries) != 1 {
				t.Errorf("the cache has %v", entries)
			}
		})
	}
}

func TestSourceKey(t *testing.T) {
	root := t.TempDir()
	write := func(name, content string) string {
		t.Helper()
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		key, err := sourceKey(root)
		if err != nil {
			return ""
		}
		return key
	}
	var key string
	for _, name := range []string{"go.mod", "go.sum", "main.go", "tools/mirror.sh", "tools/version.txt", "internal/a/a.go"} {
		key = write(name, "x")
	}
	if key == "" {
		t.Fatal("there is no key")
	}
	for name, want := range map[string]bool{ // does it change the key?
		"internal/a/a_test.go":      false,
		"internal/a/testdata/x.go":  false,
		"README.md":                 false,
		"internal/a/rules/rule.md":  true,
		"internal/provider/more.go": true,
	} {
		before, err := sourceKey(root)
		if err != nil {
			t.Fatal(err)
		}
		if after := write(name, "y"); (after != before) != want {
			t.Errorf("%s: the key was %s and is %s", name, before, after)
		}
	}
}
