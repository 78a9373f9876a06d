package dockerdiag

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerhost"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// Settings is what Docker Desktop's settings file says. A member is null where
// the file lacks it, which means Docker Desktop's default: that depends on its
// version, so it is not filled in here.
type Settings struct {
	// Path of the file.
	Path                           string
	MemoryMiB, CPUs, SwapMiB, Disk optional.Value[int64] // Disk in MiB
	VirtioFS, GRPCFUSE, Containerd optional.Value[bool]
}

// maxSettingsBytes is far above the size of a settings file.
const maxSettingsBytes = 1 << 20

// Errors of reading a file. Their texts go after its path.
var (
	errNotFound   = errors.New("there is no such file")
	errPermission = errors.New("no permission to read it")
	errDirectory  = errors.New("is a directory")
	errEmpty      = errors.New("is empty")
)

// readFile reads a file of a sane size. Its errors go after the path.
func readFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNotFound
	case errors.Is(err, fs.ErrPermission):
		return nil, errPermission
	case err != nil:
		return nil, plain(err)
	case info.IsDir():
		return nil, errDirectory
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a file")
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, errPermission
	}
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, plain(err)
	case int64(len(b)) > most:
		return nil, fmt.Errorf("is larger than %d KiB", most>>10)
	case len(bytes.TrimSpace(b)) == 0:
		return nil, errEmpty
	}
	return b, nil
}

// plain takes the path out of an error of the system.
func plain(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// ReadSettings reads Docker Desktop's settings file, settings-store.json, or
// settings.json up to Docker Desktop 4.34, whose keys start in lower case. Only
// the keys that are needed are looked at: the file may hold proxy passwords.
// Errors go after the path and repeat nothing of the file.
func ReadSettings(path string) (Settings, error) {
	b, err := readFile(path, maxSettingsBytes)
	if err != nil {
		return Settings{}, err
	}
	s, err := parseSettings(b)
	s.Path = path
	return s, err
}

func parseSettings(b []byte) (Settings, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), &raw); err != nil || raw == nil {
		return Settings{}, errors.New("is not a JSON object")
	}
	// A key as it is written today wins over one in lower case.
	get := func(name string) json.RawMessage {
		if v, ok := raw[name]; ok {
			return v
		}
		for k, v := range raw {
			if strings.EqualFold(k, name) {
				return v
			}
		}
		return nil
	}
	return Settings{
		MemoryMiB:  value[int64](get("MemoryMiB")),
		CPUs:       value[int64](get("Cpus")),
		SwapMiB:    value[int64](get("SwapMiB")),
		Disk:       value[int64](get("DiskSizeMiB")),
		VirtioFS:   value[bool](get("UseVirtualizationFrameworkVirtioFS")),
		GRPCFUSE:   value[bool](get("UseGrpcfuse")),
		Containerd: value[bool](get("UseContainerdSnapshotter")),
	}, nil
}

// value is null for a key that is missing or of another type.
func value[T any](raw json.RawMessage) optional.Value[T] {
	var v *T
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return optional.Null[T]()
	}
	return optional.FromPointer(v)
}

// FileSharing is how files are shared; null if the file does not say.
func (s Settings) FileSharing() optional.Value[dockerhost.FileSharing] {
	virtio, virtioKnown := s.VirtioFS.Get()
	grpc, grpcKnown := s.GRPCFUSE.Get()
	switch {
	case virtioKnown && virtio:
		return optional.Known(dockerhost.VirtioFS)
	case !virtioKnown:
		// The default of VirtioFS depends on the version, and it wins over gRPC FUSE.
		return optional.Null[dockerhost.FileSharing]()
	case grpcKnown && !grpc:
		return optional.Known(dockerhost.OSXFS)
	}
	// gRPC FUSE is on unless it was switched off.
	return optional.Known(dockerhost.GRPCFUSE)
}

// SettingsPaths are where Docker Desktop keeps its settings, newest first.
func SettingsPaths(goos, home, appData string) []string {
	var dir string
	switch {
	case goos == "darwin" && home != "":
		dir = filepath.Join(home, "Library", "Group Containers", "group.com.docker")
	case goos == "windows" && appData != "":
		dir = filepath.Join(appData, "Docker")
	case home != "":
		dir = filepath.Join(home, ".docker", "desktop")
	default:
		return nil
	}
	return []string{filepath.Join(dir, "settings-store.json"), filepath.Join(dir, "settings.json")}
}
