package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
)

func TestModuleWrites(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	args := []string{"module", "mac-fleet", "-o", dir, "--name", "ios", "--instance-type", "mac2-m2pro.metal", "--images", "2", "--image-size-gib", "75", "--hosts", "4"}

	// A dry run prints what would be written.
	stdout, stderr, code := run(t, append(args, "--dry-run")...)
	if _, err := os.Stat(dir); code != cli.ExitOK || stderr != "" || err == nil {
		t.Fatalf("exit %d, stderr %q, the folder: %v", code, stderr, err)
	}
	contains(t, stdout, dir+"\n", "├── guard.tf\n", "│   └── fleet.tftest.hcl\n", "└── versions.tf\n")

	stdout, stderr, code = run(t, args...)
	if code != cli.ExitOK {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	contains(t, stdout, "├── guard.tf\n")
	contains(t, stderr, "files written; README.md says what to do with them")
	variables := read(t, filepath.Join(dir, "variables.tf"))
	contains(t, variables, `"ios"`, `"mac2-m2pro.metal"`)

	// Once more: refused, shown, and then written.
	args = append(args, "--hosts", "5")
	stdout, stderr, code = run(t, args...)
	if code != cli.ExitFailure || stdout != "" || read(t, filepath.Join(dir, "variables.tf")) != variables {
		t.Errorf("exit %d, stdout %q", code, stdout)
	}
	contains(t, stderr, "the folder exists")
	stdout, _, code = run(t, append(args, "--force", "--dry-run")...)
	if code != cli.ExitOK || read(t, filepath.Join(dir, "variables.tf")) != variables {
		t.Errorf("exit %d", code)
	}
	contains(t, stdout, "\n-  default     = 4\n+  default     = 5\n")
	shown, _, code := run(t, append(args, "--force")...)
	if code != cli.ExitOK || shown != stdout || read(t, filepath.Join(dir, "variables.tf")) == variables {
		t.Errorf("exit %d, printed\n%s", code, shown)
	}
}

// A setting that cannot be used is one line, and nothing is written.
func TestModuleRefuses(t *testing.T) {
	top := t.TempDir()
	file := filepath.Join(top, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, "out")
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no folder":          {[]string{"mac-fleet"}, "-o: the folder to write is required"},
		"no such kind":       {[]string{"mac-flet", "-o", dir}, "mac-fleet"},
		"a mistyped type":    {[]string{"mac-fleet", "-o", dir, "--instance-type", "mac2-m2por.metal"}, "the closest are mac2-m2pro.metal"},
		"no images":          {[]string{"mac-fleet", "-o", dir, "--images", "0"}, "--images: must be 1 or more"},
		"a name AWS refuses": {[]string{"mac-fleet", "-o", dir, "--name", "my fleet"}, "--name: must be lower-case letters"},
		"half an image":      {[]string{"mac-fleet", "-o", dir, "--images", "1.5"}, "--images"},
		"a file":             {[]string{"mac-fleet", "-o", file}, "there is a file of this name"},
		"a file, by force":   {[]string{"mac-fleet", "-o", file, "--force"}, "there is a file of this name"},
		"below a file":       {[]string{"mac-fleet", "-o", filepath.Join(file, "x")}, "not a directory"},
		"not writable":       {[]string{"mac-fleet", "-o", "/proc/runnerfit/x"}, "/proc/runnerfit/x: "},
		"no terminal":        {[]string{"mac-fleet", "-o", dir, "--interactive"}, "standard input is no terminal"},
		"no kind":            {[]string{"-o", dir}, "which kind of module?"},
		"an argument":        {[]string{"mac-fleet", dir}, "; -o names the folder"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := run(t, append([]string{"module"}, tc.args...)...)
			if code != cli.ExitFailure || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "/.runnerfit") {
				t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			contains(t, stderr, tc.want)
			if entries, err := os.ReadDir(top); err != nil || len(entries) != 1 {
				t.Errorf("%v is there now: %v", entries, err)
			}
		})
	}
}
