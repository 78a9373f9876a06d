package cli

import (
	"errors"
	"io/fs"
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
	// Nobody else's to read until it has its owner.
	temporary, err := beside(name, content, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary)
		}
	}()
	if !keepOwner(temporary, info) {
		if err = os.Remove(temporary); err != nil {
			return err
		}
		return writeInPlace(name, content)
	}
	if err = os.Chmod(temporary, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Rename(temporary, name)
}

// beside writes a new file beside another, whose place it is to take: whole and
// on the disk, or not at all.
func beside(name string, content []byte, mode fs.FileMode) (temporary string, err error) {
	t, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return "", err
	}
	_, err = t.Write(content)
	if err = errors.Join(err, t.Chmod(mode), t.Sync(), t.Close()); err != nil {
		_ = os.Remove(t.Name())
		return "", err
	}
	return t.Name(), nil
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
