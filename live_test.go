package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/fakeaws"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/tool"
)

// The linker leaves out the hundreds of operations of AWS's clients that are not
// called. One conversion of a client to an interface would bring them all back: 40
// MB of binary and 15 ms of every start.
func TestOnlyCalledOperationsAreLinked(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "runnerfit")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	symbols, err := exec.Command("go", "tool", "nm", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	const client = "github.com/aws/aws-sdk-go-v2/service/%s.(*Client).%s"
	for operation, want := range map[[2]string]bool{
		{"ec2", "DescribeVolumes"}:       true,
		{"ec2", "RunInstances"}:          false,
		{"cloudwatch", "GetMetricData"}:  true,
		{"cloudwatch", "PutMetricAlarm"}: false,
	} {
		if name := fmt.Sprintf(client, operation[0], operation[1]); strings.Contains(string(symbols), name+"\n") != want {
			t.Errorf("%s is linked: %v", name, !want)
		}
	}
	t.Run("no credential is repeated", func(t *testing.T) { noCredentialIsRepeated(t, binary) })
}

// noCredentialIsRepeated plans, applies and fails with a real Terraform and this
// binary, with everything logged, and looks for credentials in all that was
// printed or stored: those of the configuration, of the environment, and of what
// AWS says in its errors.
func noCredentialIsRepeated(t *testing.T, binary string) {
	t.Helper()
	s := fakeaws.New(t)
	s.Products = fakeaws.Prices()
	refuse := false
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuse {
			fakeaws.EC2Error(w, http.StatusForbidden, "UnauthorizedOperation", "MARKERBODY AKIAMARKERBODY0000 is not authorized")
			return
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)

	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(binary, filepath.Join(dir, "terraform-provider-runnerfit")); err != nil {
		t.Fatal(err)
	}
	write("rc", fmt.Sprintf("provider_installation {\n dev_overrides {\n \"runnerfit/runnerfit\" = %q\n }\n direct {}\n}\n", dir))
	config := func(keys string) string {
		return fmt.Sprintf(`
terraform {
  required_providers {
    runnerfit = { source = "runnerfit/runnerfit" }
  }
}
provider "runnerfit" {
  catalog = "aws"
  aws {
    region                  = "us-east-1"
    skip_metadata_api_check = true
    max_retries             = 2
    %[2]s
    endpoints {
      ec2     = %[1]q
      pricing = %[1]q
      sts     = %[1]q
    }
  }
}
data "runnerfit_instance_ebs" "mac" {
  instance_type = "mac2.metal"
}
data "runnerfit_mac_hosts" "all" {}
resource "runnerfit_instance_storage" "x" {
  instance_type = "m8a.xlarge"
  volume {
    name     = "root"
    size_gib = 100
  }
}
output "source" {
  value = data.runnerfit_instance_ebs.mac.source
}
`, front.URL, keys)
	}
	environ := []string{}
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "TF_") && !strings.HasPrefix(e, "AWS_") {
			environ = append(environ, e)
		}
	}
	environ = append(environ, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(dir, "trace.log"), "TF_CLI_CONFIG_FILE="+filepath.Join(dir, "rc"), "CHECKPOINT_DISABLE=1",
		"AWS_ACCESS_KEY_ID=AKIAMARKERENVIRON000", "AWS_SECRET_ACCESS_KEY=MARKERENVSECRET", "AWS_SESSION_TOKEN=MARKERENVTOKEN", "NO_PROXY=127.0.0.1")
	printed := &strings.Builder{}
	terraform := func(want int, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), tool.Path(t), args...)
		cmd.Dir, cmd.Env = dir, environ
		out, err := cmd.CombinedOutput()
		if args[0] == "show" {
			// It repeats the configuration as it is written; that is Terraform's own.
			var plan map[string]any
			if err := json.Unmarshal(out, &plan); err != nil {
				t.Fatal(err)
			}
			delete(plan, "configuration")
			if out, err = json.Marshal(plan); err != nil {
				t.Fatal(err)
			}
		}
		printed.Write(out)
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Fatalf("%v: exit %d, %v\n%s", args, code, err, out)
		}
		return string(out)
	}
	// The configuration itself holds the markers, so it is not in the folder that is
	// searched.
	const keys = "access_key = \"AKIAMARKERCONFIG0000\"\n secret_key = \"MARKERCONFIGSECRET\"\n token = \"MARKERCONFIGTOKEN\"\n"
	for _, k := range []string{keys, ""} {
		refuse = false
		write("main.tf", config(k))
		terraform(0, "plan", "-no-color", "-out", "plan.bin")
		terraform(0, "show", "-json", "plan.bin")
		terraform(0, "apply", "-no-color", "plan.bin")
		if out := terraform(0, "output", "-no-color"); !strings.Contains(out, "EC2 DescribeInstanceTypes in us-east-1") {
			t.Errorf("the output is %s", out)
		}
		refuse = true
		if out := terraform(1, "plan", "-no-color"); !strings.Contains(strings.Join(strings.Fields(out), " "), "access was denied (UnauthorizedOperation)") {
			t.Errorf("the failing plan says %s", out)
		}
	}
	write("printed", printed.String())
	// A saved plan holds the configuration, too. What the provider adds to it was
	// shown as JSON.
	for _, name := range []string{"main.tf", "plan.bin"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	searched := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "terraform-provider-runnerfit" {
			return err
		}
		content, err := os.ReadFile(path)
		searched += len(content)
		for line := range strings.Lines(string(content)) {
			if strings.Contains(line, "MARKER") {
				t.Errorf("%s: %s", d.Name(), line)
			}
		}
		return err
	})
	if err != nil || searched < 100_000 {
		t.Errorf("%d bytes were searched, %v", searched, err)
	}
}
