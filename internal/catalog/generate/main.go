// Command generate rebuilds the catalogue's embedded files in data/ from the
// collected facts in sources/, and refuses facts that contradict each other.
// It is run by go generate in internal/catalog.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run("sources", "data"); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(sources, data string) error {
	files, err := build(os.DirFS(sources))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(data, 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(data, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
