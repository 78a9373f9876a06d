package provider_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/provider"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/fakeaws"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// fixed is a clock that stands still.
type fixed time.Time

func (c fixed) Now() time.Time { return time.Time(c) }

var today = time.Date(2026, 11, 30, 12, 34, 56, 0, time.UTC)

// aws is a provider that asks a fake AWS, on a clock that stands still, with no
// more patience than a test has.
func aws(t *testing.T, s *fakeaws.Server, block string) *prototest.Provider {
	t.Helper()
	return prototest.New(t, awsFactory(s), prototest.Config(s.Block(block)))
}

func awsFactory(*fakeaws.Server) prototest.Factory {
	return provider.NewServer("test", provider.WithAWS(func(c *awslive.Config) {
		c.Clock, c.MaxBackoff, c.MaxRetries = fixed(today), time.Millisecond, 3
		if c.Timeout == 0 {
			c.Timeout = 20 * time.Second
		}
	}))
}

// Nothing that is embedded makes a request, whatever is written about AWS and
// whatever the environment holds: every connection fails the test.
func TestNothingIsAsked(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAMARKERMARKER0000")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "MARKER")
	t.Setenv("AWS_PROFILE", "nobody")
	dial := func(_ context.Context, _, address string) (net.Conn, error) {
		t.Errorf("somebody dials %s", address)
		return nil, errors.New("no network here")
	}
	transport := http.DefaultTransport
	http.DefaultTransport = &http.Transport{DialContext: dial}
	t.Cleanup(func() { http.DefaultTransport = transport })
	withoutNetwork := factory(provider.WithAWS(func(c *awslive.Config) {
		c.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: dial}}
	}))
	for name, block := range map[string]string{
		"nothing written": ``,
		"embedded":        `catalog = "embedded"`,
		"an empty block":  `aws {}`,
		"a full block":    "catalog = \"embedded\"\naws {\n profile = \"ci\"\n region = \"eu-west-1\"\n access_key = \"a\"\n secret_key = \"b\"\n skip_credentials_validation = false\n assume_role {\n role_arn = \"arn:aws:iam::123456789012:role/x\"\n}\n}",
		"never looked at": "catalog = \"aws\"\naws {}",
	} {
		t.Run(name, func(t *testing.T) {
			p := prototest.New(t, withoutNetwork, prototest.Config(block))
			if name == "never looked at" {
				return
			}
			for source, body := range map[string]string{
				"runnerfit_instance_ebs": `instance_type = "mac2-m2pro.metal"`,
				"runnerfit_instances":    `mac = true`,
				"runnerfit_gp3_volume":   "size_gib = 100\n throughput_mib_per_s = 1000",
				"runnerfit_vm_disk":      "provisioned_iops = 16000\n vms = 2",
			} {
				if r := p.DataSource(source).Read(body); len(r.Diagnostics) > 0 {
					t.Errorf("%s: %s", source, r.Diagnostics)
				}
			}
			r := p.Resource("runnerfit_mac_host_storage")
			r.Plan(recommended).MustApply()
			if ds := r.Destroy(); len(ds) > 0 {
				t.Error(ds)
			}
		})
	}
}

func TestProviderBlockFaults(t *testing.T) {
	for name, tc := range map[string]struct{ block, path, want string }{
		"no such catalogue":        {`catalog = "live"`, "catalog", `catalog must be "embedded", "aws" or "file:"`},
		"a file without a path":    {`catalog = "file:"`, "catalog", `followed by the path of a file`},
		"a file that is not there": {`catalog = "file:/nowhere/SECRET.json"`, "catalog", "The file that catalog names: there is no such file; `runnerfit catalog refresh"},
		"not a Region":             {"aws {\n region = \"Paris\"\n}", "aws.region", "not the name of an AWS Region"},
		"no retries":               {"aws {\n max_retries = 0\n}", "aws.max_retries", "must be a whole number from 1 to 100"},
		"half a second":            {"aws {\n timeout_seconds = 0.5\n}", "aws.timeout_seconds", "must be a whole number from 1 to 3600"},
		"a mode":                   {"aws {\n retry_mode = \"legacy\"\n}", "aws.retry_mode", "standard"},
		"not a URL":                {"aws {\n endpoints {\n ec2 = \"SECRET\"\n}\n}", "aws.endpoints.ec2", "not a URL that begins with https://"},
		"a role without name":      {"aws {\n assume_role {\n}\n}", "aws.assume_role[0].role_arn", "role_arn is required"},
		"a day":                    {"aws {\n assume_role {\n role_arn = \"x\"\n duration = \"24h\"\n}\n}", "aws.assume_role[0].duration", "from 15m to 12h"},
		"no token":                 {"aws {\n assume_role_with_web_identity {\n role_arn = \"x\"\n}\n}", "aws.assume_role_with_web_identity", "web_identity_token or web_identity_token_file is required"},
	} {
		t.Run(name, func(t *testing.T) {
			d := one(t, prototest.Start(t, factory()).Configure(tc.block))
			contains(t, d.Detail, tc.want)
			if d.Path != tc.path || d.Severity != prototest.SeverityError || strings.Contains(d.Detail, "SECRET") {
				t.Errorf("%s at %s: %s", d.Severity, d.Path, d.Detail)
			}
		})
	}
}

// catalog = "aws": fifty data sources at once describe the types once, and what
// they answer says where it comes from.
func TestCatalogAWS(t *testing.T) {
	s := fakeaws.New(t)
	s.Products = fakeaws.Prices()
	s.Types = s.Types[200:]
	for i, v := range s.Types {
		if v.Type == "mac2.metal" {
			s.Types[i].MemoryMiB *= 2
		}
	}
	p := aws(t, s, `catalog = "aws"`)
	var wg sync.WaitGroup
	for n := range 50 {
		wg.Go(func() {
			if n%2 == 0 {
				r := p.DataSource("runnerfit_instance_ebs").Read(`instance_type = "mac2.metal"`)
				if len(r.Diagnostics) > 0 || r.Attr("memory_gib") != 32.0 || r.Attr("source") != "EC2 DescribeInstanceTypes in us-east-1" || r.Attr("as_of") != "2026-11-30" {
					t.Errorf("%s %v %v", r.Diagnostics, r.Attr("source"), r.Attr("as_of"))
				}
				return
			}
			r := p.DataSource("runnerfit_gp3_volume").Read("size_gib = 100\n throughput_mib_per_s = 1000\n instance_type = \"mac2.metal\"")
			// 9 for storage, 6 for 1,000 IOPS, 39.375 for 875 MiB/s.
			if len(r.Diagnostics) > 0 || r.Attr("monthly_cost_usd") != 54.38 {
				t.Errorf("%s %v", r.Diagnostics, r.Attr("monthly_cost_usd"))
			}
		})
	}
	wg.Wait()
	r := p.DataSource("runnerfit_instance_ebs").Read(`instance_type = "a1.large"`)
	if source, _ := r.Attr("source").(string); !strings.HasSuffix(source, "(the type is not in EC2 DescribeInstanceTypes in us-east-1 of 2026-11-30)") || r.Attr("as_of") != "2026-08-02" {
		t.Errorf("a type that is missing there is from %q of %v", source, r.Attr("as_of"))
	}
	if d := one(t, p.DataSource("runnerfit_instance_ebs").Read(`instance_type = "mac9.metal"`).Diagnostics); !strings.Contains(d.Detail, "is not in the table of 2026-11-30") {
		t.Error(d)
	}
	// Twelve pages of types and three questions of prices. On a busy machine a
	// connection may be lost and a page asked for again; a second description would
	// double the figures.
	counts := s.Counts()
	if n := counts["DescribeInstanceTypes"]; n < 12 || n > 15 {
		t.Errorf("%d requests for the types, want 12", n)
	}
	if n := counts["GetProducts"]; n < 3 || n > 4 || len(counts) != 2 {
		t.Errorf("requests: %v", counts)
	}
}

// Prices of the user's are not asked for.
func TestOwnPrices(t *testing.T) {
	s := fakeaws.New(t)
	p := aws(t, s, "catalog = \"aws\"\nprices {\n gp3_gib_month_usd = 1\n gp3_iops_month_usd = 0\n gp3_mib_per_s_month_usd = 0\n}")
	r := p.DataSource("runnerfit_gp3_volume").Read("size_gib = 100")
	if len(r.Diagnostics) > 0 || r.Attr("monthly_cost_usd") != 100.0 || len(s.Counts()) != 0 {
		t.Errorf("%s %v, requests %v", r.Diagnostics, r.Attr("monthly_cost_usd"), s.Counts())
	}
}

// Prices that cannot be had: one warning for all, and the embedded ones.
func TestPricesCannotBeHad(t *testing.T) {
	s := fakeaws.New(t)
	s.Fault = func(call string, _ int, w http.ResponseWriter, _ *http.Request) bool {
		if call == "GetProducts" {
			fakeaws.JSONError(w, 400, "AccessDeniedException", "SECRET")
		}
		return call == "GetProducts"
	}
	p := aws(t, s, `catalog = "aws"`)
	r := p.DataSource("runnerfit_gp3_volume").Read("size_gib = 100")
	d := one(t, r.Diagnostics)
	if d.Severity != prototest.SeverityWarning || d.Summary != "Today's prices could not be had" || r.Attr("monthly_cost_usd") != 8.0 {
		t.Error(d)
	}
	contains(t, d.Detail, "pricing:GetProducts: access was denied", "needs the permission pricing:GetProducts", "The embedded prices of 2022-02-10 are used")
	if strings.Contains(d.Detail, "SECRET") {
		t.Error(d)
	}
	plan := p.Resource("runnerfit_mac_host_storage").Plan(recommended)
	if len(plan.Diagnostics) > 0 || plan.Attr("monthly_cost_usd") != 181.0 {
		t.Errorf("%s", plan.Diagnostics)
	}
}

// Types that cannot be had are an error, once; an accepted guard only warns and
// can be destroyed.
func TestTypesCannotBeHad(t *testing.T) {
	s := fakeaws.New(t)
	r := aws(t, s, `catalog = "aws"`).Resource("runnerfit_mac_host_storage")
	s.Products = fakeaws.Prices()
	r.Plan(recommended).MustApply()
	s.Fault = func(_ string, _ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Date", today.Format(http.TimeFormat))
		fakeaws.EC2Error(w, 400, "ExpiredTokenException", "SECRET")
		return true
	}
	p := aws(t, s, `catalog = "aws"`)
	d := one(t, p.DataSource("runnerfit_instance_ebs").Read(`instance_type = "mac2.metal"`).Diagnostics)
	if d.Severity != prototest.SeverityError || d.Summary != "AWS could not be asked" {
		t.Error(d)
	}
	contains(t, d.Detail, "ec2:DescribeInstanceTypes in us-east-1: the credentials have expired (ExpiredTokenException). Sign in again",
		"needs the permission ec2:DescribeInstanceTypes", "Everything that does not ask AWS still works", `catalog = "embedded"`)
	if ds := p.DataSource("runnerfit_instance_ebs").Read(`instance_type = "mac2.metal"`).Diagnostics; len(ds) > 0 {
		t.Errorf("it is said again: %s", ds)
	}
	accepted := r.On(aws(t, s, `catalog = "aws"`))
	plan := accepted.Plan(recommended)
	if d := one(t, plan.Diagnostics); d.Severity != prototest.SeverityWarning || plan.Action != prototest.NoOp {
		t.Errorf("%s, a %s", d, plan.Action)
	}
	if ds := accepted.Destroy().Errors(); len(ds) > 0 {
		t.Errorf("destroy is blocked: %s", ds)
	}
	fresh := aws(t, s, `catalog = "aws"`).Resource("runnerfit_mac_host_storage").Plan(recommended)
	if len(fresh.Errors()) != 1 {
		t.Errorf("a new guard: %s", fresh.Diagnostics)
	}
}

// The catalogue is not in the guard's fingerprint: turning it on alone plans
// nothing.
func TestCatalogIsNoChange(t *testing.T) {
	s := fakeaws.New(t)
	s.Products = fakeaws.Prices()
	r := prototest.New(t, factory()).Resource("runnerfit_mac_host_storage")
	r.Plan(recommended).MustApply()
	if plan := r.On(aws(t, s, `catalog = "aws"`)).Plan(recommended); plan.Action != prototest.NoOp || len(plan.Diagnostics) > 0 {
		t.Errorf("a %s: %s", plan.Action, plan.Diagnostics)
	}
}

func TestCatalogFile(t *testing.T) {
	var types []catalog.Instance
	for i := range catalog.Embedded().Instances() {
		if i.Type == "mac2.metal" {
			i.VCPUs = 77
		}
		types = append(types, i)
	}
	f, err := catalog.NewFile("eu-west-1", catalog.Source{Name: "a file", AsOf: "2026-12-01"}, types, catalog.Source{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "catalog.json")
	w, err := os.Create(path)
	if err == nil {
		err = errors.Join(f.Encode(w), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	p := prototest.New(t, factory(), prototest.Config(fmt.Sprintf("catalog = %q", "file:"+path)))
	r := p.DataSource("runnerfit_instance_ebs").Read(`instance_type = "mac2.metal"`)
	expect(t, r.Attr, map[string]any{"vcpus": 77.0, "source": "a file", "as_of": "2026-12-01"})
}

func TestVolumeUsage(t *testing.T) {
	s := fakeaws.New(t)
	s.Instances = []awslive.Instance{{ID: "i-00000001", Type: "mac2-m2pro.metal", State: "running"}}
	s.Volumes = []awslive.Volume{
		{ID: "vol-00000001", Type: "gp3", SizeGiB: 750, IOPS: 6000, ThroughputMiBPerS: 700, InstanceID: "i-00000001", Created: today.AddDate(0, -3, 0)},
		{ID: "vol-00000002", Type: "gp3", SizeGiB: 750, IOPS: 6000, ThroughputMiBPerS: 700, Created: today.Add(-2 * time.Hour)},
		{ID: "vol-00000003", Type: "gp3", SizeGiB: 750, IOPS: 6000, ThroughputMiBPerS: 700, Created: today.AddDate(0, -3, 0)},
	}
	busyFrom := today.Truncate(time.Minute).Add(-10 * time.Hour)
	s.Metric = func(volume, name string, at time.Time) (float64, bool) {
		busy := !at.Before(busyFrom) && at.Before(busyFrom.Add(time.Hour))
		switch {
		case volume == "vol-00000003":
			return 0, false
		case volume == "vol-00000002":
			return 60, true
		case !busy:
			return 0, true
		case name == "VolumeReadOps":
			return 2000 * 60, true
		case name == "VolumeWriteOps":
			return 4000 * 60, true
		}
		return 12 * 60 * (1 << 20), true
	}
	p := aws(t, s, "")
	for name, tc := range map[string]struct {
		body string
		want map[string]any
	}{
		"an hour at the limit, one day": {"volume_id = \"vol-00000001\"\n days = 1", map[string]any{
			"throttled_minutes": 60.0, "throttled_by": "iops", "total_iops.p99": 6000.0, "read_iops.p99": 2000.0, "write_iops.p99": 4000.0, "total_iops.p95": 0.0, "total_iops.max": 6000.0,
			"total_throughput_mib_per_s.p99": 24.0, "recommended.iops": 7200.0, "recommended.throughput_mib_per_s": 125.0, "demand_is_at_least": true, "notes[0]": "throttled: demand is at least this",
			"monthly_cost_usd": 98.0, "recommended_monthly_cost_usd": 81.0, "monthly_saving_usd": 17.0, "minutes": 1440.0, "minutes_with_data": 1440.0, "instance_type": "mac2-m2pro.metal",
			"volume_type": "gp3", "size_gib": 750.0, "provisioned_iops": 6000.0, "start": "2026-11-29T12:34:00Z",
		}},
		"over two weeks": {`volume_id = "vol-00000001"`, map[string]any{
			"throttled_minutes": 60.0, "total_iops.p99": 0.0, "total_iops.max": 6000.0, "recommended.iops": 3000.0, "demand_is_at_least": false, "minutes": 20160.0,
		}},
		"at another percentile": {"volume_id = \"vol-00000001\"\n percentile = 99.8\n headroom_percent = 0", map[string]any{
			"total_iops.chosen": 6000.0, "recommended.iops": 6000.0, "demand_is_at_least": true,
		}},
		"younger than the window": {`volume_id = "vol-00000002"`, map[string]any{
			"minutes": 120.0, "instance_type": nil, "notes[0]": "The volume is younger than the window: 2 hours of 14 days.", "total_iops.p50": 2.0,
		}},
		"without figures": {`volume_id = "vol-00000003"`, map[string]any{
			"minutes_with_data": 0.0, "total_iops": nil, "throttled_minutes": nil, "recommended": nil, "monthly_saving_usd": nil, "monthly_cost_usd": 98.0,
			"notes[0]": "There are no figures in the window: the volume was not attached, or had no I/O at all.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := p.For(t).DataSource("runnerfit_volume_usage").Read(tc.body)
			if len(r.Diagnostics) > 0 {
				t.Fatal(r.Diagnostics)
			}
			expect(t, r.Attr, tc.want)
		})
	}
	for body, want := range map[string]string{
		"volume_id = \"i-00000001\"":                           "volume_id must be an id such as vol-",
		"volume_id = \"vol-00000001\"\n days = 16":             "CloudWatch keeps minutes for no longer",
		"volume_id = \"vol-00000001\"\n days = 1.5":            "must be a whole number",
		"volume_id = \"vol-00000001\"\n percentile = 49":       "at least 50",
		"volume_id = \"vol-00000001\"\n headroom_percent = -1": "must not be negative",
		"volume_id = \"vol-00000001\"\n region = \"Paris\"":    "AWS Region",
		"volume_id = \"vol-99999999\"":                         "InvalidVolume.NotFound",
	} {
		if d := one(t, p.DataSource("runnerfit_volume_usage").Read(body).Diagnostics); !strings.Contains(d.Detail, want) {
			t.Errorf("%s: %s", body, d)
		}
	}
}

// timeout_seconds is for all that a read asks: three questions of its own, and
// what is looked up of the catalogue. No single answer takes as long as that.
func TestTimeoutOfARead(t *testing.T) {
	s := fakeaws.New(t)
	s.Instances = []awslive.Instance{{ID: "i-00000001", Type: "mac2-m2pro.metal", State: "running"}}
	s.Volumes = []awslive.Volume{{ID: "vol-00000001", Type: "gp3", SizeGiB: 750, IOPS: 6000, ThroughputMiBPerS: 700, InstanceID: "i-00000001", Created: today.AddDate(-1, 0, 0)}}
	s.Fault = func(_ string, _ int, _ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-r.Context().Done():
		case <-time.After(400 * time.Millisecond):
		}
		return false
	}
	p := prototest.New(t, factory(provider.WithAWS(func(c *awslive.Config) {
		c.Clock, c.Timeout, c.MaxRetries = fixed(today), time.Second, 2
	})), prototest.Config(s.Block(`catalog = "aws"`)))
	for source, body := range map[string]string{"runnerfit_volume_usage": `volume_id = "vol-00000001"`, "runnerfit_volumes": ""} {
		d := one(t, p.DataSource(source).Read(body).Diagnostics)
		contains(t, d.Detail, "there was no answer within 1s")
	}
}

func TestMacHosts(t *testing.T) {
	s := fakeaws.New(t)
	ago := func(hours int) time.Time { return today.Add(-time.Duration(hours) * time.Hour).Truncate(time.Second) }
	s.Hosts = []awslive.Host{
		{ID: "h-00000001", Type: "mac2-m2pro.metal", State: "available", Allocated: ago(100), InstanceIDs: []string{"i-00000001"}, Tags: map[string]string{"team": "ios"}},
		{ID: "h-00000002", Type: "mac2-m2pro.metal", State: "available", Allocated: ago(2)},
		{ID: "h-00000003", Type: "mac2.metal", State: "pending", Allocated: ago(30)},
		{ID: "h-00000004", Type: "mac9.metal", State: "available", Allocated: ago(24)},
		{ID: "h-00000005", Type: "m5.large", State: "available", Allocated: ago(24)},
		{ID: "h-00000006", Type: "mac2.metal", State: "released", Allocated: ago(200), Released: ago(100)},
	}
	s.Instances = []awslive.Instance{
		{ID: "i-00000001", Type: "mac2-m2pro.metal", State: "running", HostID: "h-00000001"},
		{ID: "i-00000003", Type: "mac2.metal", State: "terminated", HostID: "h-00000003", Stopped: ago(1)},
	}
	p := aws(t, s, "")
	r := p.DataSource("runnerfit_mac_hosts").Read("")
	if len(r.Diagnostics) > 0 {
		t.Fatal(r.Diagnostics)
	}
	expect(t, r.Attr, map[string]any{
		"host_count": 4.0, "idle_count": 2.0, "scrubbing_count": 1.0, "releasable_count": 1.0, "hourly_cost_usd": nil, "cost_to_date_usd": nil, "as_of": "2026-11-30T12:34:56Z",
		"hosts[0].instance_id": "i-00000001", "hosts[0].hours_idle": 0.0, "hosts[0].hours_idle_is_at_most": false, "hosts[0].releasable": false, "hosts[0].cost_to_date_usd": 156.0,
		"hosts[0].tags": map[string]any{"team": "ios"}, "hosts[0].allocation_time": "2026-11-26T08:34:56Z", "hosts[0].releasable_at": "2026-11-27T08:34:56Z",
		"hosts[1].instance_id": nil, "hosts[1].hours_idle": 2.0, "hosts[1].hours_idle_is_at_most": true, "hosts[1].cost_to_date_usd": 3.12, "hosts[1].minimum_cost_usd": 37.44, "hosts[1].age_hours": 2.0,
		"hosts[2].scrubbing": true, "hosts[2].hours_idle": 1.0, "hosts[2].hours_idle_is_at_most": false, "hosts[2].state": "pending",
		"hosts[3].instance_type": "mac9.metal", "hosts[3].hourly_price_usd": nil, "hosts[3].releasable": true,
	})
	r = p.DataSource("runnerfit_mac_hosts").Read("tags = { team = \"ios\" }\n instance_types = [\"mac2-m2pro.metal\"]")
	expect(t, r.Attr, map[string]any{"host_count": 1.0, "hourly_cost_usd": 1.56, "cost_to_date_usd": 156.0})
	r = p.DataSource("runnerfit_mac_hosts").Read("states = [\"released\"]")
	expect(t, r.Attr, map[string]any{"host_count": 0.0, "hosts[0].host_id": "h-00000006", "hosts[0].cost_to_date_usd": 65.0, "cost_to_date_usd": 0.0})
	s.Hosts = []awslive.Host{{ID: "h-00000007", Type: "mac2.metal", State: "available"}}
	r = p.DataSource("runnerfit_mac_hosts").Read("")
	expect(t, r.Attr, map[string]any{
		"hosts[0].allocation_time": nil, "hosts[0].age_hours": nil, "hosts[0].releasable_at": nil, "hosts[0].releasable": false, "hosts[0].hours_idle": nil,
		"hosts[0].cost_to_date_usd": nil, "hosts[0].minimum_cost_usd": nil, "hosts[0].hourly_price_usd": 0.65, "cost_to_date_usd": nil, "idle_count": 1.0,
	})
	if d := one(t, p.DataSource("runnerfit_mac_hosts").Read(`host_ids = ["x"]`).Diagnostics); d.Path != "host_ids[0]" {
		t.Error(d)
	}
}

func TestVolumes(t *testing.T) {
	s := fakeaws.New(t)
	s.PageSize = 2
	s.Instances = []awslive.Instance{{ID: "i-00000001", Type: "mac2-m2pro.metal", State: "running"}}
	s.Volumes = []awslive.Volume{
		{ID: "vol-00000001", Type: "gp3", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 750, InstanceID: "i-00000001", Device: "/dev/sda1", Created: today},
		{ID: "vol-00000002", Type: "gp3", SizeGiB: 750, IOPS: 16000, ThroughputMiBPerS: 1000, InstanceID: "i-00000001", Device: "/dev/sdf", Created: today, Tags: map[string]string{"team": "ios"}},
		{ID: "vol-00000003", Type: "gp2", SizeGiB: 100, IOPS: 300, Created: today},
		{ID: "vol-00000004", Type: "gp3", SizeGiB: 10, IOPS: 3000, ThroughputMiBPerS: 125, InstanceID: "i-0000dead", Created: today},
	}
	p := aws(t, s, `ignore_rules = { "gp3-iops-unneeded" = "agreed" }`)
	r := p.DataSource("runnerfit_volumes").Read("")
	if len(r.Diagnostics) > 0 {
		t.Fatal(r.Diagnostics)
	}
	expect(t, r.Attr, map[string]any{
		"volumes[0].volume_id": "vol-00000001", "volumes[0].device": "/dev/sda1", "volumes[0].instance_type": "mac2-m2pro.metal", "volumes[0].findings": []any{},
		"volumes[1].findings[0].rule": "instance-throughput", "volumes[1].monthly_cost_usd": 160.0,
		"volumes[2].findings[0].rule": "volume-type-legacy", "volumes[2].throughput_mib_per_s": nil, "volumes[2].instance_id": nil,
		"volumes[3].instance_id": "i-0000dead", "volumes[3].instance_type": nil,
		"instances[1].instance_type": nil, "instances[0].instance_id": "i-00000001", "instances[0].findings[0].rule": "instance-shared-budget", "instances[0].findings[0].severity": "info",
		"instances[0].volume_ids": []any{"vol-00000001", "vol-00000002"}, "monthly_cost_usd": 203.8,
	})
	if fs, _ := r.Attr("volumes[1].findings").([]any); len(fs) != 1 {
		t.Errorf("findings %v", fs)
	}
	r = p.DataSource("runnerfit_volumes").Read(`tags = { team = "ios" }`)
	if vs, _ := r.Attr("volumes").([]any); len(vs) != 1 {
		t.Errorf("%d volumes by tag: %s", len(vs), r.Diagnostics)
	}
	r = p.DataSource("runnerfit_volumes").Read("instance_ids = [\"i-00000001\"]")
	if vs, _ := r.Attr("volumes").([]any); len(vs) != 2 {
		t.Errorf("%d volumes by instance: %s", len(vs), r.Diagnostics)
	}
}

// A live data source without credentials, or while the provider is not known.
func TestLiveWithoutProvider(t *testing.T) {
	s := fakeaws.New(t)
	for name, tc := range map[string]struct{ block, summary string }{
		"not known":           {"aws {\n region = unknown\n}", "Provider configuration is not known yet"},
		"catalogue not known": {"catalog = unknown", "Provider configuration is not known yet"},
	} {
		t.Run(name, func(t *testing.T) {
			p := prototest.New(t, awsFactory(s), prototest.Config(tc.block))
			if d := one(t, p.DataSource("runnerfit_mac_hosts").Read("").Diagnostics); d.Summary != tc.summary {
				t.Error(d)
			}
			// What needs neither answers.
			if r := p.DataSource("runnerfit_instance_ebs").Read(`instance_type = "mac2.metal"`); len(r.Diagnostics) > 0 {
				t.Error(r.Diagnostics)
			}
		})
	}
}
