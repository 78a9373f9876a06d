package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

func TestActionsCache(t *testing.T) {
	p := prototest.New(t, factory())
	for name, tc := range map[string]struct {
		config string
		want   map[string]any
		said   []string
	}{
		"same host": {
			config: "entry_gib = 1",
			want: map[string]any{
				"restore_seconds": 0.44, "first_restore_seconds": 0.13, "bound_by": "server", "hosted_seconds": 53.69, "speedup": 121.22, "storage_gib": nil,
				"limits[0].name": "server", "limits[0].mib_per_s": 2312.0, "findings[0].rule": "cache-server-bound",
			},
		},
		"10 GbE plans without a word": {
			config: "entry_gib = 1\n link_mbit_per_s = 10000",
			want:   map[string]any{"restore_seconds": 0.86, "bound_by": "link", "limits[0].mib_per_s": 1192.0928955078125, "limits[1].name": "server", "findings[0].severity": "info"},
		},
		"cold gp3": {
			config: "entry_gib = 1\n server {\n volume {\n size_gib = 500\n throughput_mib_per_s = 125\n}\n}",
			want:   map[string]any{"restore_seconds": 8.19, "first_restore_seconds": 0.13, "bound_by": "volume"},
			said:   []string{"warning server.volume.throughput_mib_per_s cache-volume-bound"},
		},
		"m8a.xlarge": {
			config: "entry_gib = 1\n server {\n instance_type = \"m8a.xlarge\"\n volume {\n size_gib = 500\n iops = 4000\n throughput_mib_per_s = 1000\n}\n}",
			want:   map[string]any{"restore_seconds": 6.87, "bound_by": "instance", "limits[0].mib_per_s": 149.01161193847656},
			said:   []string{"warning server.instance_type cache-instance-bound"},
		},
		"50 MB/s on 10 Gbit/s": {
			config: "entry_gib = 2\n link_mbit_per_s = 10000\n server {\n throughput_mib_per_s = 47.6837158203125\n}",
			want:   map[string]any{"restore_seconds": 42.95, "bound_by": "server"},
			said:   []string{"warning server.throughput_mib_per_s cache-server-bound"},
		},
		"storage": {
			config: "entry_gib = 1\n link_mbit_per_s = 1000\n daily_upload_gib = 2\n retention_days = 30",
			want:   map[string]any{"storage_gib": 60.0},
		},
		"four at a time": {
			config: "entry_gib = 1\n link_mbit_per_s = 10000\n parallel_restores = 4\n fixed_seconds = 1\n hosted_mb_per_s = 231",
			want:   map[string]any{"restore_seconds": 4.44, "hosted_seconds": 5.65, "speedup": 1.27},
		},
		"an instance that is not in the table": {
			config: "entry_gib = 1\n link_mbit_per_s = 1000\n server {\n instance_type = \"m99.xlarge\"\n}",
			said:   []string{"warning server.instance_type instance-unknown"},
		},
		"S3": {
			config: "entry_gib = 1\n link_mbit_per_s = 1000\n server {\n storage = \"s3\"\n database = \"postgres\"\n replicas = 3\n instance_type = \"m8a.xlarge\"\n}",
			want:   map[string]any{"bound_by": "link", "limits[1].mib_per_s": 970.0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := p.For(t).DataSource("runnerfit_actions_cache").Read(tc.config)
			if diff := cmp.Diff(tc.said, said(r.Diagnostics)); diff != "" {
				t.Fatalf("(-want +got):\n%s\n%s", diff, r.Diagnostics)
			}
			expect(t, r.Attr, tc.want)
		})
	}
}

func TestActionsCacheErrors(t *testing.T) {
	p := prototest.New(t, factory())
	for name, tc := range map[string]struct {
		config, path string
		detail       []string
	}{
		"SQLite and replicas": {"entry_gib = 1\n link_mbit_per_s = 1000\n server {\n replicas = 2\n}", "server.replicas", []string{"2 replicas are planned with SQLite", "Rule: cache-sqlite-replicas"}},
		"memory":              {"entry_gib = 2\n link_mbit_per_s = 1000\n server {\n implementation = \"node\"\n storage = \"s3\"\n memory_mib = 640\n}", "server.memory_mib", []string{"2,048 MiB, and it has 640", "Rule: cache-memory"}},
		"a refused volume":    {"entry_gib = 1\n link_mbit_per_s = 1000\n server {\n volume {\n size_gib = 500\n iops = 3000\n throughput_mib_per_s = 1000\n}\n}", "server.volume.throughput_mib_per_s", []string{"ratio", "Rule: gp3-throughput-ratio"}},
		"no entry":            {"entry_gib = 0", "entry_gib", []string{"entry_gib is 0"}},
		"a bad word":          {"entry_gib = 1\n server {\n storage = \"gcs\"\n}", "server.storage", []string{`"filesystem" or "s3"`}},
		"a fraction":          {"entry_gib = 1\n server {\n volume {\n size_gib = 1.5\n}\n}", "server.volume.size_gib", []string{"whole number"}},
		"a zone":              {"entry_gib = 1\n region = \"us-east-1a\"", "region", []string{"AWS Region"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := one(t, p.For(t).DataSource("runnerfit_actions_cache").Read(tc.config).Diagnostics)
			if d.Severity != prototest.SeverityError || d.Path != tc.path {
				t.Errorf("%s, want an error at %s", d, tc.path)
			}
			contains(t, d.Detail, tc.detail...)
		})
	}
}

// Fixes name the prices of the Region, and say so where there are none.
func TestActionsCachePrices(t *testing.T) {
	const config = "entry_gib = 1\n link_mbit_per_s = 5000\n server {\n volume {\n size_gib = 500\n}\n}"
	for provider, want := range map[string]string{
		"":                     "throughput_mib_per_s = 597 (+$18.88 a month)",
		`region = "eu-west-1"`: "throughput_mib_per_s = 597 (+$20.77 a month)",
		`region = "ca-west-1"`: "no price in US dollars for this Region",
		"region = unknown":     "price not known yet",
		"prices {\n gp3_mib_per_s_month_usd = unknown\n}": "price not known yet",
		"prices {\n gp3_mib_per_s_month_usd = 1\n}":       "(+$472.00 a month)",
	} {
		d := one(t, prototest.New(t, factory(), prototest.Config(provider)).DataSource("runnerfit_actions_cache").Read(config).Diagnostics)
		contains(t, d.Detail, want)
	}
	d := one(t, prototest.New(t, factory()).DataSource("runnerfit_actions_cache").Read(config+"\n region = \"eu-west-1\"").Diagnostics)
	contains(t, d.Detail, "+$20.77")
}

func TestActionsCacheWaits(t *testing.T) {
	p := prototest.New(t, factory())
	for _, config := range []string{
		"entry_gib = unknown", "entry_gib = 1\n link_mbit_per_s = unknown", "entry_gib = 1\n server {\n storage = unknown\n}",
		"entry_gib = 1\n server {\n volume {\n throughput_mib_per_s = unknown\n}\n}",
	} {
		r := p.DataSource("runnerfit_actions_cache").Read(config)
		if len(r.Diagnostics) > 0 || !r.Deferred {
			t.Errorf("%s: %s", config, r.Diagnostics)
		}
	}
}

func TestCacheRestoreSecondsFunction(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		for expression, want := range map[string]string{
			"cache_restore_seconds(1, 160, null, null)":    "53.6870912",
			"cache_restore_seconds(1, 10000, null, null)":  "0.8589934592",
			"cache_restore_seconds(1, null, 2312, 125)":    "8.192",
			"cache_restore_seconds(1, null, 1024, null)":   "1",
			"cache_restore_seconds(1, null, null, 1024)":   "1",
			"cache_restore_seconds(0, 10000, null, null)":  "0",
			"cache_restore_seconds(10, 10000, 2048, 1024)": "10",
		} {
			got, err := p.Eval("provider::runnerfit::" + expression)
			if err != nil {
				t.Errorf("%s: %v", expression, err)
			} else if !got.RawEquals(cty.MustParseNumberVal(want)) {
				t.Errorf("%s = %s, want %s", expression, got.AsBigFloat().Text('g', -1), want)
			}
		}
		if got, err := p.Eval("provider::runnerfit::cache_restore_seconds(1, unknown, null, null)"); err != nil || got.IsKnown() {
			t.Errorf("an unknown link gives %#v, %v", got, err)
		}
		functionErrors(t, p, map[string]functionError{
			"cache_restore_seconds(1, null, null, null)": {-1, "at least one limit is needed"},
			"cache_restore_seconds(-1, 1, null, null)":   {0, "must not be negative"},
			"cache_restore_seconds(1, 0, null, null)":    {1, "more than 0"},
			"cache_restore_seconds(1, null, -5, null)":   {2, "must not be negative"},
			"cache_restore_seconds(1, null, null, 1e13)": {3, "too large"},
		})
	})
}
