package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
)

// Every flag of a kind arrives in the module as the default of a variable.
func TestModuleFlags(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		// files are the module's files with what stands in them.
		files map[string][]string
	}{
		"linux-runners": {
			[]string{"linux-runners", "--name", "builds", "--instance-type", "r8a.xlarge", "--disk", "tmpfs", "--root-size-gib", "60", "--throughput-mib-per-s", "200"},
			map[string][]string{
				"variables.tf":          {`= "builds"`, `= "r8a.xlarge"`, "= 60\n", "= 200\n", `variable "tmpfs_limit_percent"`},
				"templates/job-disk.sh": {"#!/bin/bash\n"},
			},
		},
		"linux-runners on gp3": {
			[]string{"linux-runners"},
			map[string][]string{"variables.tf": {`= "m8a.2xlarge"`, "peak_iops"}},
		},
		"actions-cache": {
			[]string{"actions-cache", "--name", "hub", "--instance-type", "m8g.large", "--entry-gib", "2.5", "--daily-upload-gib", "20.5", "--retention-days", "31"},
			map[string][]string{
				"variables.tf": {`= "hub"`, `= "m8g.large"`, "= 2.5\n", "= 20.5\n", "= 31\n"},
				"guard.tf":     {`"sqlite"`},
				"instance.tf":  {`"aws_instance" "server"`},
			},
		},
		"actions-cache on Fargate": {
			[]string{"actions-cache", "--compute", "fargate", "--replicas", "3"},
			map[string][]string{"variables.tf": {"= 3\n", `variable "database_url_secret_arn"`}, "guard.tf": {`"postgres"`}},
		},
		"docker-mac": {
			[]string{"docker-mac", "--name", "mini", "--memory-gib", "31.5", "--cpus", "12", "--memory-limit-gib", "4.5", "--organizations", "3", "--directory", "/opt/ci"},
			map[string][]string{
				"variables.tf": {`= "mini"`, "= 31.5\n", "= 12\n", "= 4.5\n", "= 3\n", `= "/opt/ci"`},
				"versions.tf":  {"runnerfit/runnerfit"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			if _, stderr, code := run(t, append(append([]string{"module"}, tc.args...), "-o", dir)...); code != cli.ExitOK {
				t.Fatalf("exit %d, stderr %q", code, stderr)
			}
			for file, wants := range tc.files {
				contains(t, read(t, filepath.Join(dir, filepath.FromSlash(file))), wants...)
			}
			if aws := strings.Contains(read(t, filepath.Join(dir, "versions.tf")), "hashicorp/aws"); aws != (name != "docker-mac") {
				t.Errorf("asks for AWS: %t", aws)
			}
		})
	}
}

func TestModuleKindsRefuse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"linux-runners", "--instance-type", "m8a.2xlage"}, "the closest are m8a.2xlarge"},
		{[]string{"linux-runners", "--instance-type", "mac2.metal"}, "use the kind mac-fleet"},
		{[]string{"linux-runners", "--disk", "nvme"}, "--disk: must be gp3 or tmpfs"},
		{[]string{"linux-runners", "--root-size-gib", "0"}, "--root-size-gib: must be"},
		{[]string{"linux-runners", "--throughput-mib-per-s", "2001"}, "--throughput-mib-per-s: must be 125 to 2000"},
		{[]string{"actions-cache", "--replicas", "2"}, "whose index is in SQLite"},
		{[]string{"actions-cache", "--compute", "lambda"}, "--compute: must be instance or fargate"},
		{[]string{"actions-cache", "--daily-upload-gib", "NaN"}, "--daily-upload-gib: must be more than 0"},
		{[]string{"docker-mac", "--memory-gib", "5"}, "there is no room for a runner"},
		{[]string{"docker-mac", "--memory-limit-gib", "1e-300"}, "--memory-limit-gib: must be more than 0.1"},
		{[]string{"docker-mac", "--directory", "x"}, "--directory: must be an absolute path"},
		{[]string{"docker-mac", "--name", "aws"}, `--name: must not begin with "aws"`},
	} {
		stdout, stderr, code := run(t, append(append([]string{"module"}, tc.args...), "-o", dir)...)
		if code != cli.ExitFailure || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, tc.want) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", tc.args, code, stdout, stderr)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Fatalf("%q wrote something", tc.args)
		}
	}
}
