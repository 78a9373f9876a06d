//go:build unix

package composefile_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
)

// TestOtherFilesAreBounded: a file that is named may be a pipe, a device or
// endless, and is not opened then, however it is reached.
func TestOtherFilesAreBounded(t *testing.T) {
	const service = "services:\n  a:\n    image: x\n"
	for name, tc := range map[string]struct {
		file string
		env  map[string]string
		want string
	}{
		"include of a device":         {file: "include: [/dev/zero]\n" + service, want: "a pipe or a device"},
		"include of a pipe":           {file: "include: [pipe]\n" + service, want: "a pipe or a device"},
		"as an object":                {file: "include: [{path: [small.yaml, pipe]}]\n" + service, want: "a pipe or a device"},
		"by a variable":               {file: "include: [\"${WHERE:-small.yaml}\"]\n" + service, env: map[string]string{"WHERE": "pipe"}, want: "a pipe or a device"},
		"by a file that is included":  {file: "include: [sub/nested.yaml]\n" + service, want: "a pipe or a device"},
		"by its project_directory":    {file: "include: [{path: named.yaml, project_directory: sub}]\n" + service, want: "a pipe or a device"},
		"its variables":               {file: "include: [{path: small.yaml, env_file: pipe}]\n" + service, want: "a pipe or a device"},
		"the variables of its folder": {file: "include: [piped/small.yaml]\n" + service, want: "a pipe or a device"},
		"by variables of its own":     {file: "include: [{path: variable.yaml, env_file: own.env}]\n" + service, want: "a pipe or a device"},
		"extends":                     {file: "services:\n  a:\n    extends: {file: pipe, service: b}\n", want: "a pipe or a device"},
		"extends by a merge":          {file: "x: &x {extends: {file: pipe, service: b}}\nservices:\n  a:\n    <<: *x\n", want: "a pipe or a device"},
		"too large":                   {file: "include: [large.yaml]\n" + service, want: "larger than 1 MiB"},
		"not there":                   {file: "include: [none.yaml]\n" + service, want: "names another file that is not there"},
		"itself":                      {file: "include: [self.yaml]\n" + service, want: "is not a valid Compose file"},
		"an ordinary one":             {file: "include: [small.yaml]\n" + service},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, sub := range []string{"sub", "piped"} {
				if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for file, content := range map[string]string{
				"small.yaml": "services:\n  b:\n    image: x\n", "piped/small.yaml": "services:\n  b:\n    image: x\n",
				"sub/nested.yaml": "include: [pipe]\nservices:\n  b:\n    image: x\n", "named.yaml": "include: [pipe]\nservices:\n  b:\n    image: x\n",
				"variable.yaml": "include: [\"${THERE}\"]\nservices:\n  b:\n    image: x\n", "own.env": "THERE=pipe\n",
				"self.yaml": "include: [self.yaml]\nservices:\n  b:\n    image: x\n", "large.yaml": strings.Repeat("# x\n", 300_000),
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, pipe := range []string{"pipe", "sub/pipe", "piped/.env"} {
				if err := syscall.Mkfifo(filepath.Join(dir, pipe), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			done := make(chan error, 1)
			go func() {
				_, err := composefile.Read(t.Context(), filepath.Join(dir, "compose.yaml"), []byte(tc.file), tc.env)
				done <- err
			}()
			select {
			case err := <-done:
				if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
					t.Errorf("got %v, want …%s…", err, tc.want)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("it waits for a file without end")
			}
		})
	}
}
