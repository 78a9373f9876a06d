package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
)

// The published pages are those of the rules: "make generate" has been run.
func TestPublishedPages(t *testing.T) {
	folder := t.TempDir()
	if err := write(folder, rulebook.Registry().All()); err != nil {
		t.Fatal(err)
	}
	published := filepath.Join("..", "..", "..", "docs", "guides")
	generated, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil || len(generated) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, path := range generated {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(published, filepath.Base(path)))
		if err != nil {
			t.Errorf("%v; run make generate", err)
			continue
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is out of date; run make generate (-generated +published):\n%s", filepath.Base(path), diff)
		}
	}
}
