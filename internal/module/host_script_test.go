package module

import (
	"archive/tar"
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// shellcheck finds faults in every script. `.ci/run` installs it.
func TestShellcheck(t *testing.T) {
	tool, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed (Debian: apt-get install shellcheck), so scripts are not checked")
	}
	var scripts []string
	for _, pattern := range []string{"files/*/*.sh", "testdata/*.sh"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, found...)
	}
	if len(scripts) < 3 {
		t.Fatalf("found only %v", scripts)
	}
	for _, s := range scripts {
		if out, err := exec.CommandContext(t.Context(), tool, s).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", s, err, out)
		}
	}
}

// render is what Terraform's templatefile makes of settings.sh.tftpl.
func render(t *testing.T, settings map[string]string) string {
	t.Helper()
	e, diags := hclsyntax.ParseTemplate(text("mac-fleet/settings.sh.tftpl"), "settings.sh.tftpl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	values := map[string]cty.Value{}
	for k, v := range settings {
		values[k] = cty.StringVal(v)
	}
	v, diags := e.Value(&hcl.EvalContext{
		Variables: map[string]cty.Value{"settings": cty.ObjectVal(values)},
		Functions: map[string]function.Function{"replace": stdlib.ReplaceFunc},
	})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return v.AsString()
}

// stand is a Mac that exists in a folder.
type stand struct {
	t    *testing.T
	dir  string
	urls string
}

const (
	rootVolume = "vol-0aaaaaaaaaaaaaaa1"
	dataVolume = "vol-0bbbbbbbbbbbbbbb2"
	firstImage = "s3://bucket/images/macos-15.tar.zst"
)

// newStand is a Mac that boots for the first time.
func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{t: t, dir: t.TempDir(), urls: firstImage + "\nhttps://example.com/xcode.tzst?token=a/b"}
	for _, d := range []string{"state/volumes", "state/bucket", "state/failing", "stubs", "root"} {
		if err := os.MkdirAll(filepath.Join(s.dir, d), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs("testdata/mac.sh")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"system_profiler", "diskutil", "aws", "curl", "zstd", "launchctl", "mdutil", "sleep"} {
		if err := os.WriteFile(filepath.Join(s.dir, "stubs", name), content, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	s.set("disks", "disk0 "+rootVolume+"\ndisk2 "+dataVolume+"\n")
	s.set("volumes/"+rootVolume, "apfs")
	s.set("attached", dataVolume+"\n")
	s.set("lifecycle", "Pending:Wait\n")
	for _, name := range []string{"macos-15", "xcode"} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		body := []byte(strings.Repeat(name, 100))
		if err := errors.Join(w.WriteHeader(&tar.Header{Name: "disk.img", Mode: 0o600, Size: int64(len(body))})); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		s.set("bucket/"+map[string]string{"macos-15": "macos-15.tar.zst", "xcode": "xcode.tzst"}[name], b.String())
	}
	return s
}

func (s *stand) set(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, "state", name), []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stand) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir, "root"}, elem...)...)
}

// run runs the script, as user data or as the daemon's command, and returns its
// log, the calls that changed something, and whether it worked.
func (s *stand) run(args ...string) (log string, calls []string, ok bool) {
	s.t.Helper()
	file := s.path("usr/local/libexec/ios/host.sh") // where the daemon has it
	if len(args) == 0 {
		file = filepath.Join(s.dir, "user-data")
		header := render(s.t, map[string]string{
			"FLEET_NAME": "ios", "REGION": "eu-west-1", "VMDATA_DEVICE": "/dev/sdf", "IMAGE_URLS": s.urls,
			"LIFECYCLE_HOOK": "ready", "HOST_GROUP_ARN": "arn:aws:resource-groups:eu-west-1:123456789012:group/ios-hosts", "METRIC_NAMESPACE": "ios/hosts",
		})
		if err := os.WriteFile(file, []byte(header+"\n"+string(text("mac-fleet/host.sh"))), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	_ = os.Remove(filepath.Join(s.dir, "state", "calls")) // It is not there before the first run.
	cmd := exec.CommandContext(s.t.Context(), "bash", append([]string{file}, args...)...)
	cmd.Env = append(os.Environ(), "STUBS="+filepath.Join(s.dir, "stubs"), "ROOT="+s.path(), "STATE="+filepath.Join(s.dir, "state"))
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if strings.Contains(string(out), "not known here") {
		s.t.Errorf("a command that the test does not know:\n%s", out)
	}
	b, _ := os.ReadFile(filepath.Join(s.dir, "state", "calls")) // Without calls there is none.
	return string(out), strings.Split(strings.TrimSpace(string(b)), "\n"), err == nil
}

// images are the folders below VMData's images, with the first letters of what
// is in them.
func (s *stand) images() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	found, _ := filepath.Glob(s.path("Volumes/VMData/images/[^.]*")) // The pattern is fine.
	for _, f := range found {
		b, err := os.ReadFile(filepath.Join(f, "disk.img"))
		if err != nil {
			s.t.Fatal(err)
		}
		out[filepath.Base(f)] = string(b[:5])
	}
	return out
}

var bothImages = map[string]string{"macos-15": "macos", "xcode": "xcode"}

const signal = "aws autoscaling complete-lifecycle-action --lifecycle-hook-name ready --auto-scaling-group-name ios --instance-id i-0123456789abcdef0 --lifecycle-action-result CONTINUE"

func TestHostFirstBootAndReboot(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	log, calls, ok := s.run()
	want := []string{"diskutil repairDisk disk0", "diskutil apfs resizeContainer disk0s2 0", "diskutil eraseDisk APFS VMData GPT disk2", "diskutil mount disk92s1", signal}
	if !ok || !slices.Equal(calls, want) || !maps.Equal(s.images(), bothImages) {
		t.Fatalf("calls are %q, images %v, log:\n%s", calls, s.images(), log)
	}
	for _, daemon := range []string{"prepare", "report"} {
		b, err := os.ReadFile(s.path("Library/LaunchDaemons/com.runnerfit.ios." + daemon + ".plist"))
		if err != nil || !strings.Contains(string(b), "/usr/local/libexec/ios/host.sh</string><string>"+daemon+"</string>") {
			t.Errorf("the daemon %s: %v\n%s", daemon, err, b)
		}
	}

	// The same after a reboot: nothing is formatted, pulled or signalled again, though
	// the disks have other numbers.
	s.set("disks", "disk2 "+rootVolume+"\ndisk0 "+dataVolume+"\n")
	log, calls, ok = s.run("prepare")
	want = []string{"diskutil repairDisk disk0", "diskutil apfs resizeContainer disk0s2 0", "diskutil mount disk90s1"}
	if !ok || !slices.Equal(calls, want) || !maps.Equal(s.images(), bothImages) {
		t.Errorf("calls are %q, images %v, log:\n%s", calls, s.images(), log)
	}

	// Two runs at a time would pull into each other's folders.
	lock := s.path("var/run/com.runnerfit.ios.lock")
	if err := os.Mkdir(lock, 0o750); err != nil { // so the runs above have removed theirs
		t.Fatal(err)
	}
	if log, calls, ok = s.run("prepare"); !ok || !slices.Equal(calls, []string{""}) || !strings.Contains(log, "another run is at work") {
		t.Errorf("calls are %q, log:\n%s", calls, log)
	}

	log, calls, ok = s.run("report")
	want = []string{"aws cloudwatch put-metric-data --namespace ios/hosts --metric-data MetricName=AllocatedHosts,Dimensions=[{Name=AutoScalingGroupName,Value=ios}],Value=5,Unit=Count"}
	if !ok || !slices.Equal(calls, want) {
		t.Errorf("calls are %q, log:\n%s", calls, log)
	}
}

func TestHostDisks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state map[string]string
		// formatted is the disk that is formatted, "" for none.
		formatted string
		ok        bool
		want      string
	}{
		"swapped order at first boot": {map[string]string{"disks": "disk4 " + dataVolume + "\ndisk6 " + rootVolume + "\n"}, "disk4", true, "mounted from disk94s1"},
		"an internal disk beside":     {map[string]string{"disks": "disk0 " + rootVolume + "\ndisk1 0ba0123456789abc\ndisk2 " + dataVolume + "\n"}, "disk2", true, "mounted from disk92s1"},
		"no volume attached":          {map[string]string{"attached": "None\n"}, "", false, "no volume is attached as /dev/sdf"},
		"no disk of the volume":       {map[string]string{"disks": "disk0 " + rootVolume + "\n"}, "", false, "no disk has the serial number of " + dataVolume},
		"something else on it":        {map[string]string{"volumes/" + dataVolume: "foreign"}, "", false, "has something on it that is not VMData; it is not formatted"},
		"another mount point":         {map[string]string{"elsewhere": "/Volumes/VMData 1"}, "disk2", false, "is mounted at '/Volumes/VMData 1'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStand(t)
			for k, v := range tt.state {
				s.set(k, v)
			}
			log, calls, ok := s.run()
			var formatted []string
			for _, c := range calls {
				if disk, found := strings.CutPrefix(c, "diskutil eraseDisk APFS VMData GPT "); found {
					formatted = append(formatted, disk)
				}
			}
			if ok != tt.ok || strings.Join(formatted, " ") != tt.formatted || !strings.Contains(log, tt.want) {
				t.Errorf("ok %t, formatted %q, log:\n%s", ok, formatted, log)
			}
			if signalled := slices.Contains(calls, signal); signalled != tt.ok {
				t.Errorf("signalled %t, calls %q", signalled, calls)
			}
		})
	}
}

func TestHostPulls(t *testing.T) {
	t.Parallel()
	t.Run("again after breaks", func(t *testing.T) {
		t.Parallel()
		s := newStand(t)
		s.set("failing/macos-15.tar.zst", "2")
		log, calls, ok := s.run()
		var pauses []string
		for _, c := range calls {
			if strings.HasPrefix(c, "sleep ") {
				pauses = append(pauses, c)
			}
		}
		if !ok || !maps.Equal(s.images(), bothImages) || !slices.Equal(pauses, []string{"sleep 5", "sleep 10"}) || !slices.Contains(calls, signal) {
			t.Errorf("calls are %q, images %v, log:\n%s", calls, s.images(), log)
		}
	})
	t.Run("never", func(t *testing.T) {
		t.Parallel()
		s := newStand(t)
		s.set("failing/macos-15.tar.zst", "100")
		log, calls, ok := s.run()
		if ok || slices.Contains(calls, signal) || !strings.Contains(log, "images that could not be pulled: 1") {
			t.Errorf("ok %t, calls are %q, log:\n%s", ok, calls, log)
		}
		if diff := cmp.Diff(map[string]string{"xcode": "xcode"}, s.images()); diff != "" {
			t.Errorf("half an image is there as a whole one: %s", diff)
		}
		// The next boot goes on where this one ended.
		s.set("failing/macos-15.tar.zst", "0")
		log, calls, ok = s.run("prepare")
		if !ok || !maps.Equal(s.images(), bothImages) || !slices.Contains(calls, signal) || !strings.Contains(log, "xcode: is there already") {
			t.Errorf("ok %t, calls are %q, log:\n%s", ok, calls, log)
		}
	})
}

// Whatever stands in a setting is text to the shell.
func TestSettingsAreQuoted(t *testing.T) {
	const hostile = "a'b\"; $(uname) `id` \\ ${x}\nc"
	script := render(t, map[string]string{"X": hostile}) + "printf '%s' \"$X\"\n"
	out, err := exec.CommandContext(t.Context(), "bash", "-c", script).CombinedOutput()
	if err != nil || string(out) != hostile {
		t.Errorf("%v, got %q", err, out)
	}
}
