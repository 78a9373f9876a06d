package terraform

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// sourceKey identifies what the providers are built from. Reading the sources
// here also tells `go test` that a result depends on them: it sees what a test
// reads, not what the compiler reads that a test starts, and would otherwise
// take the result of another provider for this one's.
func sourceKey(root string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	files := os.DirFS(root)
	for _, start := range []string{"go.mod", "go.sum", "main.go", "tools/mirror.sh", "tools/version.txt", "internal"} {
		err := fs.WalkDir(files, start, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir(), strings.HasSuffix(name, "_test.go"):
				return nil
			}
			content, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			fmt.Fprintf(hash, "%s %d\n", name, len(content))
			hash.Write(content)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}
