package terraform

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/awsstandin"
)

// mirror returns a CLI configuration that installs the provider and the
// stand-in for hashicorp/aws from a mirror, and nothing from anywhere else. The
// providers are built once for all test processes, and again only when their
// sources have changed.
func mirror(tb testing.TB) string {
	tb.Helper()
	config, err := built()
	if err != nil {
		tb.Fatal(err)
	}
	return config
}

var built = sync.OnceValues(func() (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil { // There is no home.
		cache = os.TempDir()
	}
	return prepare(filepath.Join(cache, "terraform-provider-runnerfit-test"), func() (string, error) { return sourceKey(root) }, func(dir string) error { return build(root, dir) })
})

// moduleRoot is the folder of go.mod: tests run in the folder of their package.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("there is no go.mod in this folder or above it")
		}
		dir = parent
	}
}

// configName is the CLI configuration in a mirror. It is written last, so that
// a mirror with one is complete.
const configName = "offline.tfrc"

// prepare finds the mirror for the sources' key in the cache, or builds it.
func prepare(cache string, key func() (string, error), build func(dir string) error) (config string, err error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(cache, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	dir, err := upToDate(cache, key, build)
	if err != nil {
		return "", err
	}
	// Written every time, because its age says when the mirror was last used.
	config = filepath.Join(dir, configName)
	if err := os.WriteFile(config, []byte(offline(dir)), 0o644); err != nil {
		return "", err
	}
	return config, prune(cache, config)
}

// upToDate returns the mirror of the sources, which it builds if it is not
// there. Sources that are edited meanwhile must not end up under the key of what
// they were: they are built again, and if somebody edits all the time, the last
// build is for this process alone.
func upToDate(cache string, key func() (string, error), build func(dir string) error) (string, error) {
	for try := 1; ; try++ {
		before, err := key()
		if err != nil {
			return "", err
		}
		dir := filepath.Join(cache, before)
		if _, err := os.Stat(filepath.Join(dir, configName)); err == nil {
			return dir, nil
		}
		if err := os.RemoveAll(dir); err != nil { // An interrupted build's.
			return "", err
		}
		if err := build(dir); err != nil {
			return "", err
		}
		switch after, err := key(); {
		case err != nil:
			return "", err
		case after == before:
			return dir, nil
		case try == 3:
			own := filepath.Join(cache, fmt.Sprintf("edited-%d", os.Getpid()))
			return own, errors.Join(os.RemoveAll(own), os.Rename(dir, own))
		}
		if err := os.RemoveAll(dir); err != nil {
			return "", err
		}
	}
}

// offline is a CLI configuration that knows nothing but the mirror: a
// configuration with another provider fails instead of asking a registry.
func offline(dir string) string {
	return fmt.Sprintf("disable_checkpoint = true\n\nprovider_installation {\n  filesystem_mirror {\n    path = %s\n  }\n}\n", strconv.Quote(filepath.ToSlash(dir)))
}

// unused is the time after which nobody is taken to use a mirror any more:
// three times what `go test` lets a package run.
const unused = 30 * time.Minute

// prune removes mirrors of sources that are gone: each is as large as two
// providers.
func prune(cache, current string) error {
	used, err := os.Stat(current)
	if err != nil {
		return err
	}
	all, err := filepath.Glob(filepath.Join(cache, "*", configName))
	if err != nil {
		return err
	}
	for _, config := range all {
		if s, err := os.Stat(config); err == nil && used.ModTime().Sub(s.ModTime()) > unused {
			if err := os.RemoveAll(filepath.Dir(config)); err != nil {
				return err
			}
		}
	}
	return nil
}

// build builds both providers with the script that the demo and the generators
// use, so that there is one layout.
func build(root, dir string) error {
	cmd := exec.Command("sh", filepath.Join(root, "tools", "mirror.sh"), dir) //nolint:noctx,gosec // It serves all tests, so no single one ends it.
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "MIRROR_EXTRA=hashicorp/aws:"+awsstandin.Version+":./internal/testing/awsstandin/cmd/terraform-provider-aws")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the providers: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
