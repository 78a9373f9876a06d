// Package tool finds the Terraform or OpenTofu that tests run.
package tool

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Path is the path of the tool: what TF_ACC_TERRAFORM_PATH names, else
// terraform or tofu on PATH. The test fails if there is none.
func Path(tb testing.TB) string {
	tb.Helper()
	names := []string{"terraform", "tofu"}
	if chosen := os.Getenv("TF_ACC_TERRAFORM_PATH"); chosen != "" {
		names = []string{chosen} // A choice is not replaced by a guess.
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	tb.Fatalf("%s cannot be run. `make test` sets TF_ACC_TERRAFORM_PATH, and builds OpenTofu where nothing else is there.", strings.Join(names, " or "))
	return ""
}
