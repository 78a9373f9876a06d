package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuietLoggers(t *testing.T) {
	off := map[string]string{"TF_LOG_SDK": "OFF", "TF_LOG_SDK_FRAMEWORK": "OFF", "TF_LOG_SDK_PROTO": "OFF"}
	for name, tc := range map[string]struct {
		environ []string
		want    map[string]string
	}{
		"nobody asked":       {[]string{"PATH=/bin"}, off},
		"empty":              {[]string{"TF_LOG="}, off},
		"a path alone":       {[]string{"TF_LOG_PATH=x.log"}, off},
		"everything":         {[]string{"TF_LOG=TRACE"}, map[string]string{}},
		"the provider":       {[]string{"TF_LOG_PROVIDER=DEBUG"}, map[string]string{}},
		"one of the loggers": {[]string{"TF_LOG_SDK_PROTO=TRACE"}, map[string]string{}},
		"something else":     {[]string{"TF_LOGGER=1"}, off},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			quietLoggers(tc.environ, func(name, value string) error { got[name] = value; return nil })
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIsDebug(t *testing.T) {
	for _, args := range [][]string{{"-debug"}, {"--debug"}, {"-debug=true"}} {
		if !isDebug(args) {
			t.Errorf("%v is not taken for a debugger's", args)
		}
	}
	for _, args := range [][]string{nil, {"version"}, {"-debug", "x"}, {"-x"}, {"-debug=false"}} {
		if isDebug(args) {
			t.Errorf("%v is taken for a debugger's", args)
		}
	}
}

// The binary is a plugin for Terraform and a command line for a person, and
// tells the two apart before it prints anything.
func TestPluginOrCommandLine(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "runnerfit")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Run("command line", func(t *testing.T) {
		out, err := exec.Command(binary, "version").Output()
		if err != nil || !strings.HasPrefix(string(out), "runnerfit dev") {
			t.Errorf("%v, %q", err, out)
		}
	})
	t.Run("one message for an error", func(t *testing.T) {
		cmd := exec.Command(binary, "usage", "vol-0123456789abcdef0", "--region", "us-east-1")
		// Nobody listens on port 9.
		cmd.Env = append(os.Environ(), "AWS_ENDPOINT_URL=http://127.0.0.1:9", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "HTTP_PROXY=", "http_proxy=")
		out, err := cmd.CombinedOutput()
		if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); err == nil || len(lines) != 1 || !strings.HasPrefix(lines[0], "runnerfit: ec2:DescribeVolumes") {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("plugin", func(t *testing.T) {
		// Without the protocol versions of a real parent the library refuses to go on;
		// that it is asked at all, and stdout is empty, is the point.
		cmd := exec.Command(binary)
		cmd.Env = append(os.Environ(), cookieName+"="+cookieValue, "PLUGIN_PROTOCOL_VERSIONS=1")
		// The time until the first line is what every plan waits for three times: no
		// collection belongs there.
		cmd.Env = append(cmd.Env, "GODEBUG=gctrace=1", "GOGC=", "GOMEMLIMIT=")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 256)
		n, err := stdout.Read(line)
		if err != nil || !strings.HasPrefix(string(line[:n]), "1|") {
			t.Errorf("the first line is %q (%v), not a handshake", line[:n], err)
		}
		_ = stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if strings.Contains(stderr.String(), "gc 1 @") {
			t.Errorf("garbage was collected before the provider answered:\n%s", stderr.String())
		}
	})
}

// A plan starts the provider three times, and the package that checks JSON
// schemas took longer to initialise than all others together.
func TestStartsWithoutJSONSchema(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, "github.com/compose-spec/compose-go/v2/template") {
		t.Error("these are not the packages of the program")
	}
	for _, p := range packages {
		if strings.Contains(p, "jsonschema") || strings.HasPrefix(p, "github.com/compose-spec/compose-go/v2/loader") {
			t.Errorf("the program has %s in it", p)
		}
	}
}
