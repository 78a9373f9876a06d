package jobdisk

import (
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

func number(s string) optional.Value[decimal.Decimal] {
	if s == "" {
		return optional.Null[decimal.Decimal]()
	}
	return optional.Known(decimal.RequireFromString(s))
}

// job is a Job in few words.
type job struct {
	typ, size, iops, throughput string // of the volume
	peakIOPS, peakThroughput    string
	written, memory, minutes    string
	overhead, price             string
	measured                    map[string]string
}

func (j job) job() Job {
	out := Job{
		InstanceType:          j.typ,
		Region:                catalog.DefaultRegion,
		Volume:                ebs.Volume{SizeGiB: number(j.size), IOPS: number(j.iops), ThroughputMiBPerS: number(j.throughput)},
		PeakIOPS:              number(j.peakIOPS),
		PeakThroughputMiBPerS: number(j.peakThroughput),
		WrittenGiB:            number(j.written),
		PeakMemoryGiB:         number(j.memory),
		Minutes:               number(j.minutes),
		OverheadMinutes:       number(j.overhead),
		HourlyPriceUSD:        number(j.price),
	}
	for name, m := range j.measured {
		if out.MeasuredMinutes == nil {
			out.MeasuredMinutes = map[string]decimal.Decimal{}
		}
		out.MeasuredMinutes[name] = decimal.RequireFromString(m)
	}
	return out
}

func (r Result) option(name string) Option {
	return r.Options[slices.IndexFunc(r.Options, func(o Option) bool { return o.Name == name })]
}

// cost is an option's cost to a hundredth of a cent, as the builds were billed.
func (o Option) cost() string {
	c, ok := o.CostPerJobUSD.Get()
	if !ok {
		return "unknown"
	}
	return c.StringFixed(4)
}

func (o Option) fits() string {
	b, ok := o.Fits.Get()
	switch {
	case !ok:
		return "unknown"
	case b:
		return "yes"
	}
	return "no"
}

// rules are the findings as "rule severity", sorted as texts.
func rules(fs []finding.Finding) string {
	out := make([]string, 0, len(fs))
	for _, f := range fs {
		out = append(out, f.Rule+" "+f.Severity.String())
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// TestPublishedBuilds: the builds of the article, with its bills. The overhead
// of 1.7 minutes and twice the price of m8a.xlarge for m8a.2xlarge are what the
// bills imply: 0.0135, 0.0155 and 0.0291 were billed.
func TestPublishedBuilds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		job            job
		verdict, bound string
		option         string
		typ, fits      string
		cost           string
		findings       string
		label          string
	}{
		{
			name:    "Rust build",
			job:     job{"m8a.xlarge", "40", "3000", "400", "519", "60", "3", "4", "1.9167", "1.7", "0.069", nil},
			verdict: Keep, bound: BoundNone, option: Keep, typ: "m8a.xlarge", fits: "yes", cost: "0.0053",
			label: "runs-on=${{ github.run_id }}/family=m8a.xlarge/volume=40gb:gp3:400mibps:3000iops",
		},
		{
			name:    "Docker build on 16 GB",
			job:     job{"m8a.xlarge", "40", "3000", "400", "3250", "300", "27.008", "4", "9.0833", "1.7", "0.105", map[string]string{TmpfsMoreMemory: "5.0333"}},
			verdict: TmpfsMoreMemory, bound: BoundVolumeIOPS, option: TmpfsMoreMemory, typ: "r8a.xlarge", fits: "yes", cost: "0.0140",
			findings: "job-tmpfs-memory warning; job-volume-bound warning",
			label:    "runs-on=${{ github.run_id }}/family=r8a.xlarge/volume=40gb:gp3:400mibps:3000iops/extras=tmpfs",
		},
		{
			name:    "the same without a measurement and at list prices",
			job:     job{"m8a.xlarge", "40", "3000", "400", "3250", "300", "27.008", "4", "9.0833", "", "", nil},
			verdict: TmpfsMoreMemory, bound: BoundVolumeIOPS, option: Tmpfs, typ: "m8a.xlarge", fits: "no", cost: "0.0398",
			findings: "job-tmpfs-memory warning; job-volume-bound warning",
			label:    "runs-on=${{ github.run_id }}/family=r8a.xlarge/volume=40gb:gp3:400mibps:3000iops/extras=tmpfs",
		},
		{
			name:    "Docker build on 32 GB",
			job:     job{"m8a.2xlarge", "40", "3000", "400", "3200", "300", "27.008", "4", "5.65", "1.7", "0.138", map[string]string{Tmpfs: "3.9"}},
			verdict: Tmpfs, bound: BoundVolumeIOPS, option: Tmpfs, typ: "m8a.2xlarge", fits: "yes", cost: "0.0147",
			findings: "job-volume-bound warning",
			label:    "runs-on=${{ github.run_id }}/family=m8a.2xlarge/volume=40gb:gp3:400mibps:3000iops/extras=tmpfs",
		},
		{
			name:    "Docker build on 32 GB with a fast volume",
			job:     job{"m8a.2xlarge", "80", "16000", "1000", "12200", "540", "27.008", "4", "4.45", "1.7", "0.138", nil},
			verdict: Keep, bound: BoundNone, option: Keep, typ: "m8a.2xlarge", fits: "yes", cost: "0.0291",
			findings: "job-instance-bound info",
			label:    "runs-on=${{ github.run_id }}/family=m8a.2xlarge/volume=80gb:gp3:1000mibps:16000iops",
		},
		{
			name:    "the same for an hour and a half",
			job:     job{"m8a.2xlarge", "80", "16000", "1000", "12200", "260", "27.008", "4", "90", "", "0.138", nil},
			verdict: Tmpfs, bound: BoundInstanceIOPS, option: FasterVolume, typ: "m8a.2xlarge", fits: "no", cost: "0.4256",
			findings: "job-instance-bound warning",
			label:    "runs-on=${{ github.run_id }}/family=m8a.2xlarge/volume=40gb:gp3:400mibps:3000iops/extras=tmpfs",
		},
		{
			name:    "with its files in memory the job does not pay for the fast volume",
			job:     job{"m8a.2xlarge", "80", "16000", "1000", "12200", "260", "27.008", "4", "90", "", "0.138", nil},
			verdict: Tmpfs, bound: BoundInstanceIOPS, option: Tmpfs, typ: "m8a.2xlarge", fits: "yes", cost: "0.2362",
			findings: "job-instance-bound warning",
			label:    "runs-on=${{ github.run_id }}/family=m8a.2xlarge/volume=40gb:gp3:400mibps:3000iops/extras=tmpfs",
		},
		{
			name:    "with twice the memory neither",
			job:     job{"m8a.xlarge", "200", "3000", "500", "3250", "300", "27.008", "4", "9.0833", "1.7", "0.105", map[string]string{TmpfsMoreMemory: "5.0333"}},
			verdict: TmpfsMoreMemory, bound: BoundVolumeIOPS, option: TmpfsMoreMemory, typ: "r8a.xlarge", fits: "yes", cost: "0.0140",
			findings: "job-tmpfs-memory warning; job-volume-bound warning",
			label:    "runs-on=${{ github.run_id }}/family=r8a.xlarge/volume=40gb:gp3:400mibps:3000iops/extras=tmpfs",
		},
		{
			name:    "a volume below the default stays, and what is above is cut for itself",
			job:     job{"m8a.2xlarge", "30", "6000", "125", "5900", "60", "27.008", "4", "10", "", "0.138", nil},
			verdict: Tmpfs, bound: BoundVolumeIOPS, option: Tmpfs, typ: "m8a.2xlarge", fits: "yes", cost: "0.0235",
			findings: "job-volume-bound warning",
			label:    "runs-on=${{ github.run_id }}/family=m8a.2xlarge/volume=30gb:gp3:125mibps:3000iops/extras=tmpfs",
		},
		{
			name:    "a job that needs the memory itself",
			job:     job{"r8a.2xlarge", "40", "3000", "400", "12200", "540", "27.008", "55", "5.65", "", "", nil},
			verdict: FasterVolume, bound: BoundVolumeIOPS, option: TmpfsMoreMemory, typ: "x8i.2xlarge", fits: "yes", cost: "0.0843",
			findings: "job-tmpfs-memory warning; job-volume-bound warning",
			label:    "runs-on=${{ github.run_id }}/family=r8a.2xlarge/volume=40gb:gp3:630mibps:14100iops",
		},
		{
			name:    "a family whose sibling is not in the table",
			job:     job{"m9g.xlarge", "40", "3000", "400", "3250", "300", "27.008", "4", "9.1667", "", "", nil},
			verdict: FasterVolume, bound: BoundVolumeIOPS, option: TmpfsMoreMemory, typ: "", fits: "unknown", cost: "unknown",
			findings: "job-tmpfs-memory warning; job-volume-bound warning",
			label:    "runs-on=${{ github.run_id }}/family=m9g.xlarge/volume=40gb:gp3:400mibps:6000iops",
		},
		{
			name:    "a type that is not in the table",
			job:     job{"z99.xlarge", "40", "3000", "400", "3250", "300", "27.008", "4", "9.1667", "", "", nil},
			verdict: FasterVolume, bound: BoundVolumeIOPS, option: Tmpfs, typ: "z99.xlarge", fits: "unknown", cost: "unknown",
			findings: "instance-unknown warning; job-volume-bound warning",
			label:    "runs-on=${{ github.run_id }}/family=z99.xlarge/volume=40gb:gp3:400mibps:6000iops",
		},
		{
			name:    "a type that is not in the table and a job that is not bound",
			job:     job{"z99.xlarge", "40", "", "", "519", "60", "3", "4", "1.9", "", "0.1", nil},
			verdict: Keep, bound: BoundNone, option: Keep, typ: "z99.xlarge", fits: "yes", cost: "0.0033",
			findings: "instance-unknown warning",
			label:    "runs-on=${{ github.run_id }}/family=z99.xlarge/volume=40gb:gp3:125mibps:3000iops",
		},
		{
			name:    "bound by throughput",
			job:     job{"m8a.2xlarge", "40", "3000", "125", "800", "125", "27.008", "4", "5.65", "", "0.138", nil},
			verdict: Tmpfs, bound: BoundVolumeThroughput, option: FasterVolume, typ: "m8a.2xlarge", fits: "unknown", cost: "0.0141",
			findings: "job-volume-bound warning",
			label:    "runs-on=${{ github.run_id }}/family=m8a.2xlarge/volume=40gb:gp3:125mibps:3000iops/extras=tmpfs",
		},
		{
			name:    "nothing helps",
			job:     job{"x2iezn.2xlarge", "40", "80000", "2000", "13333", "200", "400", "200", "60", "", "", nil},
			verdict: Keep, bound: BoundInstanceIOPS, option: Tmpfs, typ: "x2iezn.2xlarge", fits: "no", cost: "1.6875",
			findings: "gp3-iops-per-gib error; instance-iops warning; instance-throughput warning; job-instance-bound warning; job-tmpfs-memory warning",
			label:    "runs-on=${{ github.run_id }}/family=x2iezn.2xlarge/volume=40gb:gp3:2000mibps:80000iops",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := c.job.job()
			if ps := j.Problems(); len(ps) > 0 {
				t.Fatal(ps)
			}
			r := Evaluate(catalog.Embedded(), j)
			o := r.option(c.option)
			typ, _ := o.InstanceType.Get()
			for _, v := range [][3]string{
				{"verdict", r.Verdict, c.verdict},
				{"bound by", r.BoundBy, c.bound},
				{"type", typ, c.typ},
				{"fits", o.fits(), c.fits},
				{"cost", o.cost(), c.cost},
				{"findings", rules(r.Findings), c.findings},
				{"label", r.Label, c.label},
			} {
				if v[1] != v[2] {
					t.Errorf("%s: got %s, want %s\n%s", v[0], v[1], v[2], o.Why)
				}
			}
		})
	}
}

// TestTexts holds what people read.
func TestTexts(t *testing.T) {
	t.Parallel()
	docker := job{"m8a.xlarge", "40", "3000", "400", "3250", "300", "27", "4", "9.0833", "1.7", "0.105", map[string]string{TmpfsMoreMemory: "5.0333"}}
	r := Evaluate(catalog.Embedded(), docker.job())
	want := map[string]string{
		Keep:            "The job waits for its disk: 3,250 IOPS at peak, 108 % of the volume's 3,000.",
		Tmpfs:           "The job does not fit with its files in memory: 4 GiB for the job, 2 for the system and 13.5 of the 27 GiB that it writes are 19.5 GiB, more than the 16 GiB of m8a.xlarge.",
		TmpfsMoreMemory: "The job fits with its files in memory and twice the memory: 4 GiB for the job, 2 for the system and 13.5 of the 27 GiB that it writes are 19.5 GiB, of 32 on r8a.xlarge. Reckoned at the given $0.105 an hour; if r8a.xlarge costs another, give its price in the provider's prices.",
		FasterVolume:    "6,000 IOPS and 400 MiB/s, twice the limit that stopped the job. Whether that is enough is not known, because the peak shows the limit and not the job: measure again.",
	}
	for name, text := range want {
		if got := r.option(name).Why; got != text {
			t.Errorf("%s\n got %s\nwant %s", name, got, text)
		}
	}
	fast := job{"m8a.2xlarge", "80", "16000", "1000", "12200", "200", "27", "4", "4.5", "", "0.138", nil}
	if got, want := Evaluate(catalog.Embedded(), fast.job()).option(Keep).Why,
		"No limit is reached: the nearest is 12,200 IOPS at peak, 76 % of the volume's 16,000. 12,200 IOPS are above the 12,000 that m8a.2xlarge sustains: its burst carries them for at least 30 minutes in 24 hours, and the job takes 4.5."; got != want {
		t.Errorf("a short job\n got %s\nwant %s", got, want)
	}
	fast.minutes = "90"
	if got, want := Evaluate(catalog.Embedded(), fast.job()).Findings[0].Message,
		"The job waits for its instance: 12,200 IOPS at peak, 102 % of m8a.2xlarge's sustained 12,000. It takes 90 minutes, and the burst lasts for 30 minutes in 24 hours at least."; got != want {
		t.Errorf("a long job\n got %s\nwant %s", got, want)
	}
	nvme := job{"m8gd.xlarge", "40", "3000", "400", "3250", "300", "27", "4", "9", "", "0.1", nil}
	if got := Evaluate(catalog.Embedded(), nvme.job()).Findings; !slices.ContainsFunc(got, func(f finding.Finding) bool {
		return strings.HasSuffix(f.Fix, "m8gd.xlarge has 237 GB of local NVMe: put /tmp and Docker's data there first, it costs nothing.")
	}) {
		t.Errorf("local disks are not mentioned: %v", got)
	}
}

// TestPrices: which price an option is reckoned at.
func TestPrices(t *testing.T) {
	t.Parallel()
	docker := job{"m8a.xlarge", "40", "3000", "400", "3250", "300", "27", "4", "10", "", "", nil}
	own := catalog.Embedded().WithPrices(catalog.PriceOverrides{InstanceHour: map[string]decimal.Decimal{"r8a.xlarge": decimal.RequireFromString("0.105")}})
	given := docker
	given.price = "0.069"
	for _, c := range []struct {
		name       string
		cat        *catalog.Catalog
		job        job
		region     string
		keep, more string
	}{
		// 14.20 a month of volume are 0.0003242 a minute.
		{"the catalogue's", catalog.Embedded(), docker, "us-east-1", "0.0438", "0.0565"},
		{"the given one for all", catalog.Embedded(), given, "us-east-1", "0.0147", "0.0147"},
		{"the type's own before the given one", own, given, "us-east-1", "0.0147", "0.0207"},
		{"the type's own before the catalogue's", own, docker, "us-east-1", "0.0438", "0.0207"},
		{"a Region without prices", catalog.Embedded(), given, "cn-north-1", "unknown", "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := c.job.job()
			j.Region = c.region
			r := Evaluate(c.cat, j)
			if got := r.option(Keep).cost(); got != c.keep {
				t.Errorf("keep: got %s, want %s", got, c.keep)
			}
			if got := r.option(TmpfsMoreMemory).cost(); got != c.more {
				t.Errorf("more memory: got %s, want %s", got, c.more)
			}
		})
	}
}

// TestMemory: the arithmetic of a tmpfs, with the public cases that it must
// agree with.
func TestMemory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                   string
		typ                    string
		written, memory        string
		limit, share, system   string
		needed, fits, whyHolds string
	}{
		{"27 GiB written fail on 16", "m8a.xlarge", "27", "1", "", "", "", "18", "no", "16.5 GiB, more than the 16 GiB"},
		{"and pass on 32 with compressed swap", "r8a.xlarge", "27", "8", "", "", "", "23.5", "yes", "23.5 GiB, of 32"},
		{"but failed on 32 without", "r8a.xlarge", "27", "4", "100", "1", "", "33", "no", "33 GiB, more than the 32 GiB"},
		{"the limit alone", "m8a.2xlarge", "60", "0", "150", "0.1", "0", "40", "no", "the 60 GiB that it writes are more than the 48 GiB that a tmpfs of 150 % of memory holds"},
		// A plain tmpfs holds half of the memory, however large the disk is
		// (instructlab/instructlab#2866).
		{"half of the memory", "m8a.2xlarge", "20", "2", "50", "1", "", "40", "no", "the 20 GiB that it writes are more than the 16 GiB that a tmpfs of 50 % of memory holds"},
		// /run on NixOS holds a quarter of it: 10 GB need 40 (nix-community/srvos#593).
		{"a quarter of the memory", "m8a.2xlarge", "10", "2", "25", "1", "", "40", "no", "the 10 GiB that it writes are more than the 8 GiB that a tmpfs of 25 % of memory holds"},
		{"a quarter of 64", "r8a.2xlarge", "10", "2", "25", "1", "", "40", "yes", "14 GiB, of 64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := job{c.typ, "40", "3000", "400", "3250", "300", c.written, c.memory, "9", "", "0.1", nil}.job()
			j.TmpfsLimitPercent, j.ResidentShare, j.SystemMemoryGiB = number(c.limit), number(c.share), number(c.system)
			r := Evaluate(catalog.Embedded(), j)
			if got := r.MemoryNeededGiB.String(); got != c.needed {
				t.Errorf("memory needed: got %s, want %s", got, c.needed)
			}
			o := r.option(Tmpfs)
			if o.fits() != c.fits || !strings.Contains(o.Why, c.whyHolds) {
				t.Errorf("got %s: %s\nwant %s: …%s…", o.fits(), o.Why, c.fits, c.whyHolds)
			}
		})
	}
}

// TestPublicCases: reports of people with CI disks, by the numbers in them.
func TestPublicCases(t *testing.T) {
	t.Parallel()
	t.Run("agents lost at 125 MiB/s: 500 cost 0.0205 more an hour", func(t *testing.T) {
		t.Parallel()
		// buildkite/elastic-ci-stack-for-aws#1282; the case has no instance type.
		slow := job{"m7i.2xlarge", "250", "3000", "125", "900", "125", "100", "20", "60", "", "0", nil}
		fast := slow
		fast.throughput = "500"
		a, _ := Evaluate(catalog.Embedded(), slow.job()).option(Keep).CostPerJobUSD.Get()
		b, _ := Evaluate(catalog.Embedded(), fast.job()).option(Keep).CostPerJobUSD.Get()
		if got := b.Sub(a).StringFixed(4); got != "0.0205" {
			t.Errorf("got %s", got)
		}
		if r := Evaluate(catalog.Embedded(), slow.job()); r.BoundBy != BoundVolumeThroughput {
			t.Errorf("bound by %s", r.BoundBy)
		}
	})
	t.Run("a swap file of 32 GiB", func(t *testing.T) {
		t.Parallel()
		// risingwavelabs/risingwave#3177; the volume's speed is not in it.
		fs := Swap(decimal.NewFromInt(32), ebs.GP3{IOPS: 3000, ThroughputMiBPerS: 125})
		const want = "32 GiB of swap take 262.1 s to fill at the volume's 125 MiB/s, and all that time the job's own reads and writes wait behind it."
		if len(fs) != 1 || fs[0].Message != want || fs[0].Severity != finding.Warning {
			t.Errorf("got %v, want %s", fs, want)
		}
	})
	t.Run("zram for swap on disk: a third less", func(t *testing.T) {
		t.Parallel()
		// easimon/maximize-build-space#43: 45 minutes became 30.
		j := job{"m8a.2xlarge", "40", "3000", "125", "3000", "100", "10", "8", "45", "", "0.138", map[string]string{Tmpfs: "30"}}
		r := Evaluate(catalog.Embedded(), j.job())
		was, _ := r.option(Keep).CostPerJobUSD.Get()
		is, _ := r.option(Tmpfs).CostPerJobUSD.Get()
		if got := was.Sub(is).Mul(hundred).DivRound(was, 1).String(); got != "33.3" {
			t.Errorf("saves %s %%, want 33.3", got)
		}
	})
}

// TestBoundFromNinetyPercent: a job waits for a limit from 90 % of it on, be it
// the volume's or the instance's, and for less it does not.
func TestBoundFromNinetyPercent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                        string
		iops, throughput            string // of the volume
		peakIOPS, peakThroughput    string
		minutes                     string
		bound, fasterVolume, faster string
	}{
		{"volume, below", "3000", "400", "2699", "60", "9", BoundNone, "no", "It buys nothing: the volume is not what the job waits for."},
		{"volume, at", "3000", "400", "2700", "60", "9", BoundVolumeIOPS, "unknown", "6,000 IOPS"},
		{"throughput, below", "3000", "400", "60", "359.9", "9", BoundNone, "no", "It buys nothing: the volume is not what the job waits for."},
		{"throughput, at", "3000", "400", "60", "360", "9", BoundVolumeThroughput, "unknown", "800 MiB/s"},
		// m8a.2xlarge sustains 12,000 IOPS and bursts to 40,000.
		{"instance, below", "16000", "1000", "10799", "60", "31", BoundNone, "no", "It buys nothing: the volume is not what the job waits for."},
		{"instance, at", "16000", "1000", "10800", "60", "31", BoundInstanceIOPS, "no", "It buys nothing: the volume is not what the job waits for."},
		{"the same in half an hour", "16000", "1000", "10800", "60", "30", BoundNone, "no", "It buys nothing: the volume is not what the job waits for."},
		// The peak is at a slow volume's limit and near the instance's: a faster
		// one would leave the job waiting for the instance.
		{
			"volume, and the instance next", "10000", "1000", "11600", "60", "31", BoundVolumeIOPS, "unknown",
			"of which m8a.2xlarge carries hardly more than the job's peak: the job waits for the instance then.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := job{"m8a.2xlarge", "80", c.iops, c.throughput, c.peakIOPS, c.peakThroughput, "27", "4", c.minutes, "", "0.138", nil}
			r := Evaluate(catalog.Embedded(), j.job())
			o := r.option(FasterVolume)
			if r.BoundBy != c.bound || o.fits() != c.fasterVolume || !strings.Contains(o.Why, c.faster) {
				t.Errorf("got %s, a faster volume fits: %s, %s\nwant %s, %s, …%s…", r.BoundBy, o.fits(), o.Why, c.bound, c.fasterVolume, c.faster)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	right := job{"m8a.xlarge", "40", "3000", "400", "3250", "300", "27", "4", "9", "1.7", "0.105", nil}
	for _, c := range []struct {
		name   string
		change func(*Job)
		want   string
	}{
		{"right", func(*Job) {}, ""},
		{"type", func(j *Job) { j.InstanceType = "four cores" }, "instance_type: instance_type is not the name of an instance type such as m8a.xlarge"},
		{"no size", func(j *Job) { j.Volume.SizeGiB = number("") }, "volume.size_gib: volume.size_gib is required"},
		{"no peak", func(j *Job) { j.PeakIOPS = number("") }, "peak_iops: peak_iops is required"},
		{"no minutes", func(j *Job) { j.Minutes = number("0") }, "minutes: minutes is 0, but must be more than 0"},
		{"fraction", func(j *Job) { j.Volume.IOPS = number("3000.5") }, "volume.iops: volume.iops must be a whole number, not 3,000.5"},
		{"negative", func(j *Job) { j.WrittenGiB = number("-1") }, "written_gib: written_gib must not be negative"},
		{"share", func(j *Job) { j.ResidentShare = number("1.5") }, "resident_share: resident_share is too large: more than 1 is a mistake here"},
		{"option", func(j *Job) {
			j.MeasuredMinutes = map[string]decimal.Decimal{"tmpsf": decimal.NewFromInt(5)}
		}, "measured_minutes: measured_minutes has a key that is no option; the closest is tmpfs, and options are keep, tmpfs, tmpfs-more-memory, faster-volume"},
		{"measured", func(j *Job) {
			j.MeasuredMinutes = map[string]decimal.Decimal{Tmpfs: decimal.Zero}
		}, "measured_minutes: measured_minutes of tmpfs must be more than 0 and at most 1000000 minutes"},
		{"unknown is waited for", func(j *Job) { j.PeakIOPS = optional.Unknown[decimal.Decimal]() }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := right.job()
			c.change(&j)
			var found []string
			for _, p := range j.Problems() {
				found = append(found, p.Path+": "+p.Message)
			}
			if got := strings.Join(found, "; "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func jobGen(t *rapid.T) Job {
	draw := func(name string, most int) optional.Value[decimal.Decimal] {
		return optional.Known(decimal.NewFromInt(int64(rapid.IntRange(0, most).Draw(t, name))))
	}
	return Job{
		InstanceType: rapid.SampledFrom([]string{"m8a.xlarge", "r8a.2xlarge", "c7g.large", "m9g.xlarge", "t3.micro", "z99.xlarge"}).Draw(t, "type"),
		Region:       rapid.SampledFrom([]string{"us-east-1", "eu-west-1", "cn-north-1"}).Draw(t, "region"),
		Volume: ebs.Volume{
			SizeGiB:           optional.Known(decimal.NewFromInt(int64(rapid.IntRange(1, 2000).Draw(t, "size")))),
			IOPS:              optional.Known(decimal.NewFromInt(int64(rapid.IntRange(3000, 80000).Draw(t, "iops")))),
			ThroughputMiBPerS: optional.Known(decimal.NewFromInt(int64(rapid.IntRange(125, 2000).Draw(t, "throughput")))),
		},
		PeakIOPS: draw("peak iops", 90_000), PeakThroughputMiBPerS: draw("peak throughput", 2500),
		WrittenGiB: draw("written", 200), PeakMemoryGiB: draw("memory", 100),
		Minutes:         optional.Known(decimal.NewFromInt(int64(rapid.IntRange(1, 200).Draw(t, "minutes")))),
		OverheadMinutes: draw("overhead", 5),
	}
}

// TestVerdict: whatever the job, the bound is a limit that the peak comes near
// to, the options are sorted, and the verdict follows from them.
func TestVerdict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		j := jobGen(t)
		r := Evaluate(catalog.Embedded(), j)
		if len(r.Options) != len(OptionNames) {
			t.Fatalf("%d options", len(r.Options))
		}

		// The bound, by brute force.
		peak := map[bool]float64{true: known(j.PeakIOPS).InexactFloat64(), false: known(j.PeakThroughputMiBPerS).InexactFloat64()}
		share := map[string]float64{
			BoundVolumeIOPS:       peak[true] / known(j.Volume.IOPS).InexactFloat64(),
			BoundVolumeThroughput: peak[false] / known(j.Volume.ThroughputMiBPerS).InexactFloat64(),
		}
		if i, ok := catalog.Embedded().Instance(j.InstanceType); ok {
			e, _ := i.EBS.Get()
			rate := e.Sustained
			if known(j.Minutes).InexactFloat64() <= 30 {
				rate = e.Maximum
			}
			share[BoundInstanceIOPS] = peak[true] / float64(rate.IOPS)
			share[BoundInstanceThroughput] = peak[false] / float64(rate.Throughput())
		}
		most := 0.0
		for _, s := range share {
			most = max(most, s)
		}
		switch {
		case r.BoundBy == BoundNone && most >= 0.9:
			t.Fatalf("bound by nothing at %g of a limit", most)
		case r.BoundBy != BoundNone && (share[r.BoundBy] < 0.9 || share[r.BoundBy] < most-1e-9):
			t.Fatalf("bound by %s at %g, the most is %g", r.BoundBy, share[r.BoundBy], most)
		}

		// The order and the verdict.
		best := ""
		for i, o := range r.Options {
			if i > 0 && compareOptions(r.Options[i-1], o) > 0 {
				t.Fatalf("%s stands before %s", r.Options[i-1].Name, o.Name)
			}
			if best == "" && isTrue(o.Fits) {
				best = o.Name
			}
		}
		switch {
		case r.BoundBy == BoundNone && r.Verdict != Keep:
			t.Fatalf("bound by nothing, but %s", r.Verdict)
		case r.BoundBy != BoundNone && best != "" && r.Verdict != best:
			t.Fatalf("the cheapest that fits is %s, not %s", best, r.Verdict)
		}
		if isTrue(r.option(Keep).Fits) != (r.BoundBy == BoundNone) {
			t.Fatalf("keep fits %s, bound by %s", r.option(Keep).fits(), r.BoundBy)
		}
		if want, _ := r.option(r.Verdict).Label.Get(); r.Label != want || want == "" {
			t.Fatalf("label %q, of the verdict %q", r.Label, want)
		}
		// A faster volume is one that EC2 takes.
		if o := r.option(FasterVolume); o.fits() != "no" {
			l := catalog.Embedded().GP3(catalog.CurrentLimits)
			if o.Settings.IOPS > ebs.MaxIOPS(l, o.SizeGiB) || o.Settings.ThroughputMiBPerS > ebs.MaxThroughput(l, o.Settings.IOPS) {
				t.Fatalf("%d GiB with %+v is no valid volume", o.SizeGiB, o.Settings)
			}
		}
	})
}

// TestMonotonic: a longer job never costs less, and more written never makes a
// tmpfs fit.
func TestMonotonic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		j := jobGen(t)
		a := Evaluate(catalog.Embedded(), j)
		longer := j
		longer.Minutes = optional.Known(known(j.Minutes).Add(decimal.NewFromInt(1)))
		b := Evaluate(catalog.Embedded(), longer)
		x, ok := a.option(Keep).CostPerJobUSD.Get()
		y, alsoOK := b.option(Keep).CostPerJobUSD.Get()
		if ok != alsoOK || (ok && y.LessThan(x)) {
			t.Fatalf("%v a minute longer than %v", y, x)
		}
		more := j
		more.WrittenGiB = optional.Known(known(j.WrittenGiB).Add(decimal.NewFromInt(1)))
		if c := Evaluate(catalog.Embedded(), more); isTrue(c.option(Tmpfs).Fits) && !isTrue(a.option(Tmpfs).Fits) {
			t.Fatal("fits with more written")
		}
	})
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, r := range Rules() {
		if len(r.Summary) > 60 {
			t.Errorf("%s: the summary has %d characters, at most 60 are allowed", r.ID, len(r.Summary))
		}
	}
}

// TestMeasuredOption: what was measured fits, and its price decides.
func TestMeasuredOption(t *testing.T) {
	build := job{
		typ: "m8a.xlarge", size: "40", iops: "3000", throughput: "400", peakIOPS: "3250", peakThroughput: "100",
		written: "27", memory: "4", minutes: "9", overhead: "1.7",
	}
	if r := Evaluate(catalog.Embedded(), build.job()); r.option(FasterVolume).fits() != "unknown" || r.Verdict != TmpfsMoreMemory {
		t.Fatalf("not measured: %s, verdict %s", r.option(FasterVolume).fits(), r.Verdict)
	}
	build.measured = map[string]string{FasterVolume: "4"}
	if r := Evaluate(catalog.Embedded(), build.job()); r.option(FasterVolume).fits() != "yes" || r.Verdict != FasterVolume {
		t.Errorf("measured: %s, verdict %s", r.option(FasterVolume).fits(), r.Verdict)
	}
}

// TestMoreMemoryIsOrdinary: twice the memory is never had with an accelerator, a
// cluster's network or a machine of terabytes that happens to have it.
func TestMoreMemoryIsOrdinary(t *testing.T) {
	found, n := 0, 0
	for i := range catalog.Embedded().Instances() {
		// Every type looks at the whole table, so a part of them has to do.
		if n++; n%10 != 0 && !strings.HasPrefix(i.Type, "r") {
			continue
		}
		build := job{
			typ: i.Type, size: "40", iops: "3000", throughput: "125", peakIOPS: "3000", peakThroughput: "100",
			written: "10", memory: "1", minutes: "9",
		}
		typ, ok := Evaluate(catalog.Embedded(), build.job()).option(TmpfsMoreMemory).InstanceType.Get()
		if !ok {
			continue
		}
		found++
		if !strings.ContainsAny(typ[:1], "cmrxz") && typ != i.Type {
			t.Errorf("%s is told to become %s", i.Type, typ)
		}
	}
	if found == 0 {
		t.Error("no type has an answer")
	}
}
