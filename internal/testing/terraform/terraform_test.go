package terraform

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/tool"
)

// fakeT takes failures down that would end the test.
type fakeT struct {
	testing.TB
	failure string
}

func (f *fakeT) Helper() {}

func (f *fakeT) Fatal(args ...any) { f.Fatalf("%s", fmt.Sprint(args...)) }

func (f *fakeT) Fatalf(format string, args ...any) {
	f.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failureOf runs a function that fails the fake, and returns how; "" if it does
// not.
func (f *fakeT) failureOf(run func()) string {
	f.failure = ""
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	<-done
	return f.failure
}

// settings is a configuration with both providers.
const settings = `terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
    runnerfit = {
      source  = "runnerfit/runnerfit"
      version = ">= 0.1"
    }
  }
}

variable "throughput" {
  type    = number
  default = 750
}

resource "aws_ebs_volume" "data" {
  availability_zone = "us-east-1a"
  size              = 100
  type              = "gp3"
  throughput        = var.throughput
  iops              = provider::runnerfit::gp3_min_iops(var.throughput)
}

output "iops" {
  value = aws_ebs_volume.data.iops
}
`

func TestLife(t *testing.T) {
	t.Parallel()
	f := New(t)
	f.Write("main.tf", settings)
	f.Write("tests/throughput.tftest.hcl", `run "fast" {
  variables {
    throughput = 1000
  }
  assert {
    condition     = output.iops == 4000
    error_message = "got ${output.iops}"
  }
}
`)
	f.Setenv("TF_VAR_throughput", "1500")
	plan, outputs := f.Life()
	if plan.Warned() {
		t.Error(plan)
	}
	if changes := plan.Content.ResourceChanges; len(changes) != 1 || changes[0].Address != "aws_ebs_volume.data" || !changes[0].Change.Actions.Create() {
		t.Errorf("planned %s", plan.JSON)
	}
	if outputs["iops"] != 6000.0 {
		t.Errorf("outputs are %v", outputs)
	}
	if r := f.Test(); !strings.Contains(r.Stdout, "1 passed") {
		t.Error(r)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	f := New(t)
	f.Write("main.tf", settings)
	f.Init()
	fake := &fakeT{TB: t}
	failing := *f
	failing.tb = fake
	for _, tt := range []struct {
		name, main string
		run        func(f *Folder)
		want       string // nothing fails if it is empty
	}{
		{"plan", settings, func(f *Folder) { f.Plan("-var=throughput=3000") }, "the plan is refused"},
		{"refused plan", settings, func(f *Folder) { f.PlanRefused("-var=throughput=3000") }, ""},
		{"accepted plan", settings, func(f *Folder) { f.PlanRefused() }, "the plan is not refused"},
		{"changes", settings, func(f *Folder) { f.NoChanges() }, "the plan is not empty"},
		{"validation", settings + `resource "aws_ebs_volume" "x" {}`, func(f *Folder) { f.Validate() }, "is not valid"},
		{"format", settings + "locals {\nx=1\n}", func(f *Folder) { f.CheckFormat() }, "not formatted"},
	} {
		f.Write("main.tf", tt.main)
		got := fake.failureOf(func() { tt.run(&failing) })
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: failed with %q, want %q", tt.name, got, tt.want)
		}
	}
}

// No registry is asked for a provider that the mirror does not have.
func TestOffline(t *testing.T) {
	t.Parallel()
	f := New(t)
	f.Write("main.tf", `resource "random_pet" "x" {}`)
	if r := f.Run("init"); r.ExitCode == 0 || !strings.Contains(r.Stderr, "hashicorp/random") {
		t.Error(r)
	}
}

func TestCopy(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	for _, name := range []string{"main.tf", "modules/a/main.tf", ".terraform/providers/x", ".terraform.lock.hcl", "terraform.tfstate", "terraform.tfstate.backup"} {
		path := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := Copy(t, from)
	var got []string
	if err := filepath.WalkDir(f.Path(), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(f.Path(), path)
			got = append(got, filepath.ToSlash(name))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"main.tf", "modules/a/main.tf"}; !slices.Equal(got, want) {
		t.Errorf("copied %v, want %v", got, want)
	}
	if got := f.Folder("modules/a").Path("main.tf"); got != f.Path("modules", "a", "main.tf") {
		t.Errorf("the folder inside is at %s", got)
	}
}

func TestEnvironment(t *testing.T) {
	got := environment([]string{"HOME=/h", "TF_VAR_x=1", "TF_REATTACH_PROVIDERS={}", "AWS_REGION=eu-west-1"}, "/c")
	if want := []string{"HOME=/h", "TF_CLI_CONFIG_FILE=/c"}; !slices.Equal(got[:2], want) || slices.ContainsFunc(got, func(e string) bool {
		return strings.HasPrefix(e, "TF_VAR_") || strings.HasPrefix(e, "AWS_") || strings.HasPrefix(e, "TF_REATTACH_")
	}) {
		t.Errorf("got %v", got)
	}
}

func TestFind(t *testing.T) {
	fake := &fakeT{TB: t}
	dir := t.TempDir()
	install := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("PATH", dir)
	t.Setenv("TF_ACC_TERRAFORM_PATH", "")
	if got := fake.failureOf(func() { tool.Path(fake) }); !strings.Contains(got, "`make test` sets TF_ACC_TERRAFORM_PATH") {
		t.Errorf("without a tool: %q", got)
	}
	tofu := install("tofu")
	if got := tool.Path(t); got != tofu {
		t.Errorf("found %s, want %s", got, tofu)
	}
	terraform := install("terraform")
	if got := tool.Path(t); got != terraform {
		t.Errorf("found %s, want %s", got, terraform)
	}
	t.Setenv("TF_ACC_TERRAFORM_PATH", tofu)
	if got := tool.Path(t); got != tofu {
		t.Errorf("found %s, want the chosen %s", got, tofu)
	}
	t.Setenv("TF_ACC_TERRAFORM_PATH", filepath.Join(dir, "missing"))
	if got := fake.failureOf(func() { tool.Path(fake) }); !strings.Contains(got, "missing") {
		t.Errorf("a missing choice: %q", got)
	}
}
