package measure

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, size int64) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	return file
}

// A real file is read to its end and nothing else happens to it.
func TestFile(t *testing.T) {
	file := write(t, 32<<20)
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	target, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	r, err := Run(t.Context(), target, Options{Duration: 50 * time.Millisecond, FirstPass: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if r.Counted.Rate() <= 0 || r.Streams != DefaultStreams || target.Size() != 32<<20 {
		t.Errorf("%+v", r)
	}
	after, err := os.Stat(file)
	if err != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the file was changed: %v, %v", after, err)
	}
	if f, ok := target.reader.(*os.File); !ok {
		t.Errorf("a reader of type %T", target.reader)
	} else if _, err := f.WriteString("x"); err == nil {
		t.Error("the file can be written to")
	}
}

func TestOpenErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		path string
		want error
	}{
		"a directory":    {t.TempDir(), ErrDirectory},
		"a missing path": {filepath.Join(t.TempDir(), "none"), ErrNotFound},
		"an empty file":  {write(t, 0), ErrEmpty},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Open(tc.path); !errors.Is(err, tc.want) || strings.Contains(err.Error(), tc.path) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
	target, err := Open(write(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	_, err = Run(t.Context(), target, Options{})
	var small *SizeError
	if !errors.As(err, &small) || !strings.HasPrefix(small.Error(), "has 1 byte, too few for a measurement") {
		t.Errorf("a file of 1 byte: %v", err)
	}
}

// A terminal, a null device or a pipe is no disk, and opening one may wait for
// ever.
func TestNoDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("on macOS raw disks are character devices, too")
	}
	if _, err := Open("/dev/null"); !errors.Is(err, ErrNoDisk) {
		t.Errorf("/dev/null: %v", err)
	}
}
