package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
)

// runOn runs a command line with something on standard input.
func runOn(t *testing.T, stdin io.Reader, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = cli.Run(t.Context(), "1.2.3", args, stdin, &out, &err)
	return out.String(), err.String(), code
}

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	flat = "   disk4\n    KB/t  tps  MB/s\n 20 90 1\n" + " 16.00 6000 93.75\n 16.00 6001 93.77\n 16.00 5999 93.73\n 16.00 6000 93.75\n 16.00 6002 93.78\n"
	log  = "Received 1073741824 of 1073741824 (100.0%), 47.7 MBs/sec\nCache Size: ~1024 MB (1073741824 B)\n"
)

// nowhere keeps the tests away from a Docker that may run on this machine.
func nowhere(t *testing.T) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "none.sock"))
}

func TestDiagnose(t *testing.T) {
	nowhere(t)
	good := file(t, "settings-store.json", `{"MemoryMiB": 12288, "Cpus": 8, "SwapMiB": 1024, "DiskSizeMiB": 65536, "UseVirtualizationFrameworkVirtioFS": true, "UseContainerdSnapshotter": true}`)
	bad := file(t, "settings.json", `{"memoryMiB": 2048, "useVirtualizationFrameworkVirtioFS": false, "useGrpcfuse": false}`)
	compose := file(t, "compose.yaml", "services:\n  runner:\n    image: x\n    environment: {TOKEN: hunter2}\n")
	for name, tc := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"docker, right":     {[]string{"diagnose", "docker", "--settings", good}, cli.ExitOK, []string{"✓ memory: 12 GiB", "✓ file sharing: VirtioFS", "? engine: ", "A1  pnpm vitest run --no-coverage", "A4  "}},
		"docker, wrong":     {[]string{"diagnose", "docker", "--settings", bad}, cli.ExitFindings, []string{"✗ memory: 2 GiB", "✗ file sharing: osxfs", "Rule: docker-file-sharing"}},
		"docker, unlimited": {[]string{"diagnose", "docker", "--compose", compose}, cli.ExitFindings, []string{"✗ memory unlimited: runner has no memory limit", "Rule: docker-memory-unlimited"}},
		"docker, nothing":   {[]string{"diagnose", "docker"}, cli.ExitOK, []string{"? memory limits: ", "? file sharing: "}},
		"iostat":            {[]string{"diagnose", "iostat", file(t, "io", flat)}, cli.ExitOK, []string{"disk4: flat at 6,000 IOPS: volume throttle (6,000 IOPS provisioned)", "16 KiB an I/O"}},
		"iostat, settings":  {[]string{"diagnose", "iostat", file(t, "io", flat), "--provisioned-iops", "16000", "--instance-type", "mac2-m2pro.metal"}, cli.ExitOK, []string{"not what is provisioned"}},
		"cache-log":         {[]string{"diagnose", "cache-log", file(t, "log", log), "--link-mbit-per-s", "10000"}, cli.ExitOK, []string{"restore of 1 GiB", "50 MB/s = 47.7 MiB/s", "bound by: server. It used 4 %"}},
		"what there is":     {[]string{"diagnose"}, cli.ExitOK, []string{"docker", "iostat", "cache-log"}},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := run(t, tc.args...)
			if code != tc.code || stderr != "" {
				t.Errorf("exit %d, stderr %q", code, stderr)
			}
			contains(t, stdout, tc.want...)
			if strings.Contains(stdout, "\x1b") || strings.Contains(stdout, "hunter2") {
				t.Errorf("codes of a terminal, or a secret:\n%s", stdout)
			}
		})
	}
}

func TestDiagnoseStdin(t *testing.T) {
	for name, tc := range map[string]struct {
		args  []string
		stdin string
		want  string
	}{
		"iostat":    {[]string{"diagnose", "iostat"}, flat, "disk4: flat at 6,000 IOPS"},
		"iostat -":  {[]string{"diagnose", "iostat", "-"}, flat, "disk4: flat at 6,000 IOPS"},
		"cache-log": {[]string{"diagnose", "cache-log"}, log, "restore of 1 GiB"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := runOn(t, strings.NewReader(tc.stdin), tc.args...)
			if code != cli.ExitOK || stderr != "" {
				t.Errorf("exit %d, stderr %q", code, stderr)
			}
			contains(t, stdout, tc.want)
		})
	}
}

func TestDiagnoseJSON(t *testing.T) {
	nowhere(t)
	big := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(big, make([]byte, 32<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		want map[string]any
	}{
		"docker":    {[]string{"diagnose", "docker"}, map[string]any{"schema_version": 1.0, "engine": nil, "settings": nil}},
		"iostat":    {[]string{"diagnose", "iostat", file(t, "io", flat)}, map[string]any{"schema_version": 1.0, "system": "macOS"}},
		"cache-log": {[]string{"diagnose", "cache-log", file(t, "log", log)}, map[string]any{"schema_version": 1.0, "misses": 0.0}},
		"measure":   {[]string{"measure", big, "--duration", "10ms", "--first-pass", "1ms"}, map[string]any{"schema_version": 1.0, "bytes": float64(32 << 20), "streams": 8.0, "interrupted": false}},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := run(t, append(tc.args, "--format", "json")...)
			if code != cli.ExitOK || stderr != "" {
				t.Errorf("exit %d, stderr %q", code, stderr)
			}
			var got map[string]any
			if err := json.Unmarshal([]byte(stdout), &got); err != nil {
				t.Fatalf("%v:\n%s", err, stdout)
			}
			for k, w := range tc.want {
				if g, ok := got[k]; !ok || g != w {
					t.Errorf("%s is %v, want %v", k, g, w)
				}
			}
		})
	}
	stdout, _, _ := run(t, "diagnose", "iostat", file(t, "io", flat), "--format", "json")
	contains(t, stdout, `"verdict": "volume-iops"`, `"limit": 6000`, `"read_share": null`)
	stdout, _, _ = run(t, "diagnose", "cache-log", file(t, "log", log), "--format", "json", "--link-mbit-per-s", "10000")
	contains(t, stdout, `"bound_by": "server"`, `"stalled_seconds": 0`, `"unpack_seconds": null`)
}

func TestMeasure(t *testing.T) {
	path := file(t, "disk", strings.Repeat("x", 32<<20))
	stdout, stderr, code := run(t, "measure", path, "--duration", "20ms", "--first-pass", "1ms", "--streams", "1", "--provisioned", "1e9", "--instance-type", "m8a.xlarge")
	if code != cli.ExitOK || stderr != "" {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	contains(t, stdout, path+", 0.03 GiB: 1 stream of 1 MiB reads", "MB/s = ", "first pass, not counted", "which are more than the instance carries", "m8a.xlarge carries", "Less than 30 s were measured")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := cli.Run(ctx, "1.2.3", []string{"measure", path}, strings.NewReader(""), &out, &errs); code != cli.ExitOK || errs.Len() > 0 {
		t.Errorf("interrupted: exit %d, stderr %q", code, errs.String())
	}
	contains(t, out.String(), "Interrupted in the first pass, which does not count")
}

// A failure is one line on stderr that names the file, and nothing on stdout.
func TestDiagnoseFailures(t *testing.T) {
	nowhere(t)
	dir := t.TempDir()
	binary, empty, one := file(t, "binary", "\x7fELF\x00\x00"), file(t, "empty", ""), file(t, "one", "x")
	cut := file(t, "cut", "    KB/t  tps  M")
	missing := filepath.Join(dir, "missing")
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"iostat: missing":       {[]string{"diagnose", "iostat", missing}, missing + ": there is no such file"},
		"iostat: a directory":   {[]string{"diagnose", "iostat", dir}, dir + ": is a directory"},
		"iostat: binary":        {[]string{"diagnose", "iostat", binary}, binary + ": is a binary file"},
		"iostat: empty":         {[]string{"diagnose", "iostat", empty}, empty + ": is empty"},
		"iostat: cut off":       {[]string{"diagnose", "iostat", cut}, cut + ": has a heading of iostat, but no row"},
		"iostat: nothing":       {[]string{"diagnose", "iostat"}, "standard input: is empty"},
		"iostat: type":          {[]string{"diagnose", "iostat", "--instance-type", "m8a.xlrage", cut}, "--instance-type: not in the table of 2026-08-02; the closest are m8a.xlarge"},
		"iostat: type, no EBS":  {[]string{"diagnose", "iostat", "--instance-type", "t2.micro", cut}, "--instance-type: AWS publishes no EBS limits for t2.micro"},
		"iostat: negative":      {[]string{"diagnose", "iostat", "--provisioned-iops", "-1", cut}, "--provisioned-iops: must be a positive number"},
		"iostat: two files":     {[]string{"diagnose", "iostat", cut, cut}, "iostat takes one file, or reads standard input"},
		"cache-log: missing":    {[]string{"diagnose", "cache-log", missing}, missing + ": there is no such file"},
		"cache-log: binary":     {[]string{"diagnose", "cache-log", binary}, binary + ": is a binary file"},
		"cache-log: empty":      {[]string{"diagnose", "cache-log", empty}, empty + ": is empty"},
		"cache-log: other text": {[]string{"diagnose", "cache-log", cut}, cut + ": has no line of actions/cache"},
		"cache-log: link":       {[]string{"diagnose", "cache-log", "--link-mbit-per-s", "-5", cut}, "--link-mbit-per-s: must be a positive number"},
		"docker: settings":      {[]string{"diagnose", "docker", "--settings", missing}, missing + ": there is no such file"},
		"docker: compose":       {[]string{"diagnose", "docker", "--compose", binary}, binary + ": is a binary file"},
		"docker: socket":        {[]string{"diagnose", "docker", "--socket", missing}, missing + ": there is no such socket"},
		"docker: timeout":       {[]string{"diagnose", "docker", "--timeout", "0s"}, "--timeout: must be more than 0"},
		"docker: format":        {[]string{"diagnose", "docker", "--format", "xml"}, "--format: must be text or json"},
		"measure: missing":      {[]string{"measure", missing}, missing + ": there is no such file or device"},
		"measure: a directory":  {[]string{"measure", dir}, dir + ": is a directory"},
		"measure: empty":        {[]string{"measure", empty}, empty + ": is empty"},
		"measure: one byte":     {[]string{"measure", one}, one + ": has 1 byte, too few for a measurement"},
		"measure: streams":      {[]string{"measure", one, "--streams", "0"}, "--streams: must be 1 to 256"},
		"measure: duration":     {[]string{"measure", one, "--duration", "-1s"}, "--duration and --first-pass: must be more than 0"},
		"measure: nothing":      {[]string{"measure"}, "measure takes one device, or a large file"},
		"no such diagnosis":     {[]string{"diagnose", "disk"}, "unknown command"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := run(t, tc.args...)
			if code != cli.ExitFailure || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "runnerfit: ") {
				t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			contains(t, stderr, tc.want)
		})
	}
	t.Setenv("DOCKER_HOST", "tcp://hunter2:2375")
	if _, stderr, code := run(t, "diagnose", "docker"); code != cli.ExitFailure || strings.Contains(stderr, "hunter2") || !strings.Contains(stderr, "DOCKER_HOST: only a unix:// socket") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}
