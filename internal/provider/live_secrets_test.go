package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/fakeaws"
	installed "github.com/runnerfit/terraform-provider-runnerfit/internal/testing/terraform"
)

// No credential, and nothing that AWS says in an error, is in the state, in what
// a plan says of resources, on the terminal, in a diagnostic or in the log at its
// loudest, with the provider as it is installed.
func TestCredentialsStaySecret(t *testing.T) {
	const (
		key, secret, token = "AKIASECRETSECRETKEY0", "SECRETMARKER/wJalrXUtnFEMI+K7MDENG", "SECRETMARKERTOKEN/FwoGZXIvYXdzE"
		inError            = "SECRETMARKERINERROR arn:aws:iam::123456789012:user/somebody"
	)
	s := fakeaws.New(t)
	s.Instances = []awslive.Instance{{ID: "i-00000001", Type: "mac2-m2pro.metal", State: "running"}}
	s.Volumes = []awslive.Volume{{ID: "vol-00000001", Type: "gp3", SizeGiB: 750, IOPS: 6000, ThroughputMiBPerS: 700, InstanceID: "i-00000001", Created: time.Unix(0, 0)}}
	s.Metric = func(_, _ string, _ time.Time) (float64, bool) { return 60, true }
	signed := false
	refused := false
	s.Fault = func(call string, _ int, w http.ResponseWriter, r *http.Request) bool {
		signed = signed || strings.Contains(r.Header.Get("Authorization"), key) && r.Header.Get("X-Amz-Security-Token") == token
		switch {
		case refused:
			fakeaws.EC2Error(w, 403, "UnauthorizedOperation", inError)
		case call == "GetProducts": // a warning in a run that is fine
			fakeaws.JSONError(w, 400, "AccessDeniedException", inError)
		default:
			return false
		}
		return true
	}
	for name, keys := range map[string]string{
		"by the configuration": "access_key = var.key\n secret_key = var.secret\n token = var.token",
		"by the environment":   "",
	} {
		t.Run(name, func(t *testing.T) {
			f := installed.New(t)
			f.Write("main.tf", fmt.Sprintf(`
terraform {
  required_providers {
    runnerfit = { source = "runnerfit/runnerfit" }
  }
}
variable "key" { sensitive = true }
variable "secret" { sensitive = true }
variable "token" { sensitive = true }
provider "runnerfit" {
  catalog = "aws"
  aws {
    region                  = "us-east-1"
    skip_metadata_api_check = true
    %[2]s
    endpoints {
      ec2        = %[1]q
      cloudwatch = %[1]q
      pricing    = %[1]q
      sts        = %[1]q
    }
  }
}
data "runnerfit_volume_usage" "v" {
  volume_id = "vol-00000001"
  days      = 1
}
output "iops" { value = data.runnerfit_volume_usage.v.recommended.iops }
`, s.URL, keys))
			own := map[string]string{"TF_VAR_key": key, "TF_VAR_secret": secret, "TF_VAR_token": token}
			if keys == "" {
				own = map[string]string{"TF_VAR_key": "-", "TF_VAR_secret": "-", "TF_VAR_token": "-", "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": token}
			}
			for name, value := range own {
				f.Setenv(name, value)
			}
			log := f.Path("trace.log")
			f.Init()
			f.Setenv("TF_LOG", "TRACE")
			f.Setenv("TF_LOG_PATH", log)
			signed, refused = false, false
			plan := f.Plan()
			said := map[string]string{"the plan's output": plan.String()}
			// What the plan says of resources; its variables are Terraform's own.
			for part, of := range map[string]any{"planned values": plan.Content.PlannedValues, "prior state": plan.Content.PriorState, "changes": plan.Content.ResourceChanges, "outputs": plan.Content.OutputChanges} {
				text, err := json.Marshal(of)
				if err != nil {
					t.Fatal(err)
				}
				said["the plan's "+part] = string(text)
			}
			said["the apply"] = f.Apply().String()
			refused = true
			failed := f.PlanRefused()
			said["the failure"] = failed.String()
			for name, path := range map[string]string{"the state": f.Path("terraform.tfstate"), "the log": log} {
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				said[name] = string(content)
			}
			// It would prove nothing if the keys were not used, or nothing was said.
			if !signed || !strings.Contains(failed.String(), "UnauthorizedOperation") || !plan.Warned() ||
				!strings.Contains(said["the log"], "[TRACE]") || !strings.Contains(said["the log"], "runnerfit_volume_usage") || !strings.Contains(said["the state"], "vol-00000001") {
				t.Errorf("signed %v, warned %v\n%s", signed, plan.Warned(), failed)
			}
			for where, text := range said {
				for _, marker := range []string{"SECRETMARKER", key, "somebody", "123456789012"} {
					if at := strings.Index(text, marker); at >= 0 {
						t.Errorf("%q is in %s: …%s…", marker, where, text[max(0, at-200):min(len(text), at+100)])
					}
				}
			}
		})
	}
}
