package cli_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
)

// run runs a command line and returns what it printed.
func run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = cli.Run(t.Context(), "1.2.3", args, strings.NewReader(""), &out, &err)
	return out.String(), err.String(), code
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

func TestResults(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want []string
	}{
		"version":          {[]string{"version"}, []string{"runnerfit 1.2.3", "1,373 instance types as of 2026-08-02"}},
		"catalog":          {[]string{"catalog"}, []string{"instance types   1,373", "2026-08-02", "2022-02-10"}},
		"a Mac":            {[]string{"catalog", "mac2-m2pro.metal"}, []string{"8,000 Mbit/s = 1,000 MB/s = 953.67 MiB/s, 55,000 IOPS", "EBS burst", "none", "$1.56 an hour, $37.44", "[1] 2026-08-02"}},
		"a bursting type":  {[]string{"catalog", "m8a.xlarge", "--region", "eu-west-1"}, []string{"EBS sustained", "149.01 MiB/s, 6,000 IOPS", "EBS burst (30 min in 24 h)", "price in eu-west-1"}},
		"two cards":        {[]string{"catalog", "c8gb.48xlarge"}, []string{"EBS card 0", "EBS card 1"}},
		"no EBS limits":    {[]string{"catalog", "t2.micro"}, []string{"no limits published"}},
		"an unknown price": {[]string{"catalog", "mac2.metal", "--region", "eu-west-1"}, []string{"host price in eu-west-1  not known"}},
		"rules":            {[]string{"rules"}, []string{"gp3-throughput-ratio", "mac-root-throughput", "error/warning/info"}},
		"a rule":           {[]string{"rules", "gp3-throughput-ratio"}, []string{"# gp3-throughput-ratio", "## How to fix"}},
		"help":             {nil, []string{"Usage:", "catalog", "rules", "version"}},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := run(t, tc.args...)
			if code != cli.ExitOK || stderr != "" {
				t.Errorf("exit %d, stderr %q", code, stderr)
			}
			contains(t, stdout, tc.want...)
		})
	}
}

// A failure is one line on stderr, and nothing on stdout.
func TestFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no such command":   {[]string{"catalogue"}, "unknown command"},
		"no such flag":      {[]string{"catalog", "--zone", "x"}, "unknown flag"},
		"no such type":      {[]string{"catalog", "mac2.metal", "mac2-m2por.metal"}, "mac2-m2pro.metal"},
		"no such rule":      {[]string{"rules", "gp3-ratio"}, "the closest is gp3-"},
		"two rules":         {[]string{"rules", "a", "b"}, "rules takes one rule, or lists them all"},
		"not a region":      {[]string{"catalog", "--region", "Paris"}, "AWS Region"},
		"version of what":   {[]string{"version", "x"}, `version takes no argument, but there is "x"`},
		"hostile arguments": {[]string{"catalog", strings.Repeat("\x00m", 1<<16)}, "the closest are"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := run(t, tc.args...)
			if code != cli.ExitFailure || stdout != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			contains(t, stderr, tc.want)
		})
	}
}

// A full disk or a closed pipe is a failure, not a silent success.
func TestUnwritableOutput(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"catalog"}, {"catalog", "mac2.metal"}, {"rules"}, {"rules", "mac-vm-limit"}} {
		var stderr bytes.Buffer
		if code := cli.Run(t.Context(), "dev", args, strings.NewReader(""), brokenPipe{}, &stderr); code != cli.ExitFailure {
			t.Errorf("%v: exit %d", args, code)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }
