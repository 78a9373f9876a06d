package modules

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/module"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/terraform"
)

// mini is a module whose Mac's home is a folder of the test.
func mini(t *testing.T, change func(*module.DockerMac)) (f *terraform.Folder, home string) {
	t.Helper()
	k := module.NewDockerMac()
	if change != nil {
		change(k)
	}
	home = t.TempDir()
	f = generate(t, k)
	f.Setenv("HOME", home)
	return f, home
}

// tree are the files below a folder, and whether they can be started.
func tree(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = err == nil && info.Mode().Perm()&0o100 != 0
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDockerMac(t *testing.T) {
	t.Parallel()
	f, home := mini(t, nil)
	plan, outputs := life(t, f)
	if outputs["runners"] != 5.0 {
		t.Errorf("there are %v runners, want 5", outputs["runners"])
	}
	if got := tree(t, home); len(got) != 0 {
		t.Errorf("destroying left %v", got)
	}
	for _, c := range plan.Content.ResourceChanges {
		if c.Type != "terraform_data" {
			t.Errorf("%s is created", c.Address)
		}
	}
}

func TestDockerMacFiles(t *testing.T) {
	t.Parallel()
	f, home := mini(t, func(k *module.DockerMac) {
		k.Name, k.Organizations, k.CPUs, k.Directory = "mini", 2, 16, "~/ci runners"
	})
	f.Init()
	f.Apply("-var=runner_image=ghcr.io/example/runner:1")
	if diff := cmp.Diff(map[string]bool{
		"ci runners/.env": false, "ci runners/compose.yaml": false, "ci runners/start.sh": true, "ci runners/check.sh": true,
		"Library/LaunchAgents/runnerfit.mini.plist": false,
	}, tree(t, home)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	wantEnv := "COMPOSE_PROJECT_NAME=mini\nREPLICAS=2\nRUNNER_IMAGE=ghcr.io/example/runner:1\n" +
		"# What check.sh compares Docker with.\nVM_MEMORY_GIB=20\nRUNNERS=4\nVM_CPUS=16\n"
	if diff := cmp.Diff(wantEnv, read(t, home, "ci runners", ".env")); diff != "" {
		t.Errorf(".env (-want +got):\n%s", diff)
	}
	var compose struct {
		Services map[string]struct {
			MemLimit string `yaml:"mem_limit"`
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, home, "ci runners", "compose.yaml")), &compose); err != nil || len(compose.Services) != 2 || compose.Services["runner-org2"].MemLimit != "3g" {
		t.Errorf("the services are %v, %v", compose.Services, err)
	}
	plist := read(t, home, "Library", "LaunchAgents", "runnerfit.mini.plist")
	for d := xml.NewDecoder(strings.NewReader(plist)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the unit: %v\n%s", err, plist)
		}
	}
	for _, want := range []string{"<string>runnerfit.mini</string>", "<string>" + home + "/ci runners/start.sh</string>", "<integer>300</integer>"} {
		if !strings.Contains(plist, want) {
			t.Errorf("%s is missing in\n%s", want, plist)
		}
	}

	// The runners' own files are nobody's business, and a change writes what changed.
	own := filepath.Join(home, "ci runners", "org1.env")
	if err := os.WriteFile(own, []byte("TOKEN=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.NoChanges("-var=runner_image=ghcr.io/example/runner:1")
	if r := f.Apply("-var=runner_image=ghcr.io/example/runner:2"); !strings.Contains(r.Stdout, "1 added, 0 changed, 1 destroyed") {
		t.Error(r)
	}
	if got := read(t, home, "ci runners", ".env"); !strings.Contains(got, "runner:2") {
		t.Errorf(".env is still %q", got)
	}

	// What somebody changed stays: at an apply, and at the end.
	check := filepath.Join(home, "ci runners", "check.sh")
	if err := os.WriteFile(check, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Destroy()
	if diff := cmp.Diff(map[string]bool{"ci runners/check.sh": true, "ci runners/org1.env": false}, tree(t, home)); diff != "" {
		t.Errorf("left are (-want +got):\n%s", diff)
	}
	if r := f.Run("apply", "-auto-approve"); r.ExitCode != 1 || !strings.Contains(said(r), "this file was there before or has been changed by hand") || read(t, check) != "#!/bin/sh\n" {
		t.Error(r)
	}
}

// Compose's own reading of the file, with what .env says.
func TestDockerMacCompose(t *testing.T) {
	t.Parallel()
	f, home := mini(t, func(k *module.DockerMac) { k.Name = "mini" })
	f.Init()
	f.Apply("-var=runner_image=ghcr.io/example/runner:1", "-var=replicas=3")
	o, err := cli.NewProjectOptions([]string{filepath.Join(home, "ci-runners", "compose.yaml")}, cli.WithEnvFiles(), cli.WithDotEnv)
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := p.Services["runner-org1"]
	if p.Name != "mini" || len(p.Services) != 1 || s.Image != "ghcr.io/example/runner:1" || s.GetScale() != 3 || s.MemLimit != 3<<30 {
		t.Errorf("%s has %d services, the first has %d of %s with %d bytes", p.Name, len(p.Services), s.GetScale(), s.Image, s.MemLimit)
	}
}

func TestDockerMacRefuses(t *testing.T) {
	t.Parallel()
	f, home := mini(t, nil)
	f.Init()
	for name, tt := range map[string]struct{ variable, want string }{
		"no room":          {"memory_gib=5", "has no room for one runner of each organisation"},
		"more than it has": {"replicas=6", "more than Docker's VM has"},
		"no replicas":      {"replicas=0", "Write a whole number of 1 or more."},
		"a relative path":  {"directory=runners", "Write an absolute path"},
		"a path with XML":  {"directory=/a<b>", "Write an absolute path"},
		"an image of code": {"runner_image=x\ny=1", "Write the name of an image"},
		"a name of spaces": {"name=ci runners", "lower-case letters, digits and single hyphens"},
	} {
		if got := said(f.PlanRefused("-var=" + tt.variable)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q is missing in %s", name, tt.want, got)
		}
	}
	if plan := f.Plan(); plan.Warned() {
		t.Error(plan)
	}
	// Who asks for more than fits gets it, and is told.
	if plan := f.Plan("-var=replicas=6", "-var=allow_overcommit=true"); !strings.Contains(said(plan.Result), "Rule: docker-memory-overcommit") {
		t.Error(plan)
	}
	if got := tree(t, home); len(got) != 0 {
		t.Errorf("planning wrote %v", got)
	}
}

func TestDockerMacMatrix(t *testing.T) {
	matrix(t)
	t.Parallel()
	for name, change := range map[string]func(*module.DockerMac){
		"three organisations": func(k *module.DockerMac) { k.Organizations, k.MemoryGiB = 3, 31.5 },
		"the smallest":        func(k *module.DockerMac) { k.MemoryGiB, k.CPUs = 6, 2 },
		"large jobs":          func(k *module.DockerMac) { k.MemoryGiB, k.MemoryLimitGiB, k.Directory = 48, 7.5, "~/a b/c" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := mini(t, change)
			life(t, f)
		})
	}
}
