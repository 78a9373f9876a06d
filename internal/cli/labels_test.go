package cli_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}

const faults = "testdata/labels/faults.yml"

// copyOf is a copy of a file that a test may change.
func copyOf(t *testing.T, name string) (path, content string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, string(b)
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestLabelsFormats(t *testing.T) {
	for _, format := range output.Names() {
		t.Run(format, func(t *testing.T) {
			stdout, stderr, code := run(t, "labels", "--format", format, faults)
			if code != cli.ExitFindings || stderr != "" {
				t.Errorf("exit %d, stderr %q", code, stderr)
			}
			if format == "sarif" {
				// The pages of the rules are in it; they change more often than the format.
				var log struct {
					Runs []struct {
						Results []struct{ RuleID string } `json:"results"`
					} `json:"runs"`
				}
				if err := json.Unmarshal([]byte(stdout), &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != 10 {
					t.Errorf("%v: %+v", err, log)
				}
				return
			}
			golden(t, "labels/faults."+format, stdout)
		})
	}
}

func TestLabelsExitCode(t *testing.T) {
	warning := filepath.Join(t.TempDir(), "w.yml")
	if err := os.WriteFile(warning, []byte("jobs: {a: {runs-on: runs-on=1/spot=cop}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	advice := filepath.Join(t.TempDir(), "i.yml")
	if err := os.WriteFile(advice, []byte("jobs: {a: {runs-on: 'runs-on=1/volume=80gb:gp3:16000iops'}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		want int
	}{
		"clean":                      {[]string{"testdata/labels/clean.yml"}, cli.ExitOK},
		"clean, fail on advice":      {[]string{"--fail-on", "info", "testdata/labels/clean.yml"}, cli.ExitOK},
		"errors":                     {[]string{faults}, cli.ExitFindings},
		"errors, fail on nothing":    {[]string{"--fail-on", "never", faults}, cli.ExitOK},
		"a warning":                  {[]string{warning}, cli.ExitFindings},
		"a warning, fail on errors":  {[]string{"--fail-on", "error", warning}, cli.ExitOK},
		"a warning that is ignored":  {[]string{"--ignore", "label-unknown-value=ours", warning}, cli.ExitOK},
		"advice":                     {[]string{advice}, cli.ExitOK},
		"advice, fail on advice":     {[]string{"--fail-on", "info", advice}, cli.ExitFindings},
		"broken":                     {[]string{"testdata/labels/broken.yml"}, cli.ExitFailure},
		"broken beside errors":       {[]string{"testdata/labels/broken.yml", faults}, cli.ExitFailure},
		"broken, fail on nothing":    {[]string{"--fail-on", "never", "testdata/labels/broken.yml"}, cli.ExitFailure},
		"missing":                    {[]string{"no.yml"}, cli.ExitFailure},
		"a folder with one of each":  {[]string{"testdata/labels"}, cli.ExitFailure},
		"a folder without workflows": {[]string{t.TempDir()}, cli.ExitFailure},
	} {
		t.Run(name, func(t *testing.T) {
			if stdout, stderr, code := run(t, append([]string{"labels"}, tc.args...)...); code != tc.want {
				t.Errorf("exit %d, want %d\n%s%s", code, tc.want, stdout, stderr)
			}
		})
	}
}

// What cannot be checked is in the report, with its line, beside what can.
func TestLabelsErrors(t *testing.T) {
	stdout, stderr, _ := run(t, "labels", "--format", "json", "testdata/labels/broken.yml", "no.yml", "testdata/labels/clean.yml")
	golden(t, "labels/errors.json", stdout)
	if stderr != "runnerfit: 2 files could not be checked\n" {
		t.Errorf("stderr %q", stderr)
	}
}

func TestLabelsArguments(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no file":              {nil, "labels takes workflow files, or folders of them"},
		"no such format":       {[]string{"--format", "yaml", faults}, "--format: must be one of text, json, sarif, junit, github, markdown"},
		"no such severity":     {[]string{"--fail-on", "fatal", faults}, "--fail-on: must be error, warning, info or never"},
		"no such rule":         {[]string{"--ignore", "label-volum=x", faults}, `There is no such rule. The closest is "label-volume".`},
		"no reason":            {[]string{"--ignore", "label-volume", faults}, "needs a reason"},
		"no such region":       {[]string{"--region", "Paris", faults}, "--region: not the name of an AWS Region"},
		"rewriting what comes": {[]string{"--fix", "-"}, "--fix: standard input cannot be rewritten"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := run(t, append([]string{"labels"}, tc.args...)...)
			if code != cli.ExitFailure || stdout != "" {
				t.Errorf("exit %d, stdout %q", code, stdout)
			}
			contains(t, stderr, tc.want)
		})
	}
}

// --fix changes what --diff shows and nothing else, keeps the mode, and finds
// nothing more to change the second time.
func TestLabelsFix(t *testing.T) {
	path, before := copyOf(t, faults)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	diff, _, code := run(t, "labels", "--diff", path)
	if code != cli.ExitFindings {
		t.Errorf("--diff: exit %d", code)
	}
	if got := read(t, path); got != before {
		t.Errorf("--diff changed the file:\n%s", got)
	}
	shown := strings.TrimPrefix(filepath.ToSlash(path), "/")
	golden(t, "labels/faults.diff", strings.ReplaceAll(diff, shown, "ci.yml"))

	stdout, stderr, code := run(t, "labels", "--fix", path)
	if want := path + ": 3 labels fixed\n"; code != cli.ExitFindings || stderr != want {
		t.Errorf("exit %d, stderr %q, want %q", code, stderr, want)
	}
	// What is left cannot be put right in one way, or not in a block scalar.
	golden(t, "labels/fixed.text", strings.ReplaceAll(stdout, path, "ci.yml"))
	golden(t, "labels/fixed.yml.golden", read(t, path))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("files are left: %v, %v", entries, err)
	}

	after := read(t, path)
	if _, stderr, _ := run(t, "labels", "--fix", path); stderr != "" || read(t, path) != after {
		t.Errorf("a second --fix changes something: %q", stderr)
	}
}

// A file with Windows line ends keeps them, a link stays a link, and a file
// that must not be written is not.
func TestLabelsFixKeeps(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target.yml")
	const before = "\uFEFFjobs:\r\n  a:\r\n    runs-on: runs-on=1/memory=32 # x\r\n"
	if err := os.WriteFile(target, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.yml")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if _, stderr, code := run(t, "labels", "--fix", link); code != cli.ExitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got, want := read(t, target), strings.Replace(before, "memory", "ram", 1); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info.Mode(), err)
	}

	if os.Geteuid() == 0 {
		t.Skip("root may write everything")
	}
	if err := os.WriteFile(target, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(target, 0o400); err != nil {
		t.Fatal(err)
	}
	stdout, _, code := run(t, "labels", "--fix", target)
	if code != cli.ExitFailure || read(t, target) != before {
		t.Errorf("exit %d", code)
	}
	contains(t, stdout, "There is no permission to read or write it.")
}

// What is ignored is not changed, either, and a label without a head of a
// system is the user's own.
func TestLabelsFixLeavesAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ci.yml")
	const before = "jobs:\n  a:\n    runs-on: runs-on=1/memory=32/spot=flase\n  b:\n    runs-on: memory=32/disk=large\n"
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := run(t, "labels", "--fix", "--ignore", "label-unknown-key=ours", path); code != cli.ExitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got, want := read(t, path), strings.Replace(before, "flase", "false", 1); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLabelsStdin(t *testing.T) {
	var stdout, stderr bytes.Buffer
	in := strings.NewReader("jobs: {a: {runs-on: runs-on=1/memory=32}}\n")
	code := cli.Run(t.Context(), "1.2.3", []string{"labels", "--format", "github", "-"}, in, &stdout, &stderr)
	const want = "::warning title=Runner label has a key that is not known (label-unknown-key)::Line 1, column 21: jobs.a: Part 2 of the label has a key that RunsOn does not know (the closest is ram); it is ignored, and the job gets a runner without it.%0AWrite ram=32, if that is what was meant.\n"
	if code != cli.ExitFindings || stdout.String() != want {
		t.Errorf("exit %d\n got %s\nwant %s", code, stdout.String(), want)
	}
}

// A folder is a repository, or a folder of workflows.
func TestLabelsFolder(t *testing.T) {
	repository := t.TempDir()
	workflows := filepath.Join(repository, ".github", "workflows")
	if err := os.MkdirAll(workflows, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a.yml": "memory", "b.yaml": "mem", "c.txt": "vcpus"} {
		if err := os.WriteFile(filepath.Join(workflows, name), []byte("jobs: {x: {runs-on: runs-on=1/"+content+"=4}}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, arg := range []string{repository, workflows} {
		stdout, _, _ := run(t, "labels", arg)
		contains(t, stdout, "a.yml line 1", "b.yaml line 1", "2 warnings.")
	}
}
