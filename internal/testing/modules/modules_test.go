// Package modules takes generated modules through their whole life on a real
// Terraform or OpenTofu, with what people install and a stand-in for
// hashicorp/aws.
package modules

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/module"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/terraform"
)

// everything is the variable by which `make test-modules` asks for all kinds
// with all sets of flags; without it, each kind runs once.
const everything = "RUNNERFIT_TEST_MODULES"

func matrix(t *testing.T) {
	t.Helper()
	if os.Getenv(everything) == "" {
		t.Skip("`make test-modules` runs all sets of flags")
	}
}

// generate writes a module's files into a folder of their own.
func generate(t *testing.T, k module.Kind) *terraform.Folder {
	t.Helper()
	files, err := module.Generate(k)
	if err != nil {
		t.Fatal(err)
	}
	f := terraform.New(t)
	for _, file := range files {
		f.Write(file.Name, string(file.Content))
	}
	return f
}

// life takes the example of a module through its life, and the module through
// its own tests. It returns the plan and the outputs of the example.
func life(t *testing.T, f *terraform.Folder) (*terraform.Plan, map[string]any) {
	t.Helper()
	f.CheckFormat()
	example := f.Folder("examples/basic")
	plan, outputs := example.Life()
	if plan.Warned() {
		t.Error(plan)
	}
	f.Init()
	f.Validate()
	if r := f.Test(); strings.Contains(r.Stdout, " 0 passed") {
		t.Error(r)
	}
	audited(t, f, plan)
	return plan, outputs
}

// audited fails the test if the audit finds a warning or an error, in the plan
// or in the configuration.
func audited(t *testing.T, f *terraform.Folder, plan *terraform.Plan) {
	t.Helper()
	f.Write("audit/plan.json", string(plan.JSON))
	for _, path := range []string{f.Path("audit", "plan.json"), f.Path("examples", "basic"), f.Path()} {
		var stdout, stderr bytes.Buffer
		if code := cli.Run(context.WithoutCancel(t.Context()), "test", []string{"audit", "--fail-on", "warning", path}, strings.NewReader(""), &stdout, &stderr); code != cli.ExitOK {
			t.Errorf("audit of %s: exit code %d\n%s%s", path, code, &stdout, &stderr)
		}
	}
}

// said is what a tool printed, without the frame and the line breaks of a
// diagnostic.
func said(r terraform.Result) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(r.Stdout+r.Stderr, "│", "")), " ")
}
