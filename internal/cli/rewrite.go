package cli

import (
	"os"
	"path/filepath"
)

// rewrite replaces the content of a file at once: whoever reads it sees the old
// or the new content and nothing between, also if this process is killed. The
// file keeps its mode; a symbolic link stays one.
func rewrite(name string, content []byte) (err error) {
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	// Writing to the folder would get around a file that is not to be written.
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	t, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(t.Name())
		}
	}()
	if _, err = t.Write(content); err != nil {
		_ = t.Close()
		return err
	}
	if err = t.Sync(); err != nil {
		_ = t.Close()
		return err
	}
	if err = t.Close(); err != nil {
		return err
	}
	if err = os.Chmod(t.Name(), info.Mode().Perm()); err != nil {
		return err
	}
	return os.Rename(t.Name(), name)
}
