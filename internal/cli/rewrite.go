package cli

import (
	"errors"
	"os"
	"path/filepath"
)

// rewrite replaces the content of a file at once: whoever reads it sees the old
// or the new content and nothing between, also if this process is killed. The
// file keeps its mode and owner; a symbolic link stays one. A file that has
// several names, or whose owner cannot be kept, is written in place, because a
// new one would not be the same file to others.
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
	if hasOtherNames(info) {
		return writeInPlace(name, content)
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
	if !keepOwner(t.Name(), info) {
		if err = os.Remove(t.Name()); err != nil {
			return err
		}
		return writeInPlace(name, content)
	}
	if err = os.Chmod(t.Name(), info.Mode().Perm()); err != nil {
		return err
	}
	return os.Rename(t.Name(), name)
}

// writeInPlace writes over a file that is there.
func writeInPlace(name string, content []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		_ = f.Close()
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
