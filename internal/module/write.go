package module

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Change is what writing a module would do to a folder.
type Change struct {
	dir string
	// exists says that there is something at the folder's name already.
	exists bool
	steps  []step
}

// step is a file that is to be written, and what is there now.
type step struct {
	File

	// before is nil if there is no such file.
	before []byte
}

// Compare looks at what is in a folder already. It writes nothing.
func Compare(dir string, files []File) (*Change, error) {
	c := &Change{dir: dir}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, placed(dir, err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s: there is a file of this name; choose another folder", dir)
	default:
		c.exists = true
	}
	for _, f := range files {
		s := step{File: f}
		if c.exists {
			if s.before, err = present(filepath.Join(dir, filepath.FromSlash(f.Name))); err != nil {
				return nil, placed(path.Join(dir, f.Name), err)
			}
		}
		c.steps = append(c.steps, s)
	}
	return c, nil
}

var errNotRegular = errors.New("is not a regular file, and is not written over")

// present is the content of a file, nil if there is none.
func present(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	}
	b, err := os.ReadFile(name)
	if b == nil {
		b = []byte{}
	}
	return b, err
}

// Exists says whether the folder is there already.
func (c *Change) Exists() bool { return c.exists }

// Diff is what would change in files that are there already, and the new ones
// beside them, as a unified diff.
func (c *Change) Diff() string {
	var b strings.Builder
	for _, s := range c.steps {
		if s.before != nil && bytes.Equal(s.before, s.Content) {
			continue
		}
		shown := strings.TrimPrefix(filepath.ToSlash(filepath.Join(c.dir, s.Name)), "/")
		from := "a/" + shown
		if s.before == nil {
			from = "/dev/null"
		}
		b.WriteString(udiff.Unified(from, "b/"+shown, string(s.before), string(s.Content)))
	}
	return b.String()
}

// Write writes the files: all of them or none. A new folder appears with all
// its files at once. In a folder that is there, all files are laid down beside
// those that they replace before the first is replaced; files of other names
// stay as they are.
func (c *Change) Write() error {
	if !c.exists {
		return placed(c.dir, c.create())
	}
	return placed(c.dir, c.replace())
}

// create makes the folder under another name and renames it.
func (c *Change) create() (err error) {
	parent := filepath.Dir(filepath.Clean(c.dir))
	missing := missingAbove(parent)
	defer func() {
		for _, name := range missing {
			if err != nil {
				_ = os.Remove(name) // Stays if somebody else has put something in it.
			}
		}
	}()
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(parent, ".runnerfit-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(temporary)
		}
	}()
	root, err := os.OpenRoot(temporary)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, s := range c.steps {
		if err := lay(root, s.Name, s.File); err != nil {
			return err
		}
	}
	if err := os.Chmod(temporary, 0o755); err != nil { //nolint:gosec // A module is for everybody to read.
		return err
	}
	return os.Rename(temporary, filepath.Clean(c.dir))
}

// missingAbove are the folders that do not exist, up from a folder, the deepest
// first.
func missingAbove(dir string) []string {
	var out []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			return out
		}
		out = append(out, at)
	}
}

// suffix marks files that wait to take another's place.
const suffix = ".runnerfit-new"

// replace writes into a folder that is there. Symbolic links are not followed
// out of it.
func (c *Change) replace() (err error) {
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	var laid, folders []string
	defer func() {
		for _, name := range laid {
			_ = root.Remove(name) // Gone already where it was renamed.
		}
		for _, name := range slices.Backward(folders) {
			if err != nil {
				_ = root.Remove(name) // Stays if something is in it.
			}
		}
	}()
	for _, s := range c.steps {
		// Somebody may have written to the file since it was shown.
		if now, err := present(filepath.Join(c.dir, filepath.FromSlash(s.Name))); err != nil || !bytes.Equal(now, s.before) || (now == nil) != (s.before == nil) {
			return fmt.Errorf("%s has changed meanwhile; nothing was written", s.Name)
		}
		for at := path.Dir(s.Name); at != "."; at = path.Dir(at) {
			if _, err := root.Lstat(at); errors.Is(err, fs.ErrNotExist) {
				folders = append(folders, at)
			}
		}
		laid = append(laid, s.Name+suffix)
		if err := lay(root, s.Name+suffix, s.File); err != nil {
			return err
		}
	}
	for _, s := range c.steps {
		if err := root.Rename(s.Name+suffix, s.Name); err != nil {
			return err
		}
	}
	return nil
}

// lay writes a file under a name, and the folders that it is in.
func lay(root *os.Root, name string, f File) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	if err := root.WriteFile(name, f.Content, f.mode()); err != nil {
		return err
	}
	// The mode of a new file is less what the process takes off.
	return root.Chmod(name, f.mode())
}

// placed is an error of the file system with the name that the user gave, and
// without the names of temporary files.
func placed(name string, err error) error {
	if err == nil {
		return nil
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: there is no permission to write there; nothing was written", name)
	case errors.Is(err, errNotRegular):
		return fmt.Errorf("%s: %w", name, err)
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		err = l.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}
