package catalog_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var fileSource = catalog.Source{Name: "EC2 DescribeInstanceTypes in eu-west-1", AsOf: "2026-11-30", Confidence: "high"}

// file is a catalogue file of the embedded types, changed.
func file(tb testing.TB, change func([]catalog.Instance) []catalog.Instance) (*catalog.File, error) {
	tb.Helper()
	var types []catalog.Instance
	for i := range catalog.Embedded().Instances() {
		types = append(types, i)
	}
	if change != nil {
		types = change(types)
	}
	prices, _ := catalog.Embedded().VolumePrices("eu-west-1")
	return catalog.NewFile("eu-west-1", fileSource, types, catalog.Source{Name: "AWS Price List", AsOf: "2026-11-29"}, map[string]catalog.Prices{"eu-west-1": {
		Volumes:      optional.Known(prices),
		MacHostHour:  map[string]decimal.Decimal{"mac2.metal": decimal.RequireFromString("0.71")},
		InstanceHour: map[string]decimal.Decimal{"m8a.xlarge": decimal.RequireFromString("0.2501")},
	}})
}

// What is written is read back as it was.
func TestFile(t *testing.T) {
	f, err := file(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Encode(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "catalog.json")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err = catalog.LoadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cat := catalog.Embedded().WithOverlay(f)
	for want := range catalog.Embedded().Instances() {
		got, ok := cat.Instance(want.Type)
		if !ok || got.Source != fileSource {
			t.Fatalf("%s: %+v", want.Type, got.Source)
		}
		got.Source = want.Source
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Fatalf("%+v became %+v", want, got)
		}
	}
	if cat.InstanceSource() != fileSource || cat.InstanceCount() != 1373 {
		t.Errorf("%d types from %+v", cat.InstanceCount(), cat.InstanceSource())
	}
	old, _ := catalog.Embedded().VolumePrices("eu-west-1")
	p, ok := cat.VolumePrices("eu-west-1")
	if !ok || p.Source.AsOf != "2026-11-29" {
		t.Errorf("%+v", p.Source)
	}
	if p.Source = old.Source; fmt.Sprint(p) != fmt.Sprint(old) {
		t.Errorf("prices became %v", p)
	}
	if p, ok := cat.VolumePrices("us-east-1"); !ok || p.Source.AsOf != "2022-02-10" {
		t.Errorf("a Region that is not in the file: %+v", p.Source)
	}
	for region, want := range map[string]string{"eu-west-1": "0.71", "us-east-1": "0.65"} {
		if p, ok := cat.MacHostPrice(region, "mac2.metal"); !ok || p.USDPerHour.String() != want {
			t.Errorf("a host in %s costs %v", region, p)
		}
	}
	if p, ok := cat.InstancePrice("eu-west-1", "m8a.xlarge"); !ok || p.USDPerHour.String() != "0.2501" {
		t.Errorf("an instance costs %v", p)
	}
	own := cat.WithPrices(catalog.PriceOverrides{GP3GiBMonth: optional.Known(decimal.RequireFromString("0.01"))})
	if p, _ := own.VolumePrices("eu-west-1"); p.GP3.GiBMonth.String() != "0.01" || !p.GP3.IOPSMonth.Equal(old.GP3.IOPSMonth) {
		t.Errorf("with a price of the user's: %+v", p.GP3)
	}
	if diff := cmp.Diff([]string{"eu-west-1"}, f.PricedRegions()); diff != "" || f.Region() != "eu-west-1" {
		t.Error(diff)
	}
}

// A type that only one of the two has: the newer one adds, the table stands in
// and says so.
func TestOverlaidTypes(t *testing.T) {
	f, err := file(t, func(types []catalog.Instance) []catalog.Instance {
		n := types[0]
		n.Type = "mac9.metal"
		return append(types[100:], n)
	})
	if err != nil {
		t.Fatal(err)
	}
	cat := catalog.Embedded().WithOverlay(f)
	if _, ok := cat.Instance("mac9.metal"); !ok || cat.InstanceCount() != 1374 {
		t.Errorf("mac9.metal is %v, of %d types", ok, cat.InstanceCount())
	}
	i, ok := cat.Instance("a1.large")
	if want := "(the type is not in EC2 DescribeInstanceTypes in eu-west-1 of 2026-11-30)"; !ok || i.Source.AsOf != "2026-08-02" || !strings.HasSuffix(i.Source.Name, want) {
		t.Errorf("a1.large is from %+v", i.Source)
	}
	n, last := 0, ""
	for i := range cat.Instances() {
		if i.Type <= last {
			t.Fatalf("%s comes after %s", i.Type, last)
		}
		n, last = n+1, i.Type
	}
	if n != 1374 || cat.ClosestInstances("mac9.meta", 1)[0] != "mac9.metal" {
		t.Errorf("%d types, the closest is %v", n, cat.ClosestInstances("mac9.meta", 1))
	}
	// What WithInstances adds comes first.
	mine := i
	mine.Type, mine.VCPUs = "mac9.metal", 1234
	if got, _ := cat.WithInstances(mine).Instance("mac9.metal"); got.VCPUs != 1234 {
		t.Errorf("%d vCPUs", got.VCPUs)
	}
}

func TestFileFaults(t *testing.T) {
	good := func() string {
		f, err := file(t, func(types []catalog.Instance) []catalog.Instance { return types[:60] })
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.Encode(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}()
	for name, tc := range map[string]struct{ content, want string }{
		"empty":              {"", "it is empty"},
		"text":               {"hello", "not JSON"},
		"half":               {good[:len(good)/2], "only a part of it is there"},
		"followed by more":   {good + "{}", "not JSON"},
		"other JSON":         {`{"terraform_version": "1.11.4"}`, "not a runnerfit catalogue"},
		"a list":             {`[1]`, "not a runnerfit catalogue"},
		"null":               {`null`, "not a runnerfit catalogue"},
		"older":              {`{"format": "runnerfit-catalog", "version": 0}`, "version 0, which is too old: this runnerfit reads version 1"},
		"newer":              {`{"format": "runnerfit-catalog", "version": 2, "instances": "elsewhere"}`, "version 2, of a newer runnerfit"},
		"of another shape":   {`{"format": "runnerfit-catalog", "version": 1, "instances": "elsewhere"}`, "shape of a catalogue"},
		"without types":      {`{"format": "runnerfit-catalog", "version": 1, "region": "us-east-1", "source": {"name": "x", "as_of": "y"}}`, "it has 0 instance types"},
		"without a date":     {strings.Replace(good, `"as_of": "2026-11-30"`, `"as_of": ""`, 1), "of what date"},
		"without a Region":   {strings.Replace(good, `"region": "eu-west-1"`, `"region": "Paris"`, 1), "does not name the Region"},
		"listed twice":       {strings.Replace(good, `"a1.4xlarge"`, `"a1.2xlarge"`, 1), "a1.2xlarge is listed twice"},
		"no memory":          {strings.Replace(good, `"memory_mib": 16384`, `"memory_mib": 0`, 1), "a1.2xlarge has no vCPUs"},
		"below the baseline": {strings.Replace(good, `"max_iops": 20000`, `"max_iops": 2`, 1), "a1.2xlarge has EBS limits that cannot be"},
		"a free GiB":         {strings.Replace(good, `"gib": "0.088"`, `"gib": "0"`, 1), "a gp3 price of $0"},
		"another currency":   {strings.Replace(good, `"currency": "USD"`, `"currency": "EUR"`, 1), "not in US dollars"},
		"a free host":        {strings.Replace(good, `"0.71"`, `"-1"`, 1), "an hourly price of eu-west-1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "SECRETPATH.json")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := catalog.LoadFile(path)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "SECRETPATH") {
				t.Errorf("the error is %v", err)
			}
		})
	}
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge")
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, catalog.MaxFileBytes+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "nothing"): "there is no such file",
		dir:                           "it is a directory",
		huge:                          "larger than 32 MiB",
		os.DevNull:                    "not a regular file",
	} {
		if _, err := catalog.LoadFile(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := catalog.ReadFile(strings.NewReader(strings.Repeat(" ", catalog.MaxFileBytes+1))); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("a stream without end: %v", err)
	}
}

func TestPlausible(t *testing.T) {
	all, err := file(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(n int, change func(*catalog.Instance)) *catalog.File {
		f, err := file(t, func(types []catalog.Instance) []catalog.Instance {
			for i := range n {
				change(&types[i])
			}
			return types
		})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	few, err := file(t, func(types []catalog.Instance) []catalog.Instance { return types[:700] })
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		file, previous *catalog.File
		want           string
	}{
		"the same":                {all, all, ""},
		"the first":               {few, nil, ""},
		"shrunken":                {few, all, "it has 700 instance types, and the file that it would replace has 1373"},
		"some figures corrected":  {changed(60, func(i *catalog.Instance) { i.VCPUs++ }), all, ""},
		"everything is another":   {changed(600, func(i *catalog.Instance) { i.VCPUs++ }), all, "of 600 of 1373 known types"},
		"the limits are gone":     {changed(600, func(i *catalog.Instance) { i.EBS = optional.Null[catalog.EBSCeiling]() }), all, "no longer what they were"},
		"names that nobody knows": {changed(1000, func(i *catalog.Instance) { i.Type = "x" + i.Type }), nil, "only 373 are known"},
	} {
		err := tc.file.PlausibleAfter(tc.previous, catalog.Embedded())
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzReadFile(f *testing.F) {
	c, err := file(f, func(types []catalog.Instance) []catalog.Instance { return types[:50] })
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.Encode(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"format":"runnerfit-catalog","version":1}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := catalog.ReadFile(bytes.NewReader(content))
		if err != nil {
			return
		}
		// What is read can be written, and read again.
		var b bytes.Buffer
		if err := c.Encode(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := catalog.ReadFile(&b); err != nil {
			t.Error(err)
		}
	})
}
