//go:build moto

package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
)

// The command line against moto's server, which `make test-aws` starts.
func TestMotoCatalogRefresh(t *testing.T) {
	url := os.Getenv("RUNNERFIT_TEST_AWS")
	if url == "" {
		t.Fatal("RUNNERFIT_TEST_AWS is not set; `make test-aws` starts the server and sets it")
	}
	live(t)
	out := filepath.Join(t.TempDir(), "catalog.json")
	stdout, stderr, code := run(t, "catalog", "refresh", "--no-prices", "--timeout", "2m", "--out", out, "--endpoint-ec2", url)
	if code != cli.ExitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	contains(t, stdout, "instance types of us-east-1", "without prices")
	f, err := catalog.LoadFile(out)
	if err != nil || len(f.Instances()) < 1300 {
		t.Errorf("%v", err)
	}
}
