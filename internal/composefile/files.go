package composefile

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	yaml "go.yaml.in/yaml/v4"
)

// maxFiles is how many files a Compose file may bring with it.
const maxFiles = 100

// open reads a file that a Compose file names. Only an ordinary file of a sane
// size is opened: the end of a pipe or a device never comes. The error is a
// *Error.
func (r *reading) open(path string) ([]byte, error) {
	const (
		missing = "names another file that is not there (include, extends)"
		other   = "names another file (include, extends) that "
	)
	if err := r.stopped(); err != nil {
		return nil, &Error{Problem: "was not read to its end: " + err.Error()}
	}
	if r.files++; r.files > maxFiles {
		return nil, &Error{Problem: fmt.Sprintf("names more than %d other files (include, extends)", maxFiles)}
	}
	tooLarge := &Error{Problem: other + fmt.Sprintf("is larger than %d MiB", MaxBytes>>20)}
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return nil, &Error{Problem: missing}
	case err != nil:
		return nil, &Error{Problem: other + "cannot be read"}
	case info.IsDir():
		return nil, &Error{Problem: other + "is a folder and no file"}
	case !info.Mode().IsRegular():
		return nil, &Error{Problem: other + "is a pipe or a device and no file"}
	case info.Size() > MaxBytes:
		return nil, tooLarge
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{Problem: other + "cannot be read"}
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	switch {
	case err != nil:
		return nil, &Error{Problem: other + "cannot be read"}
	case len(b) > MaxBytes: // a file of /proc says that it has no bytes
		return nil, tooLarge
	}
	return b, nil
}

// isThere says that a path is one of something that is no folder.
func isThere(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// in is a path as seen from a folder.
func in(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// HasIncludes says whether a Compose file includes others; false for one that
// cannot be read.
func HasIncludes(content []byte) bool {
	documents, err := nodes(content, false)
	if err != nil {
		return false
	}
	for _, d := range documents {
		var model struct{ Include yaml.Node }
		if err := d.Decode(&model); err != nil {
			return false
		}
		include := &model.Include
		if include.Kind == yaml.AliasNode {
			include = include.Alias
		}
		if include.Kind == yaml.ScalarNode && include.ShortTag() != nullTag || len(include.Content) > 0 {
			return true
		}
	}
	return false
}
