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
		"without types":      {`{"format": "runnerfit-catalog", "version": 1, "region": "us-east-1", "source": {"name": "x", "as_of": "2026-11-30"}}`, "it has 0 instance types"},
		"without a date":     {strings.Replace(good, `"as_of": "2026-11-30"`, `"as_of": ""`, 1), "of what date"},
		"without a Region":   {strings.Replace(good, `"region": "eu-west-1"`, `"region": "Paris"`, 1), "does not name the Region"},
		"listed twice":       {strings.Replace(good, `"a1.4xlarge"`, `"a1.2xlarge"`, 1), "a1.2xlarge is listed twice"},
		"no memory":          {strings.Replace(good, `"memory_mib": 16384`, `"memory_mib": 0`, 1), "a1.2xlarge has no vCPUs"},
		"below the baseline": {strings.Replace(good, `"max_iops": 20000`, `"max_iops": 2`, 1), "a1.2xlarge has EBS limits that cannot be"},
		"a free GiB":         {strings.Replace(good, `"gib": "0.088"`, `"gib": "0"`, 1), "a gp3 price of $0"},
		"a date of words":    {strings.Replace(good, `"as_of": "2026-11-30"`, `"as_of": "yesterday"`, 1), "the date of its source is not one such as 2026-11-30"},
		"the 31st of June":   {strings.Replace(good, `"as_of": "2026-11-30"`, `"as_of": "2026-06-31"`, 1), "the date of its source"},
		"before AWS":         {strings.Replace(good, `"as_of": "2026-11-29"`, `"as_of": "0001-01-01"`, 1), "the date of its prices"},
		"a minus of volumes": {strings.Replace(good, `"max_volumes": 27`, `"max_volumes": -27`, 1), "cannot carry -27 volumes"},
		"a minus of cores":   {strings.Replace(good, `"cores": 8`, `"cores": -8`, 1), "a1.2xlarge cannot have -8 cores and 8 vCPUs"},
		"a minus of storage": {strings.Replace(good, `"store_gb": `, `"store_gb": -`, 1), "GB of instance storage"},
		"no architecture":    {strings.Replace(good, `"arm64"`, `""`, 1), "a1.2xlarge has an architecture without a name"},
		"a name of words":    {strings.Replace(good, `"a1.2xlarge"`, `"my own type"`, 1), "instance 1 of the list: there is a type whose name is not one"},
		"a cheap gp2":        {strings.Replace(good, `"gib": "0.11"`, `"gib": "-0.11"`, 1), "prices of eu-west-1: a price of $-0.11 for a GiB of gp2 a month cannot be"},
		"a minus of IOPS":    {strings.Replace(good, `"month": "0.0`, `"month": "-0.0`, 1), "for an IOPS of io1 a month cannot be (tier 1)"},
		"tiers out of order": {strings.Replace(good, `"up_to": 32000`, `"up_to": 65000`, 1), "the IOPS tiers of io2 do not follow on each other: tier 2 ends at 64000"},
		"a minus of a tier":  {strings.Replace(good, `"up_to": 32000`, `"up_to": -1`, 1), "the IOPS tiers of io2 do not follow on each other: tier 1 ends at -1"},
		"a free instance":    {strings.Replace(good, `"0.2501"`, `"0"`, 1), "instance m8a.xlarge: a price of $0 an hour cannot be"},
		"a host in cents":    {strings.Replace(good, `"0.71"`, `"71000"`, 1), "host mac2.metal: a price of $71000 an hour cannot be"},
		"a host of words":    {strings.Replace(good, `"mac2.metal": "0.71"`, `"my host": "0.71"`, 1), "one of the hosts is of a type whose name is not one"},
		"a name misspelt":    {strings.Replace(good, `"max_volumes": 27`, `"max_volume": 27`, 1), "shape of a catalogue (line 1"},
		"a word for a count": {strings.Replace(good, `"vcpus": 8`, `"vcpus": "8"`, 1), "shape of a catalogue (line 1"},
		"another currency":   {strings.Replace(good, `"currency": "USD"`, `"currency": "EUR"`, 1), "not in US dollars"},
		"a free host":        {strings.Replace(good, `"0.71"`, `"-1"`, 1), "prices of eu-west-1: host mac2.metal: a price of $-1 an hour cannot be"},
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

// pricedFile is a catalogue file of eu-west-1 of the types and prices of the
// table, changed.
func pricedFile(t *testing.T, changeTypes func([]catalog.Instance) []catalog.Instance, changePrices func(*catalog.Prices)) *catalog.File {
	t.Helper()
	cat := catalog.Embedded()
	var types []catalog.Instance
	volumes, _ := cat.VolumePrices("eu-west-1")
	p := catalog.Prices{Volumes: optional.Known(volumes), MacHostHour: map[string]decimal.Decimal{}, InstanceHour: map[string]decimal.Decimal{}}
	for i := range cat.Instances() {
		types = append(types, i)
		if price, ok := cat.InstancePrice("us-east-1", i.Type); ok {
			p.InstanceHour[i.Type] = price.USDPerHour
		}
		if price, ok := cat.MacHostPrice("us-east-1", i.Type); ok {
			p.MacHostHour[i.Type] = price.USDPerHour
		}
	}
	if changeTypes != nil {
		types = changeTypes(types)
	}
	if changePrices != nil {
		changePrices(&p)
	}
	f, err := catalog.NewFile("eu-west-1", fileSource, types, catalog.Source{Name: "AWS Price List", AsOf: "2026-11-29"}, map[string]catalog.Prices{"eu-west-1": p})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPlausible(t *testing.T) {
	all := pricedFile(t, nil, nil)
	changed := func(n int, change func(*catalog.Instance)) *catalog.File {
		return pricedFile(t, func(types []catalog.Instance) []catalog.Instance {
			for i := range n {
				change(&types[i])
			}
			return types
		}, nil)
	}
	some := func(keep func(int, catalog.Instance) bool) *catalog.File {
		return pricedFile(t, func(types []catalog.Instance) (out []catalog.Instance) {
			for n, i := range types {
				if keep(n, i) {
					out = append(out, i)
				}
			}
			return out
		}, nil)
	}
	few := some(func(n int, _ catalog.Instance) bool { return n < 700 })
	priced := func(change func(*catalog.Prices)) *catalog.File { return pricedFile(t, nil, change) }
	volumes := func(change func(*catalog.VolumePrices)) *catalog.File {
		return priced(func(p *catalog.Prices) {
			v, _ := p.Volumes.Get()
			change(&v)
			p.Volumes = optional.Known(v)
		})
	}
	ten := decimal.NewFromInt(10)
	noHosts := func(p *catalog.Prices) { p.MacHostHour = nil }
	halfPrices := func(p *catalog.Prices) {
		n := 0
		for typ := range p.InstanceHour {
			if n++; n%4 != 0 {
				delete(p.InstanceHour, typ)
			}
		}
	}
	inCents := func(p *catalog.Prices) {
		for typ, d := range p.InstanceHour {
			p.InstanceHour[typ] = d.Mul(ten)
		}
	}
	for name, tc := range map[string]struct {
		file, previous *catalog.File
		want           string
	}{
		"the same":                    {all, all, ""},
		"the first":                   {some(func(n int, _ catalog.Instance) bool { return n%3 == 0 }), nil, ""},
		"the first, of a part":        {few, nil, "no instance type of the families t1 to t9"},
		"the first, of a page":        {some(func(n int, _ catalog.Instance) bool { return n%15 == 0 }), nil, "it has 92 instance types, and every Region offers more than 100"},
		"the first, without hosts":    {priced(noHosts), nil, "prices of eu-west-1: there are 0 of Mac hosts, and there should be 9"},
		"the first, with some prices": {priced(halfPrices), nil, "whose price is known elsewhere, only"},
		"the first, in cents":         {priced(inCents), nil, "instances are far from what is known, among them"},
		"the first, a dear host":      {priced(func(p *catalog.Prices) { p.MacHostHour["mac2.metal"] = ten }), nil, "$10 an hour for a host of mac2.metal is far from the known $0.65"},
		"the first, dear IOPS":        {volumes(func(v *catalog.VolumePrices) { v.GP3.IOPSMonth = decimal.New(6, -2) }), nil, "$0.06 a month for an IOPS of gp3 is far from the known $0.005"},
		"hosts are gone":              {priced(noHosts), all, "there are 0 of Mac hosts, and there should be 9"},
		"prices are gone":             {priced(halfPrices), all, "of instances, and there should be"},
		"in cents":                    {priced(inCents), all, "instances are far from what is known"},
		"a cheap gp3":                 {volumes(func(v *catalog.VolumePrices) { v.GP3.GiBMonth = decimal.New(1, -2) }), all, "$0.01 a month for a GiB of gp3 is far from the known $0.088"},
		"cheap io2": {volumes(func(v *catalog.VolumePrices) {
			v.Others["io2"] = catalog.OtherPrices{GiBMonth: v.Others["io2"].GiBMonth, IOPSTiers: []catalog.IOPSTier{{Month: decimal.New(1, -2)}}}
		}), all, "$0.01 a month for an IOPS of io2"},
		"volume types are gone": {volumes(func(v *catalog.VolumePrices) { v.Others = nil }), all, "there are 0 volume types beside gp3"},
		"volumes are gone":      {priced(func(p *catalog.Prices) { p.Volumes = optional.Null[catalog.VolumePrices]() }), all, "there are none of volumes"},
		"a rise of a tenth": {priced(func(p *catalog.Prices) {
			for typ, d := range p.InstanceHour {
				p.InstanceHour[typ] = d.Mul(decimal.New(11, -1))
			}
		}), all, ""},
		"shrunken":                {few, all, "it has 700 instance types, and the file that it would replace has 1373"},
		"some figures corrected":  {changed(60, func(i *catalog.Instance) { i.VCPUs++ }), all, ""},
		"everything is another":   {changed(600, func(i *catalog.Instance) { i.VCPUs++ }), all, "of 600 of 1373 known types"},
		"the limits are gone":     {changed(600, func(i *catalog.Instance) { i.EBS = optional.Null[catalog.EBSCeiling]() }), all, "no longer what they were"},
		"names that nobody knows": {changed(1000, func(i *catalog.Instance) { i.Type = "x" + i.Type }), all, "only 373 are known"},
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
