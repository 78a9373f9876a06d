package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
)

// isPage fails unless a text is a whole page.
func isPage(t *testing.T, s string) {
	t.Helper()
	if !strings.HasPrefix(s, "<!DOCTYPE html>") || !strings.HasSuffix(strings.TrimSpace(s), "</html>") {
		t.Errorf("this is no whole page: %.200s", s)
	}
}

func TestReport(t *testing.T) {
	enter(t, map[string]string{"infra/main.tf": faulty})
	stdout, stderr, code := run(t, "report", "infra", "-o", "report.html")
	if code != cli.ExitOK || stdout != "" || stderr != "report.html\n" {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	page := content(t, "report.html")
	isPage(t, page)
	for _, want := range []string{"aws_ebs_volume.cache", "gp3-throughput-ratio", "infra/main.tf:5"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat("report.html"); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}

	// Again: not without being told to, and then the same.
	if _, stderr, code := run(t, "report", "infra", "-o", "report.html"); code != cli.ExitFailure || !strings.Contains(stderr, "report.html is there already; --force overwrites it") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	if _, stderr, code := run(t, "report", "infra", "-o", "report.html", "--force"); code != cli.ExitOK {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	if again := content(t, "report.html"); again != page {
		t.Error("the same input gives another page")
	}
	if _, _, code := run(t, "report", "infra", "-o", "report.html", "--force", "--date", "2026-12-01"); code != cli.ExitOK || !strings.Contains(content(t, "report.html"), "2026-12-01") {
		t.Errorf("exit %d, or the date is missing", code)
	}
	// Nothing is left beside it.
	if files, _ := filepath.Glob(".*"); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

// A report of a plan and a state, from a file and from standard input.
func TestReportOfPlans(t *testing.T) {
	const volume = `"mode":"managed","type":"aws_ebs_volume","name":"v","provider_name":"registry.terraform.io/hashicorp/aws"`
	enter(t, map[string]string{
		"plan.json":  `{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":[{"address":"aws_ebs_volume.v",` + volume + `,"change":{"actions":["create"],"before":null,"after":{"size":400,"type":"gp3","iops":3000,"throughput":1000},"after_unknown":{},"before_sensitive":false,"after_sensitive":{}}}]}`,
		"state.json": `{"format_version":"1.0","terraform_version":"1.11.4","values":{"root_module":{"resources":[{"address":"aws_ebs_volume.v",` + volume + `,"values":{"size":400,"type":"gp3","iops":3000,"throughput":1000},"sensitive_values":{}}]}}}`,
	})
	for _, name := range []string{"plan.json", "state.json"} {
		page, stderr, code := run(t, "report", name, "-o", "-")
		if code != cli.ExitOK || stderr != "" {
			t.Errorf("%s: exit %d, stderr %q", name, code, stderr)
		}
		isPage(t, page)
		if !strings.Contains(page, "gp3-throughput-ratio") || !strings.Contains(page, "$57.00") {
			t.Errorf("%s: the page does not have the finding and what the volume costs now", name)
		}
		var stdout, errs bytes.Buffer
		if code := cli.Run(t.Context(), "test", []string{"report", "-", "-o", "-"}, strings.NewReader(content(t, name)), &stdout, &errs); code != cli.ExitOK {
			t.Errorf("%s from standard input: exit %d, %s", name, code, errs.String())
		}
		isPage(t, stdout.String())
	}
}

func TestReportRefuses(t *testing.T) {
	enter(t, map[string]string{
		"infra/main.tf": faulty, "bad/main.tf": `resource "aws_instance" {`, "none/readme.txt": "x", "text.json": "no plan",
	})
	for name, tt := range map[string]struct {
		args []string
		says string
		code int
	}{
		"no path":          {[]string{"-o", "x.html"}, "report takes one PATH", cli.ExitFailure},
		"two paths":        {[]string{"infra", "none", "-o", "x.html"}, "report takes one PATH", cli.ExitFailure},
		"no output":        {[]string{"infra"}, "-o FILE.html", cli.ExitFailure},
		"no such folder":   {[]string{"missing", "-o", "x.html"}, "missing", cli.ExitFailure},
		"no such file":     {[]string{"missing.json", "-o", "x.html"}, "missing.json: There is no such file. No report was written", cli.ExitFailure},
		"no plan":          {[]string{"text.json", "-o", "x.html"}, "no JSON object", cli.ExitFailure},
		"no configuration": {[]string{"none", "-o", "x.html"}, "There is no Terraform configuration", cli.ExitFailure},
		"output in no dir": {[]string{"infra", "-o", "gone/x.html"}, "gone/x.html: There is no such file.", cli.ExitFailure},
		"output is a dir":  {[]string{"infra", "-o", "none", "--force"}, "none: ", cli.ExitFailure},
		"output is in use": {[]string{"infra", "-o", "none"}, "none is there already", cli.ExitFailure},
		"unknown region":   {[]string{"infra", "-o", "x.html", "--region", "Frankfurt"}, "--region", cli.ExitFailure},
		"unknown severity": {[]string{"infra", "-o", "x.html", "--fail-on", "bad"}, "--fail-on", cli.ExitFailure},
		"unknown rule":     {[]string{"infra", "-o", "x.html", "--ignore", "no-such=x"}, "no-such", cli.ExitFailure},
		"unknown flag":     {[]string{"infra", "-o", "x.html", "--format", "json"}, "unknown flag", cli.ExitFailure},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, code := run(t, append([]string{"report"}, tt.args...)...)
			if code != tt.code || !strings.Contains(stderr, tt.says) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit %d, stderr %q", code, stderr)
			}
			if _, err := os.Stat("x.html"); err == nil {
				t.Error("there is a page")
			}
		})
	}
}

// What could be read is shown, what could not is listed, and the exit code says
// that it is not whole.
func TestReportOfWhatCanBeRead(t *testing.T) {
	enter(t, map[string]string{"infra/main.tf": faulty, "infra/broken/main.tf": `resource "x" {`})
	_, stderr, code := run(t, "report", "infra", "-o", "x.html")
	if code != cli.ExitFailure || !strings.Contains(stderr, "1 file could not be checked") || !strings.Contains(stderr, "infra/broken/main.tf line 1: ") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	page := content(t, "x.html")
	isPage(t, page)
	for _, want := range []string{"Not read", "infra/broken/main.tf", "aws_ebs_volume.cache"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
}

func TestReportWithoutItsVariables(t *testing.T) {
	enter(t, map[string]string{"infra/main.tf": faulty})
	_, stderr, code := run(t, "report", "infra", "-o", "x.html", "--var-file", "gone.tfvars")
	if code != cli.ExitFailure || !strings.Contains(stderr, "gone.tfvars") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	if !strings.Contains(content(t, "x.html"), "gone.tfvars") {
		t.Error("the page does not say what was not read")
	}
}

func TestReportFailOn(t *testing.T) {
	enter(t, map[string]string{"infra/main.tf": faulty, ".runnerfit.hcl": `fail_on = "error"`})
	for on, want := range map[string]int{"": cli.ExitOK, "never": cli.ExitOK, "error": cli.ExitFindings, "info": cli.ExitFindings} {
		args := []string{"report", "infra", "-o", "-"}
		if on != "" {
			args = append(args, "--fail-on", on)
		}
		if _, stderr, code := run(t, args...); code != want {
			t.Errorf("--fail-on %q: exit %d, %s", on, code, stderr)
		}
	}
	page, _, code := run(t, "report", "infra", "-o", "-", "--fail-on", "error", "--ignore", "gp3-throughput-ratio=on purpose")
	if code != cli.ExitOK || strings.Contains(page, "gp3-throughput-ratio") {
		t.Errorf("exit %d, or an ignored rule is reported", code)
	}
}

// An interrupt leaves no page and nothing half written.
func TestReportInterrupted(t *testing.T) {
	enter(t, map[string]string{"infra/main.tf": faulty})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := cli.Run(ctx, "test", []string{"report", "infra", "-o", "x.html"}, strings.NewReader(""), &stdout, &stderr); code != cli.ExitFailure {
		t.Errorf("exit %d, %s", code, stderr.String())
	}
	if files, _ := filepath.Glob("*.html*"); len(files) > 0 {
		t.Errorf("there is %v", files)
	}
}
