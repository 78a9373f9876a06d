// Package terraform runs a real Terraform or OpenTofu on folders of
// configuration, offline, with what people install: the provider as it is
// built for a release, and the stand-in for hashicorp/aws (package awsstandin),
// both from a filesystem mirror. So init, modules, lock files and `terraform
// test` take part. For tests of runnerfit's own objects alone, package tfrun is
// faster: it needs no init.
package terraform

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/tool"
)

// Folder is a folder of configuration of its own, which is gone after the test.
// Its state and providers are in it, so that folders can be used in parallel.
type Folder struct {
	tb      testing.TB
	path    string
	tool    string
	environ []string
}

// New makes an empty folder.
func New(tb testing.TB) *Folder {
	tb.Helper()
	path, config := tool.Path(tb), mirror(tb)
	return &Folder{tb: tb, path: tb.TempDir(), tool: path, environ: environment(os.Environ(), config)}
}

// Copy makes a folder with the files of another and of the folders in it,
// without what somebody's own runs have left there.
func Copy(tb testing.TB, from string) *Folder {
	tb.Helper()
	f := New(tb)
	if err := copyFolder(from, f.path); err != nil {
		tb.Fatal(err)
	}
	return f
}

func copyFolder(from, to string) error {
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	files := os.DirFS(from)
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".terraform":
			return fs.SkipDir
		case d.IsDir():
			return root.MkdirAll(name, 0o755)
		case d.Name() == ".terraform.lock.hcl", strings.HasPrefix(d.Name(), "terraform.tfstate"):
			return nil
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return root.WriteFile(name, content, 0o644)
	})
}

// environment is the environment of the tool. Settings of the developer's own
// would change what is tested: other variables and arguments, a debugged
// provider, an AWS region.
func environment(own []string, config string) []string {
	var out []string
	for _, e := range own {
		if !strings.HasPrefix(e, "TF_") && !strings.HasPrefix(e, "AWS_") {
			out = append(out, e)
		}
	}
	return append(out, "TF_CLI_CONFIG_FILE="+config, "TF_CLI_ARGS=-no-color", "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
}

// Path is the path of the folder, or of a file in it.
func (f *Folder) Path(elem ...string) string {
	return filepath.Join(append([]string{f.path}, elem...)...)
}

// Write writes a file, and the folders that it is in.
func (f *Folder) Write(name, content string) {
	f.tb.Helper()
	path := f.Path(filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		f.tb.Fatal(err)
	}
}

// Folder is a folder inside the folder, such as the examples of a module.
func (f *Folder) Folder(name string) *Folder {
	inner := *f
	inner.path = f.Path(filepath.FromSlash(name))
	return &inner
}

// Setenv adds to the tool's environment, for example a variable of the
// configuration: Setenv("TF_VAR_hosts", "4").
func (f *Folder) Setenv(name, value string) {
	f.environ = append(slices.Clip(f.environ), name+"="+value)
}

// Result is what a run of the tool printed, and its exit code.
type Result struct {
	Command        string
	ExitCode       int
	Stdout, Stderr string
}

// String is everything about the run, for messages of tests.
func (r Result) String() string {
	return fmt.Sprintf("%s\nexit code %d\n%s%s", r.Command, r.ExitCode, r.Stdout, r.Stderr)
}

// Warned says whether there was a warning.
func (r Result) Warned() bool {
	return strings.Contains(r.Stdout, "Warning: ") || strings.Contains(r.Stderr, "Warning: ")
}

// Run runs the tool. Any exit code will do; see the other methods for what must
// work.
func (f *Folder) Run(args ...string) Result {
	f.tb.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(f.tb.Context(), f.tool, args...) //nolint:gosec // The tool that this package is for.
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = f.path, f.environ, &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		f.tb.Fatal(err)
	}
	return Result{
		Command:  filepath.Base(f.tool) + " " + strings.Join(args, " "),
		ExitCode: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String(),
	}
}

// expect runs the tool and fails the test unless it ends with an exit code.
func (f *Folder) expect(code int, complaint string, args ...string) Result {
	f.tb.Helper()
	r := f.Run(args...)
	if r.ExitCode != code {
		f.tb.Fatalf("%s: %s", complaint, r)
	}
	return r
}
