package module

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a module's files with those in testdata/NAME.
func golden(t *testing.T, name string, files []File) {
	t.Helper()
	dir := filepath.Join("testdata", name)
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		c, err := Compare(dir, files)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Write(); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{}
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		want[filepath.ToSlash(rel)] = string(b)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		got[f.Name] = string(f.Content)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got); `go test ./internal/module -update` writes it anew:\n%s", name, diff)
	}
}

// wellFormed checks what all modules have in common.
func wellFormed(t *testing.T, files []File) {
	t.Helper()
	names := map[string]File{}
	for _, f := range files {
		names[f.Name] = f
		text := string(f.Content)
		if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") || strings.Contains(text, "\t") {
			t.Errorf("%s does not end in one line break, or has tabs", f.Name)
		}
		if strings.HasSuffix(f.Name, ".tf") || strings.HasSuffix(f.Name, ".hcl") {
			if _, diags := hclsyntax.ParseConfig(f.Content, f.Name, hcl.InitialPos); diags.HasErrors() {
				t.Error(diags)
			}
		}
		if f.Executable && !strings.HasPrefix(text, "#!") {
			t.Errorf("%s is executable and says not by what", f.Name)
		}
	}
	for _, name := range []string{"versions.tf", "variables.tf", "main.tf", "outputs.tf", "README.md"} {
		if _, ok := names[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	if readme := string(names["README.md"].Content); strings.Contains(readme, "{{") || strings.Contains(readme, "<no value>") {
		t.Error("README.md has holes")
	}
	vars, _ := hclsyntax.ParseConfig(names["variables.tf"].Content, "variables.tf", hcl.InitialPos)
	body, ok := vars.Body.(*hclsyntax.Body)
	if !ok {
		t.Fatal("variables.tf has no body")
	}
	for _, b := range body.Blocks {
		if b.Body.Attributes["description"] == nil || b.Body.Attributes["type"] == nil {
			t.Errorf("variable %s has no type or no description", b.Labels[0])
		}
		if !strings.Contains(string(names["README.md"].Content), "`"+b.Labels[0]+"`") {
			t.Errorf("README.md does not say what %s is", b.Labels[0])
		}
	}
}

func TestMacFleetGolden(t *testing.T) {
	for name, change := range map[string]func(*MacFleet){
		"mac-fleet": func(*MacFleet) {},
		"mac-fleet-other": func(m *MacFleet) {
			m.Name, m.InstanceType, m.Images, m.ImageSizeGiB, m.Hosts = "vision", "mac2.metal", 1, 90.5, 1
			m.HostQuota, m.VMsPerHost, m.RootSizeGiB, m.VMDataSizeGiB = 3, 1, 200, 500
			m.Licence = false
		},
	} {
		m := NewMacFleet()
		change(m)
		files, err := Generate(m)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, files)
		golden(t, name, files)
	}
}

func TestMacFleetRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*MacFleet)
		want   string
	}{
		"a mistyped type":    {func(m *MacFleet) { m.InstanceType = "mac2-m2por.metal" }, "--instance-type: no such instance type in the table of 2026-08-02; the closest are mac2-m2pro.metal, "},
		"no type":            {func(m *MacFleet) { m.InstanceType = "" }, "--instance-type: no such instance type"},
		"no Mac":             {func(m *MacFleet) { m.InstanceType = "m8a.xlarge" }, "--instance-type: m8a.xlarge is not a Mac; EC2 Mac types are mac-m3ultra.metal, "},
		"no images":          {func(m *MacFleet) { m.Images = 0 }, "--images: must be 1 or more"},
		"too many images":    {func(m *MacFleet) { m.Images = 65 }, "--images: must be 1 to 64"},
		"images of nothing":  {func(m *MacFleet) { m.ImageSizeGiB = 0 }, "--image-size-gib: must be more than 0 and at most 16384"},
		"no hosts":           {func(m *MacFleet) { m.Hosts = -1 }, "--hosts: must be 1 or more"},
		"a small quota":      {func(m *MacFleet) { m.Hosts, m.HostQuota = 4, 3 }, "--host-quota: must be 4 or more"},
		"three VMs":          {func(m *MacFleet) { m.VMsPerHost = 3 }, "--vms-per-host: must be 1 to 2"},
		"no name":            {func(m *MacFleet) { m.Name = "" }, "--name: must not be empty"},
		"a long name":        {func(m *MacFleet) { m.Name = strings.Repeat("a", 25) }, "--name: must have at most 24 characters"},
		"a name with spaces": {func(m *MacFleet) { m.Name = "my fleet" }, "--name: must be lower-case letters"},
		"a name with code":   {func(m *MacFleet) { m.Name = "${x}" }, "--name: must be lower-case letters"},
		"AWS's name":         {func(m *MacFleet) { m.Name = "aws-macs" }, `--name: must not begin with "aws"`},
		"little room":        {func(m *MacFleet) { m.VMDataSizeGiB = 149 }, "--vmdata-size-gib: must be 150 or more"},
		"a volume too large": {func(m *MacFleet) { m.Images, m.ImageSizeGiB = 64, 16384 }, "--vmdata-size-gib: must be 1 to 65536"},
		"hours of pulling":   {func(m *MacFleet) { m.Images, m.ImageSizeGiB = 64, 1000 }, "Rule: mac-grace-period"},
	} {
		m := NewMacFleet()
		tt.change(m)
		files, err := Generate(m)
		if err == nil || files != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	var option *OptionError
	m := NewMacFleet()
	m.Hosts = 0
	if _, err := Generate(m); !errors.As(err, &option) || option.Option != "hosts" {
		t.Errorf("got %v", err)
	}
}

// EC2 takes 16 KiB of user data; the settings come on top of the script.
func TestUserDataFits(t *testing.T) {
	const most, settings = 16 << 10, 3 << 10
	if n := len(text("mac-fleet/host.sh")); n > most-settings {
		t.Errorf("host.sh has %d bytes", n)
	}
}

func TestTree(t *testing.T) {
	got := Tree("out", []File{{Name: "a/b.tf"}, {Name: "a/c/d.sh"}, {Name: "e"}})
	want := "out\n├── a\n│   ├── b.tf\n│   └── c\n│       └── d.sh\n└── e\n"
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func write(t *testing.T, dir string, files ...File) error {
	t.Helper()
	c, err := Compare(dir, files)
	if err != nil {
		return err
	}
	return c.Write()
}

// listed are the files below a folder, with their content.
func listed(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWrite(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "modules", "fleet")
	a, script := File{Name: "a.tf", Content: []byte("a\n")}, File{Name: "scripts/b.sh", Content: []byte("#!/bin/sh\n"), Executable: true}
	if err := write(t, dir, a, script); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"modules/fleet/a.tf": "a\n", "modules/fleet/scripts/b.sh": "#!/bin/sh\n"}, listed(t, top)); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]fs.FileMode{"a.tf": 0o644, "scripts/b.sh": 0o755, ".": 0o755 | fs.ModeDir} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, want)
		}
	}

	// Over what is there: what has other names stays.
	if err := os.WriteFile(filepath.Join(dir, "own.tf"), []byte("own\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.Content = []byte("b\n")
	c, err := Compare(dir, []File{a, script, {Name: "new.tf", Content: []byte("new\n")}})
	if err != nil || !c.Exists() {
		t.Fatal(c, err)
	}
	shown := strings.TrimPrefix(filepath.ToSlash(dir), "/")
	if want := "--- a/" + shown + "/a.tf\n+++ b/" + shown + "/a.tf\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/" + shown + "/new.tf\n@@ -0,0 +1 @@\n+new\n"; c.Diff() != want {
		t.Errorf("got\n%s\nwant\n%s", c.Diff(), want)
	}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a.tf": "b\n", "scripts/b.sh": "#!/bin/sh\n", "own.tf": "own\n", "new.tf": "new\n"}, listed(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// After a failure everything is as it was.
func TestWriteNothing(t *testing.T) {
	a, inner := File{Name: "a.tf", Content: []byte("new\n")}, File{Name: "x/b.tf", Content: []byte("new\n")}
	for name, tt := range map[string]struct {
		prepare func(dir string) error
		// between happens after Compare.
		between func(dir string) error
		dir     string
		want    string
	}{
		"a file in the way":           {prepare: func(d string) error { return os.WriteFile(filepath.Join(d, "m"), nil, 0o600) }, dir: "m", want: "there is a file of this name"},
		"a file above":                {prepare: func(d string) error { return os.WriteFile(filepath.Join(d, "m"), nil, 0o600) }, dir: "m/n/o", want: "not a directory"},
		"nothing above can be made":   {dir: "m/" + strings.Repeat("n", 300) + "/o", want: "file name too long"},
		"a folder in a file's place":  {prepare: func(d string) error { return os.MkdirAll(filepath.Join(d, "m", "a.tf"), 0o750) }, dir: "m", want: "is not a regular file"},
		"a file in a folder's place":  {prepare: func(d string) error { return os.WriteFile(filepath.Join(d, "x"), nil, 0o600) }, dir: ".", want: "not a directory"},
		"a link in a file's place":    {prepare: func(d string) error { return os.Symlink("/etc/hosts", filepath.Join(d, "a.tf")) }, dir: ".", want: "is not a regular file"},
		"a folder that leads outside": {prepare: func(d string) error { return os.Symlink("/usr", filepath.Join(d, "x")) }, dir: ".", want: "escapes"},
		"somebody else writes":        {between: func(d string) error { return os.WriteFile(filepath.Join(d, "x"), []byte("theirs"), 0o600) }, dir: ".", want: "x/b.tf has changed meanwhile"},
		"somebody else writes a.tf":   {between: func(d string) error { return os.WriteFile(filepath.Join(d, "a.tf"), []byte("theirs"), 0o600) }, dir: ".", want: "a.tf has changed meanwhile"},
		"somebody else is faster": {between: func(d string) error {
			return errors.Join(os.Mkdir(filepath.Join(d, "m"), 0o750), os.WriteFile(filepath.Join(d, "m", "theirs"), nil, 0o600))
		}, dir: "m", want: "m: "},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			if tt.prepare != nil {
				if err := tt.prepare(top); err != nil {
					t.Fatal(err)
				}
			}
			dir := filepath.Join(top, tt.dir)
			c, err := Compare(dir, []File{a, inner})
			if tt.between != nil {
				if err := tt.between(top); err != nil {
					t.Fatal(err)
				}
			}
			before := tree(t, top)
			if err == nil {
				err = c.Write()
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if diff := cmp.Diff(before, tree(t, top)); diff != "" {
				t.Errorf("something was left behind:\n%s", diff)
			}
		})
	}
}

// tree is everything below a folder, folders included.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		out = append(out, path+" "+d.Type().String())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// A folder that may not be written is a failure with its name.
func TestWriteUnwritable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("everything is writable for root")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := write(t, filepath.Join(dir, "m"), File{Name: "a.tf"}); err == nil || !strings.Contains(err.Error(), "there is no permission to write there") {
		t.Errorf("got %v", err)
	}
}
