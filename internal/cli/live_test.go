package cli_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/fakeaws"
)

// live is a fake AWS and the environment of somebody who has credentials for it.
func live(t *testing.T) (*fakeaws.Server, []string) {
	t.Helper()
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
			_ = os.Unsetenv(name)
		}
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAMARKERMARKER0000")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "MARKER-secret")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	s := fakeaws.New(t)
	s.Products = fakeaws.AllPrices()
	s.Volumes = []awslive.Volume{{ID: "vol-0123456789abcdef0", Type: "gp3", SizeGiB: 750, IOPS: 16000, ThroughputMiBPerS: 700, Created: time.Unix(0, 0), InstanceID: "i-00000001"}}
	s.Instances = []awslive.Instance{{ID: "i-00000001", Type: "mac2-m2pro.metal", State: "running"}}
	s.Metric = func(_, name string, at time.Time) (float64, bool) {
		if strings.HasSuffix(name, "Ops") {
			return 60 * 1000, true
		}
		return 60 * 100 * (1 << 20), at.Minute() != 7
	}
	return s, []string{"--endpoint-ec2", s.URL, "--endpoint-cloudwatch", s.URL, "--endpoint-pricing", s.URL}
}

func TestUsage(t *testing.T) {
	_, endpoints := live(t)
	svg := filepath.Join(t.TempDir(), "usage.svg")
	stdout, stderr, code := run(t, append([]string{"usage", "vol-0123456789abcdef0", "--days", "1", "--svg", svg}, endpoints...)...)
	if code != cli.ExitOK || stderr != "" {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	contains(t, stdout, "vol-0123456789abcdef0: 750 GiB gp3, 16,000 IOPS, 700 MiB/s, on mac2-m2pro.metal", "24 hours from", "1,440 minutes with figures",
		"2,000      2,000      2,000      2,000", "At the volume's limit: 0 minutes.", "Recommended for p99 and 20 % head-room: iops = 3000, throughput_mib_per_s = 240.", "It saves $83.40 a month.")
	picture, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	contains(t, string(picture), "provisioned 16,000", "recommended 3,000", "polyline")

	stdout, _, code = run(t, append([]string{"usage", "vol-0123456789abcdef0", "--format", "json", "--live-prices"}, endpoints...)...)
	if code != cli.ExitOK {
		t.Errorf("exit %d", code)
	}
	contains(t, stdout, `"schema_version": 1`, `"throttled_minutes": 0`, `"minutes_with_data": 20160`, `"monthly_saving_usd": 98.7`)
}

// A file is written where it was named, and takes the place of its like only.
func TestWhereFilesAreWritten(t *testing.T) {
	_, endpoints := live(t)
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(name, target string) string {
		path := filepath.Join(dir, name)
		if err := os.Symlink(target, path); err != nil {
			t.Skip(err) // not everybody may make links everywhere
		}
		return path
	}
	svg := func(path string) (string, int) {
		_, stderr, code := run(t, append([]string{"usage", "vol-0123456789abcdef0", "--days", "1", "--svg", path}, endpoints...)...)
		return stderr, code
	}
	catalogue := func(path string) (string, int) {
		_, stderr, code := run(t, append([]string{"catalog", "refresh", "--out", path}, endpoints...)...)
		return stderr, code
	}
	notes, nowhere := write("notes.tf", "resource {}"), link("nowhere", filepath.Join(dir, "gone", "far"))
	for name, tc := range map[string]struct {
		write func(string) (string, int)
		path  string
		want  string
	}{
		"a picture over something else":   {svg, notes, "--svg: the file exists and is not a picture"},
		"a picture through a dead link":   {svg, nowhere, "--svg: the file is a link that leads nowhere"},
		"a picture over a folder":         {svg, dir, "--svg: it exists and is not a regular file"},
		"a catalogue through a dead link": {catalogue, nowhere, "--out: the file is a link that leads nowhere"},
		"a catalogue over a picture":      {catalogue, notes, "is not a catalogue of this runnerfit"},
	} {
		stderr, code := tc.write(tc.path)
		if code != cli.ExitFailure || !strings.Contains(stderr, tc.want) {
			t.Errorf("%s: exit %d: %s", name, code, stderr)
		}
	}
	if content, err := os.ReadFile(notes); err != nil || string(content) != "resource {}" {
		t.Errorf("%q, %v", content, err)
	}
	if info, err := os.Lstat(nowhere); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	old := write("old.svg", "<svg/>")
	through := link("link.svg", old)
	if stderr, code := svg(through); code != cli.ExitOK {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if info, err := os.Lstat(through); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if content, err := os.ReadFile(old); err != nil || !bytes.Contains(content, []byte("polyline")) {
		t.Errorf("%q, %v", content, err)
	}
}

func TestUsageFailures(t *testing.T) {
	s, endpoints := live(t)
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"not a volume":        {[]string{"usage", "i-0123456789abcdef0"}, "an id such as vol-"},
		"too long":            {[]string{"usage", "vol-0123456789abcdef0", "--days", "16"}, "must be 1 to 15"},
		"no percentile":       {[]string{"usage", "vol-0123456789abcdef0", "--percentile", "NaN"}, "must be 50 to 100"},
		"no head-room":        {[]string{"usage", "vol-0123456789abcdef0", "--headroom=-1"}, "must be 0 to 1000"},
		"no Region":           {[]string{"usage", "vol-0123456789abcdef0", "--region", "Paris"}, "AWS Region"},
		"no time":             {[]string{"usage", "vol-0123456789abcdef0", "--timeout", "0s"}, "more than 0"},
		"no such volume":      {append([]string{"usage", "vol-00000000000000000"}, endpoints...), "InvalidVolume.NotFound"},
		"a folder that isn't": {append([]string{"usage", "vol-0123456789abcdef0", "--svg", "/nowhere/at/all.svg"}, endpoints...), "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := run(t, tc.args...)
			if code != cli.ExitFailure || stdout != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			contains(t, stderr, tc.want)
		})
	}
	s.Fault = func(_ string, _ int, w http.ResponseWriter, _ *http.Request) bool {
		fakeaws.EC2Error(w, 403, "UnauthorizedOperation", "MARKER")
		return true
	}
	_, stderr, _ := run(t, append([]string{"usage", "vol-0123456789abcdef0"}, endpoints...)...)
	contains(t, stderr, "ec2:DescribeVolumes in us-east-1: access was denied (UnauthorizedOperation)")
	if strings.Contains(stderr, "MARKER") {
		t.Errorf("it is repeated: %s", stderr)
	}
}

func TestCatalogRefresh(t *testing.T) {
	s, endpoints := live(t)
	out := filepath.Join(t.TempDir(), "catalog.json")
	refresh := func(more ...string) (string, string, int) {
		return run(t, append(append([]string{"catalog", "refresh", "--out", out}, endpoints...), more...)...)
	}
	stdout, stderr, code := refresh()
	if code != cli.ExitOK || stderr != "" {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	contains(t, stdout, "1373 instance types of us-east-1 as of ", "with prices")
	f, err := catalog.LoadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	cat := catalog.Embedded().WithOverlay(f)
	if p, ok := cat.VolumePrices("us-east-1"); !ok || p.GP3.GiBMonth.String() != "0.09" {
		t.Errorf("prices %+v", p)
	}
	if i, ok := cat.Instance("c8gb.48xlarge"); !ok || len(i.Cards) != 2 || !strings.HasPrefix(i.Source.Name, "EC2 DescribeInstanceTypes in us-east-1") {
		t.Errorf("%+v", i)
	}
	before, _ := os.ReadFile(out)

	// What is refused leaves the old file, and nothing beside it.
	unchanged := func(want string, more ...string) {
		t.Helper()
		stdout, stderr, code := refresh(more...)
		after, _ := os.ReadFile(out)
		left, _ := os.ReadDir(filepath.Dir(out))
		if code != cli.ExitFailure || stdout != "" || !bytes.Equal(before, after) || len(left) != 1 {
			t.Errorf("exit %d, stdout %q, %d files, changed %v", code, stdout, len(left), !bytes.Equal(before, after))
		}
		contains(t, stderr, want)
	}
	all := s.Types
	s.Types = all[:700]
	unchanged("it has 700 instance types, and the file that it would replace has 1373")
	s.Types = all[:30]
	unchanged("it has 30 instance types, and every Region offers hundreds")
	s.Types = make([]catalog.Instance, len(all))
	for i, v := range all {
		v.MemoryMiB *= 10 // in another unit
		s.Types[i] = v
	}
	unchanged("are no longer what they were")
	s.Types = all
	s.Products = nil
	unchanged("a gp3 price of $0")
	s.Products = fakeaws.AllPrices()
	s.Fault = func(call string, n int, w http.ResponseWriter, _ *http.Request) bool {
		if call == "DescribeInstanceTypes" && n%14 == 0 {
			fakeaws.EC2Error(w, 403, "UnauthorizedOperation", "MARKER")
			return true
		}
		return false
	}
	unchanged("access was denied")
	s.Fault = nil

	// Prices that shrink or are in another unit, and another Region.
	s.Products = fakeaws.AllPrices()
	s.Products["Dedicated Host"] = nil
	unchanged("prices of us-east-1: there are 0 of Mac hosts, and there should be 9")
	s.Products = fakeaws.AllPrices()
	s.Products["Compute Instance"] = s.Products["Compute Instance"][:1000]
	unchanged("there are 1000 of instances, and there should be 1")
	s.Products = fakeaws.AllPrices()
	s.Products["Dedicated Host"] = append(s.Products["Dedicated Host"], fakeaws.Product("HostUsage:mac2", "mac2", "Hrs", "15.6")) // a day's
	unchanged("$15.6 an hour for a host of mac2.metal is far from the known $0.6825")
	s.Products = fakeaws.AllPrices()
	s.Products["Storage"][1] = fakeaws.Product("EBS:VolumeUsage.gp2", "", "GB-Mo", "1.1")
	unchanged("$1.1 a month for a GiB of gp2 is far from the known $0.11")
	s.Products = fakeaws.AllPrices()
	s.Products["Compute Instance"][0] = fakeaws.Product("BoxUsage:a1.large", "a1.large", "Hrs", "20000")
	unchanged("instance a1.large: a price of $20000 an hour cannot be")
	s.Products = fakeaws.AllPrices()
	unchanged("the file is a catalogue of us-east-1, and this one would be of eu-west-1", "--region", "eu-west-1")

	// Without prices, those that the file has stay.
	requests := s.Calls("GetProducts")
	stdout, stderr, code = refresh("--no-prices")
	if code != cli.ExitOK || s.Calls("GetProducts") != requests {
		t.Errorf("exit %d: %s", code, stderr)
	}
	contains(t, stdout, "with the prices of "+f.PriceSource().AsOf+" kept")
	kept, err := catalog.LoadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for name, look := range map[string]func(*catalog.File) any{
		"volumes":   func(f *catalog.File) any { p, _ := f.VolumePrices("us-east-1"); return fmt.Sprint(p) },
		"hosts":     func(f *catalog.File) any { p, _ := f.MacHostPrice("us-east-1", "mac2.metal"); return fmt.Sprint(p) },
		"instances": func(f *catalog.File) any { p, _ := f.InstancePrice("us-east-1", "a1.large"); return fmt.Sprint(p) },
	} {
		if look(kept) != look(f) {
			t.Errorf("prices of %s became %v", name, look(kept))
		}
	}
	other := out + ".new"
	stdout, stderr, code = run(t, append([]string{"catalog", "refresh", "--no-prices", "--out", other}, endpoints...)...)
	if code != cli.ExitOK {
		t.Errorf("exit %d: %s", code, stderr)
	}
	contains(t, stdout, "without prices: the embedded ones are used")
	if f, err := catalog.LoadFile(other); err != nil || len(f.PricedRegions()) != 0 {
		t.Errorf("%v", err)
	}
	_ = os.Remove(other)

	// Something else is not replaced.
	if err := os.WriteFile(out, []byte("my notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	before = []byte("my notes")
	unchanged("is not a catalogue of this runnerfit")
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := run(t, append([]string{"catalog", "refresh", "--out", "/nowhere/at/all.json"}, endpoints...)...); code != cli.ExitFailure || !strings.Contains(stderr, "no such folder") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if _, stderr, code := run(t, "catalog", "refresh"); code != cli.ExitFailure || !strings.Contains(stderr, "--out") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
