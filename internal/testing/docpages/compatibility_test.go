package docpages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The promises that the page on compatibility quotes are those that tests keep.
func TestQuotedPromises(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "internal", "*", "testdata", "interface.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no promises: %v", err)
	}
	promised := map[string]bool{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(b)) {
			promised[strings.TrimSpace(l)] = true
		}
	}
	page := "templates/guides/compatibility.md"
	quoted := 0
	for _, f := range fencesOf(t, page, strings.Split(read(t, page), "\n")) {
		if f.language != "text" {
			continue
		}
		for l := range strings.Lines(f.text) {
			quoted++
			if !promised[strings.TrimSpace(l)] {
				t.Errorf("%s quotes a line that no interface.txt has: %s", page, l)
			}
		}
	}
	if quoted == 0 {
		t.Errorf("%s quotes nothing", page)
	}
}
