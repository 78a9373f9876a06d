package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The embedded files are what the generator makes of the sources, no more and
// no less: run go generate ./internal/catalog after a change.
func TestEmbeddedFilesAreGenerated(t *testing.T) {
	want, err := build(os.DirFS("../sources"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("../data")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := want[e.Name()]; !ok {
			t.Errorf("data/%s is not a generated file", e.Name())
		}
	}
	for name, content := range want {
		got, err := os.ReadFile(filepath.Join("../data", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(strings.SplitAfter(string(content), "\n"), strings.SplitAfter(string(got), "\n")); diff != "" {
			t.Errorf("data/%s differs from the sources (-generated +embedded):\n%.2000s", name, diff)
		}
	}
}

func TestRunWritesTheFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := run("../sources", dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "macs.json"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../data/macs.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
	if err := run(filepath.Join(dir, "nothing"), dir); err == nil {
		t.Error("no sources: no error")
	}
}

// Every kind of contradiction that the generator looks for stops it.
func TestBuildRefusesContradictions(t *testing.T) {
	for _, test := range []struct {
		name, file, old, new, want string
	}{
		{"no date", "instance_types.json", `"as_of": "2026-08-02"`, `"as_of": ""`, "needs its name, date"},
		{"no JSON", "volume_limits.json", `{`, ``, "volume_limits.json"},
		{"type twice", "instance_types.json", `{"type":"a1.4xlarge"`, `{"type":"a1.2xlarge"`, "listed twice"},
		{"no type", "instance_types.json", `{"type":"a1.4xlarge"`, `{"type":"a1 4xlarge"`, "not the name of a type"},
		{"no memory", "instance_types.json", `"memory_mib":16384`, `"memory_mib":0`, "something is missing"},
		{"half of the EBS figures", "instance_types.json", `"ebs_baseline_mbps":1750`, `"ebs_baseline_mbps":null`, "only some EBS figures"},
		{"swapped columns", "instance_types.json", `"ebs_baseline_mbs":218.75`, `"ebs_baseline_mbs":1750`, "is not 1750 MB/s"},
		{"maximum below baseline", "instance_types.json", `"ebs_max_iops":20000`, `"ebs_max_iops":1`, "below the baseline"},
		{"cards", "instance_types.json", `{"baseline_mbps":150000`, `{"baseline_mbps":150001`, "add up"},
		{"a Mac of its own", "mac_types.json", `"type": "mac1.metal"`, `"type": "mac0.metal"`, "not in the table"},
		{"another EBS figure", "mac_types.json", `"ebs_max_mbps": 14000`, `"ebs_max_mbps": 8000`, "other EBS figures"},
		{"other memory", "mac_types.json", `"memory_mib": 32768`, `"memory_mib": 1`, "differs"},
		{"no regions", "mac_types.json", `"host_family": "mac1"`, `"host_family": ""`, "something is missing"},
		{"ratio", "volume_limits.json", `"throughput_mib_s_per_iops": 0.25`, `"throughput_mib_s_per_iops": 0.3`, "not a whole number"},
		{"no ratio", "volume_limits.json", `"throughput_mib_s_per_iops": 0.25`, `"throughput_mib_s_per_iops": 0`, "no ratio"},
		{"range", "volume_limits.json", `"iops": [3000, 80000]`, `"iops": [3000, 3000]`, "no range"},
		{"no size", "volume_limits.json", `"size_gib": [125, 16384]`, `"size_gib": [0, 0]`, "something is missing"},
		{"free storage", "volume_prices.json", `"gb_month": 0.1047`, `"gb_month": 0`, "is no price"},
		{"a tier", "volume_prices.json", `"Tier2IOPSMonth": 0.05544`, `"Tier2IOPSMonth": null`, "a tier of IOPS is missing"},
		{"seen otherwise", "volume_prices.json", `"gb_month": 0.0924`, `"gb_month": 0.0925`, "seen elsewhere"},
		{"no currency", "volume_prices.json", `"currency": "USD"`, `"currency": ""`, "not a region or currency"},
		{"a day is not 24 hours", "mac_host_prices.json", `"mac2.metal": 15.6`, `"mac2.metal": 15.7`, "a day"},
		{"host price of no Mac", "mac_host_prices.json", `"mac2.metal": 0.65`, `"m5.metal": 0.65`, "m5.metal"},
		{"two references", "instance_prices.json", `"r7i.xlarge": {`, `"m7i.zlarge": {`, "are listed for other regions"},
		{"metal reference", "instance_prices.json", `"r7i.xlarge": {`, `"r7i.metal-24xl": {`, "only a known virtual type"},
		{"two prices", "instance_prices.json", `"us-east-1": 0.48688`, `"us-east-1": 0.48`, "costs both"},
		{"free instance", "instance_prices.json", `"a1.large": 0.051`, `"a1.large": 0`, "is no price"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sources := fstest.MapFS{}
			for _, name := range []string{"instance_types.json", "mac_types.json", "volume_limits.json", "volume_prices.json", "mac_host_prices.json", "instance_prices.json"} {
				content, err := os.ReadFile(filepath.Join("../sources", name))
				if err != nil {
					t.Fatal(err)
				}
				sources[name] = &fstest.MapFile{Data: content}
			}
			before := string(sources[test.file].Data)
			after := strings.Replace(before, test.old, test.new, 1)
			if before == after {
				t.Fatalf("%s does not contain %s", test.file, test.old)
			}
			sources[test.file].Data = []byte(after)
			_, err := build(sources)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one that says %q", err, test.want)
			}
		})
	}
}
