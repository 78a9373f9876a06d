package runnerlabel

import (
	"errors"
	"fmt"
	"maps"
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

var parser = Parser{Catalog: catalog.Embedded(), Region: catalog.DefaultRegion}

// show writes a label for comparison.
func show(l Label) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", l.System)
	for _, s := range l.Settings {
		fmt.Fprintf(&b, " [%s=%s]", s.Key, s.Value)
	}
	switch v, ok := l.Volume.Get(); {
	case ok:
		fmt.Fprintf(&b, " volume(%s %s %s %s)", figure(v.SizeGiB), word(v.Type), figure(v.IOPS), figure(v.ThroughputMiBPerS))
	case l.Volume.IsUnknown():
		b.WriteString(" volume(unknown)")
	}
	if open := l.Volume.IsUnknown(); open && (!l.Open || l.Complete()) {
		b.WriteString(" but not open")
	}
	if len(l.Extras) > 0 {
		fmt.Fprintf(&b, " extras(%s)", strings.Join(l.Extras, " "))
	}
	return b.String()
}

func figure(v optional.Value[decimal.Decimal]) string {
	return word(optional.Map(v, decimal.Decimal.String))
}

func word(v optional.Value[string]) string {
	s, ok := v.Get()
	switch {
	case ok:
		return s
	case v.IsUnknown():
		return "?"
	}
	return "-"
}

// brief writes findings as "rule severity path", sorted as texts.
func brief(fs []finding.Finding) string {
	out := make([]string, 0, len(fs))
	for _, f := range fs {
		out = append(out, strings.TrimSpace(f.Rule+" "+f.Severity.String()+" "+f.Path))
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		texts    []string
		want     string
		findings string
	}{
		// RunsOn: the forms of one label.
		{"slashes", []string{"runs-on=1/cpu=4/ram=16/family=m7a+m7i-flex"}, "runs-on [runs-on=1] [cpu=4] [ram=16] [family=m7a+m7i-flex]", ""},
		{"commas", []string{"runs-on=1,cpu=4,ram=16,family=m7a+m7i-flex"}, "runs-on [runs-on=1] [cpu=4] [ram=16] [family=m7a+m7i-flex]", ""},
		{"array", []string{"runs-on=1", "cpu=4", "ram=16", "family=m7a+m7i-flex"}, "runs-on [runs-on=1] [cpu=4] [ram=16] [family=m7a+m7i-flex]", ""},
		{"array of one", []string{"runs-on=1/cpu=4"}, "runs-on [runs-on=1] [cpu=4]", ""},
		{"array with labels of one's own", []string{"self-hosted", "runs-on", "cpu=4"}, "runs-on [runs-on=] [cpu=4]", ""},
		{"mixed separators", []string{"runs-on=1,cpu=4/ram=16"}, "runs-on [runs-on=1] [cpu=4] [ram=16]", ""},
		{"no id", []string{"runs-on/runner=2cpu-linux-x64"}, "runs-on [runs-on=] [runner=2cpu-linux-x64]", ""},
		{"fleet of v3", []string{"runs-on/fleet=linux-small/env=production"}, "runs-on [runs-on=] [fleet=linux-small] [env=production]", ""},
		{"letter case and white space", []string{" Runs-On=1 / CPU=4 / Spot=FALSE "}, "runs-on [runs-on=1] [cpu=4] [spot=FALSE]", ""},
		{"empty parts", []string{"runs-on=1//cpu=4/"}, "runs-on [runs-on=1] [cpu=4]", ""},
		{"a part alone", []string{"volume=gp3:16000iops:80gb:1000mibps"}, "runs-on [volume=80gb:gp3:1000mibps:16000iops] volume(80 gp3 16000 1000)", "gp3-iops-unneeded info volume.iops"},
		{"part of v2 kept", []string{"runs-on,runner=8cpu-linux-x64,run-id=7"}, "runs-on [runs-on=] [runner=8cpu-linux-x64] [run-id=7]", ""},

		// RunsOn: volumes.
		{"order-free", []string{"runs-on=1/volume=80gb:gp3:1000mbs:16000iops"}, "runs-on [runs-on=1] [volume=80gb:gp3:1000mibps:16000iops] volume(80 gp3 16000 1000)", "gp3-iops-unneeded info volume.iops"},
		{"mbps are MiB/s", []string{"runs-on=1/volume=80gb:600mbps"}, "runs-on [runs-on=1] [volume=80gb:600mibps] volume(80 - - 600)", ""},
		{"gib", []string{"runs-on=1/volume=80GiB"}, "runs-on [runs-on=1] [volume=80gb] volume(80 - - -)", ""},
		{"ratio", []string{"runs-on=1/volume=80gb:gp3:1000mbs:3000iops"}, "runs-on [runs-on=1] [volume=80gb:gp3:1000mibps:3000iops] volume(80 gp3 3000 1000)", "gp3-throughput-ratio error volume.throughput_mib_per_s"},
		{"ratio with IOPS left out", []string{"runs-on=1/volume=40gb:gp3:900mibps"}, "runs-on [runs-on=1] [volume=40gb:gp3:900mibps] volume(40 gp3 - 900)", "gp3-throughput-ratio error volume.throughput_mib_per_s"},
		{"no unit", []string{"runs-on=1/volume=80:gp3"}, "runs-on [runs-on=1] [volume=80:gp3] volume(- gp3 - -)", "label-volume error volume"},
		{"unknown unit", []string{"runs-on=1/volume=80gb:1000mb"}, "runs-on [runs-on=1] [volume=80gb:1000mb] volume(80 - - -)", "label-volume error volume"},
		{"twice", []string{"runs-on=1/volume=80gb:gp3:100gb"}, "runs-on [runs-on=1] [volume=100gb:gp3] volume(100 gp3 - -)", "label-volume warning volume"},
		{"fraction", []string{"runs-on=1/volume=80.5gb:gp3"}, "runs-on [runs-on=1] [volume=80.5gb:gp3] volume(80.5 gp3 - -)", "volume-type-attribute error volume.size_gib"},
		{"figure out of all range", []string{"runs-on=1/volume=999999999999999gb:gp3"}, "runs-on [runs-on=1] [volume=999999999999999gb:gp3] volume(999999999999999 gp3 - -)", "gp3-size-range error volume.size_gib"},
		{"figure too long to be one", []string{"runs-on=1/volume=" + strings.Repeat("9", 400) + "gb"}, "runs-on [runs-on=1] [volume=" + strings.Repeat("9", 400) + "gb] volume(- - - -)", "label-volume error volume"},
		{"too small for its IOPS", []string{"runs-on=1/volume=10gb:gp3:16000iops"}, "runs-on [runs-on=1] [volume=10gb:gp3:16000iops] volume(10 gp3 16000 -)", "gp3-iops-per-gib error volume.iops; gp3-iops-unneeded info volume.iops"},
		{"other type", []string{"runs-on=1/volume=80gb:io2:4000iops"}, "runs-on [runs-on=1] [volume=80gb:io2:4000iops] volume(80 io2 4000 -)", ""},
		{"sticky", []string{"runs-on=1/sticky=go-cache:60gb:gp3:1000mbs:3000iops"}, "runs-on [runs-on=1] [sticky=go-cache:60gb:gp3:1000mibps:3000iops]", "gp3-throughput-ratio error sticky.throughput_mib_per_s"},
		{"exact type", []string{"runs-on=1/family=m8a.xlarge/volume=80gb:gp3:1500mbs:6000iops"}, "runs-on [runs-on=1] [family=m8a.xlarge] [volume=80gb:gp3:1500mibps:6000iops] volume(80 gp3 6000 1500)", "instance-throughput warning volume.throughput_mib_per_s"},
		{"a choice of types is not held against a volume", []string{"runs-on=1/family=m8a/volume=80gb:gp3:1500mbs:6000iops"}, "runs-on [runs-on=1] [family=m8a] [volume=80gb:gp3:1500mibps:6000iops] volume(80 gp3 6000 1500)", ""},
		{"type that is not in the table", []string{"runs-on=1/family=m99z.xlarge"}, "runs-on [runs-on=1] [family=m99z.xlarge]", "instance-unknown warning family"},

		// RunsOn: words.
		{"unknown key with a known meaning", []string{"runs-on=1/memory=32"}, "runs-on [runs-on=1] [memory=32]", "label-unknown-key warning"},
		{"misspelt key", []string{"runs-on=1/imge=ubuntu24-full-x64"}, "runs-on [runs-on=1] [imge=ubuntu24-full-x64]", "label-unknown-key warning"},
		{"no key at all", []string{"runs-on=1/ubuntu-latest"}, "runs-on [runs-on=1]", "label-unknown-key warning"},
		{"spot", []string{"runs-on=1/spot=cop"}, "runs-on [runs-on=1] [spot=cop]", "label-unknown-value warning spot"},
		{"removed", []string{"runs-on=1/disk=large"}, "runs-on [runs-on=1] [disk=large]", "label-disk-removed warning disk"},
		{"removed long ago", []string{"runs-on=1/hdd=80"}, "runs-on [runs-on=1] [hdd=80]", "label-disk-removed warning hdd"},
		{"extras", []string{"runs-on=1/extras=tmpfs+s3-cache+tmpfs"}, "runs-on [runs-on=1] [extras=tmpfs+s3-cache] extras(tmpfs s3-cache)", ""},
		{"misspelt extra", []string{"runs-on=1/extras=tmpsf"}, "runs-on [runs-on=1] [extras=tmpsf] extras(tmpsf)", "label-unknown-value warning extras"},
		{"extra that may be newer", []string{"runs-on=1/extras=warp-drive"}, "runs-on [runs-on=1] [extras=warp-drive] extras(warp-drive)", "label-unknown-value info extras"},
		{"no value", []string{"runs-on=1/cpu="}, "runs-on [runs-on=1] [cpu=]", "label-unknown-value warning cpu"},
		{"not a number", []string{"runs-on=1/cpu=four"}, "runs-on [runs-on=1] [cpu=four]", "label-unknown-value warning cpu"},
		{"not a boolean", []string{"runs-on=1/ssh=yes"}, "runs-on [runs-on=1] [ssh=yes]", "label-unknown-value warning ssh"},
		{"not a Region", []string{"runs-on=1/region=frankfurt"}, "runs-on [runs-on=1] [region=frankfurt]", "label-unknown-value warning region"},
		{"family of no type", []string{"runs-on=1/family=zz9"}, "runs-on [runs-on=1] [family=zz9]", "label-unknown-value warning family"},
		{"families by pattern", []string{"runs-on=1/family=m7i.*+c7+*g.xlarge"}, "runs-on [runs-on=1] [family=m7i.*+c7+*g.xlarge]", ""},
		{"commas in a list", []string{"runs-on=1/family=c7,m7"}, "runs-on [runs-on=1] [family=c7+m7]", "label-unknown-value warning family"},
		{"twice the same key", []string{"runs-on=1/cpu=2/cpu=4"}, "runs-on [runs-on=1] [cpu=4]", "label-unknown-value warning cpu"},
		{"Unicode", []string{"runs-on=1/image=ubuntu–24.04\u202e/tags=Größe:ü"}, "runs-on [runs-on=1] [image=ubuntu–24.04\u202e] [tags=Größe:ü]", ""},

		// Expressions of the workflow are left unknown.
		{"id", []string{"runs-on=${{ github.run_id }}/cpu=4"}, "runs-on [runs-on=${{ github.run_id }}] [cpu=4]", ""},
		{"value", []string{"runs-on=1/cpu=${{ matrix.cpu }}/spot=${{ matrix.spot }}"}, "runs-on [runs-on=1] [cpu=${{ matrix.cpu }}] [spot=${{ matrix.spot }}]", ""},
		{"separators inside", []string{"runs-on=1/image=${{ format('a/b,c={0}}}', matrix.x) }}/cpu=4"}, "runs-on [runs-on=1] [image=${{ format('a/b,c={0}}}', matrix.x) }}] [cpu=4]", ""},
		{"a figure of a volume", []string{"runs-on=1/volume=${{ matrix.size }}gb:gp3:1000mbs:3000iops"}, "runs-on [runs-on=1] [volume=${{ matrix.size }}gb:gp3:1000mibps:3000iops] volume(? gp3 3000 1000)", "gp3-throughput-ratio error volume.throughput_mib_per_s"},
		{"a part of a volume", []string{"runs-on=1/volume=80gb:${{ matrix.rest }}"}, "runs-on [runs-on=1] [volume=80gb:${{ matrix.rest }}] volume(80 ? ? ?)", ""},
		{"a whole part", []string{"runs-on=1/${{ matrix.more }}"}, "runs-on [runs-on=1] volume(unknown)", ""},
		{"the whole label", []string{"${{ matrix.runner }}"}, "unknown volume(unknown)", ""},
		{"a family is waited for", []string{"runs-on=1/family=${{ matrix.family }}/volume=80gb:gp3:1500mbs:6000iops"}, "runs-on [runs-on=1] [family=${{ matrix.family }}] [volume=80gb:gp3:1500mibps:6000iops] volume(80 gp3 6000 1500)", ""},

		// Sprinters.
		{"Sprinters", []string{"sprinters:aws:ubuntu-latest:m7i.large:temp=gp3/64/4000/750"}, "sprinters [image=ubuntu-latest] [type=m7i.large] [temp=gp3/64/4000/750] volume(64 gp3 4000 750)", "gp3-iops-unneeded info temp.iops; instance-iops info temp.iops; instance-throughput info temp.throughput_mib_per_s"},
		{"Sprinters root", []string{"sprinters:aws:ubuntu-latest:root=gp3/3000/1000"}, "sprinters [image=ubuntu-latest] [root=gp3/3000/1000] volume(? gp3 3000 1000)", "gp3-throughput-ratio error root.throughput_mib_per_s"},
		{"Sprinters max", []string{"sprinters:aws:ubuntu-latest:temp=gp3/10/max/max"}, "sprinters [image=ubuntu-latest] [temp=gp3/10/max/max] volume(10 gp3 5000 1250)", ""},
		{"Sprinters in memory", []string{"sprinters:aws:ubuntu-latest:temp=zram/16"}, "sprinters [image=ubuntu-latest] [temp=zram/16]", ""},
		{"Sprinters on NVMe", []string{"sprinters:aws:c6id.8xlarge:temp=ephemeral"}, "sprinters [type=c6id.8xlarge] [temp=ephemeral]", ""},
		{"Sprinters, size only", []string{"sprinters:aws:eu-central-1c:ubuntu-22.04:temp=64"}, "sprinters [placement=eu-central-1c] [image=ubuntu-22.04] [temp=64] volume(64 - - -)", ""},
		{"Sprinters, older order", []string{"sprinters:aws:ubuntu-latest:temp=64/gp3/3000/1000"}, "sprinters [image=ubuntu-latest] [temp=64/gp3/3000/1000] volume(64 gp3 3000 1000)", "gp3-throughput-ratio error temp.throughput_mib_per_s"},
		{"Sprinters with slashes", []string{"sprinters:aws/ubuntu-22.04/eu-central-1/m7i.24xlarge/temp=64"}, "sprinters [image=ubuntu-22.04] [placement=eu-central-1] [type=m7i.24xlarge] [temp=64] volume(64 - - -)", ""},
		{"Sprinters account", []string{"sprinters:aws/123456789012:ubuntu-latest:us-east-1/subnet-0123456789abcdef0:sg-01234567890abcdef"}, "sprinters [account=123456789012] [image=ubuntu-latest] [placement=us-east-1/subnet-0123456789abcdef0] [security-group=sg-01234567890abcdef]", ""},
		{"Sprinters words", []string{"sprinters:aws:ubuntu-latest:spot=maybe:profil=x"}, "sprinters [image=ubuntu-latest] [spot=maybe] [profil=x]", "label-unknown-key warning; label-unknown-value warning spot"},
		{"Sprinters storage that is none", []string{"sprinters:aws:ubuntu-latest:temp=gp3/64/fast"}, "sprinters [image=ubuntu-latest] [temp=gp3/64/fast]", "label-volume error temp"},
		{"Sprinters, volumes of one instance", []string{"sprinters:aws:m7i.large:temp=gp3/500/8000/1000:root=gp3/4000/1000"}, "sprinters [type=m7i.large] [temp=gp3/500/8000/1000] [root=gp3/4000/1000] volume(500 gp3 8000 1000)", "gp3-iops-unneeded info temp.iops; instance-iops info root.iops; instance-shared-budget warning; instance-throughput info root.throughput_mib_per_s"},
		{"Sprinters expression", []string{"sprinters:aws:${{ matrix.image }}"}, "sprinters volume(unknown)", ""},

		// github-aws-runners.
		{"array of ghr", []string{"self-hosted", "linux", "ghr-ec2-instance-type:m7a.xlarge", "ghr-ec2-ebs-volume-size:80", "ghr-ec2-ebs-volume-type:gp3"}, "github-aws-runners [instance-type=m7a.xlarge] [ebs-volume-size=80] [ebs-volume-type=gp3] volume(80 gp3 - -)", ""},
		{"commas of ghr", []string{"self-hosted,ghr-ec2-instance-type:m7a.xlarge,ghr-ec2-ebs-iops:3000,ghr-ec2-ebs-throughput:1000"}, "github-aws-runners [instance-type=m7a.xlarge] [ebs-iops=3000] [ebs-throughput=1000] volume(- - 3000 1000)", "gp3-throughput-ratio error volume.throughput_mib_per_s; instance-throughput info volume.throughput_mib_per_s"},
		{"slashes of ghr", []string{"ghr-ec2-block-device-name:/dev/sda1/ghr-ec2-ebs-volume-size:80"}, "github-aws-runners [block-device-name=/dev/sda1] [ebs-volume-size=80] volume(80 - - -)", ""},
		{"longer spelling of ghr", []string{"ghr-ec2-ebs-volume-size:80", "ghr-ec2-ebs-volume-iops:3000", "ghr-ec2-ebs-volume-throughput:1000"}, "github-aws-runners [ebs-volume-size=80] [ebs-volume-iops=3000] [ebs-volume-throughput=1000] volume(80 - 3000 1000)", "gp3-throughput-ratio error volume.throughput_mib_per_s; label-unknown-key info ebs-volume-iops"},
		{"unknown key of ghr", []string{"ghr-ec2-instance-typ:m7a.xlarge"}, "github-aws-runners [instance-typ=m7a.xlarge]", "label-unknown-key warning"},
		{"number of ghr that is none", []string{"ghr-ec2-ebs-iops:many"}, "github-aws-runners [ebs-iops=many] volume(- - ? -)", "label-volume error volume"},
		{"volume type of ghr that does not exist", []string{"ghr-ec2-ebs-volume-type:gp4"}, "github-aws-runners [ebs-volume-type=gp4] volume(- gp4 - -)", "volume-type-attribute error volume.type"},
		{"no value of ghr", []string{"ghr-ec2-instance-type"}, "github-aws-runners", "label-unknown-value warning instance-type"},
		{"labels of one's own with ghr", []string{"ghr-team:platform"}, "github-aws-runners", ""},
		{"expression beside ghr", []string{"ghr-ec2-ebs-throughput:1000", "${{ matrix.more }}"}, "github-aws-runners [ebs-throughput=1000] volume(- - - 1000)", ""},

		// Nothing to say.
		{"hosted", []string{"ubuntu-latest"}, "other", ""},
		{"self-hosted", []string{"self-hosted", "linux", "x64"}, "other", ""},
		{"another vendor's key", []string{"gcrunner=1/machine=n2d-standard-8/disk=200gb"}, "other", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, err := parser.Parse(c.texts...)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(l); got != c.want {
				t.Errorf("label\n got %s\nwant %s", got, c.want)
			}
			if got := brief(l.Findings); got != c.findings {
				t.Errorf("findings\n got %s\nwant %s", got, c.findings)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"runs-on=${{ github.run_id }}/cpu=4":                  true,
		"runs-on=1/cpu=${{ matrix.cpu }}":                     false,
		"runs-on=1/volume=80gb:${{ matrix.more }}":            false,
		"runs-on=1/${{ matrix.more }}":                        false,
		"${{ matrix.runner }}":                                false,
		"ubuntu-latest":                                       true,
		"sprinters:aws:ubuntu-latest:temp=${{ matrix.temp }}": false,
		"ghr-ec2-ebs-iops:4000,${{ matrix.more }}":            false,
	} {
		l, err := parser.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if l.Complete() != want {
			t.Errorf("%s: got %v, want %v", text, l.Complete(), want)
		}
	}
}

func TestShape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"nothing", nil, "is empty: a runner label is text such as runs-on=1/cpu=4"},
		{"empty", []string{""}, "is empty: a runner label is text such as runs-on=1/cpu=4"},
		{"white space", []string{" \t "}, "is empty: a runner label is text such as runs-on=1/cpu=4"},
		{"empty among others", []string{"linux", ""}, "has a label (number 2) that is empty: a runner label is text such as runs-on=1/cpu=4"},
		{"a megabyte", []string{"runs-on=1/" + strings.Repeat("x", 1<<20)}, "is too long: 1048586 bytes, where a runner label has at most 4096"},
		{"very many", slices.Repeat([]string{"x"}, 101), "has 101 labels; more than 100 are a mistake"},
		{"control character", []string{"runs-on=1/\x1b[31mcpu=4"}, "has a control character or a line break at character 11"},
		{"line break", []string{"runs-on=1\n/cpu=4"}, "has a control character or a line break at character 10"},
		{"NUL", []string{"\x00"}, "has a control character or a line break at character 1"},
		{"not UTF-8", []string{"runs-on=\xff"}, "is not valid UTF-8 text"},
		{"open expression", []string{"runs-on=${{ github.run_id /cpu=4"}, "has an expression that starts with ${{ and is never closed by }}"},
		{"expression closed in a string only", []string{"runs-on=${{ '}}' /cpu=4"}, "has an expression that starts with ${{ and is never closed by }}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := parser.Parse(c.texts...)
			shape, ok := errors.AsType[*ShapeError](err)
			if !ok {
				t.Fatalf("got %v, want a ShapeError", err)
			}
			if shape.Message != c.want {
				t.Errorf("got  %s\nwant %s", shape.Message, c.want)
			}
		})
	}
	if _, err := parser.Parse("runs-on=1/cpu=4\n"); err != nil {
		t.Errorf("the line break at the end of a block scalar: %v", err)
	}
}

// TestMessages holds the texts that people read.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ label, rule, message, fix string }{
		{
			"runs-on=1/volume=80gb:gp3:1000mbs:3000iops", "gp3-throughput-ratio",
			"1,000 MiB/s at 3,000 IOPS is a ratio of 0.333333 MiB/s per IOPS; EC2 refuses more than 0.25 when it creates the volume, though a launch template accepts it.",
			"Write 4000iops (+$5.00 a month), or 750mibps (-$10.00 a month).",
		},
		{
			"runs-on=1/family=m8a.xlarge/volume=80gb:gp3:1500mbs:6000iops", "instance-throughput",
			"1,500 MiB/s = 1,572.86 MB/s are provisioned, but all volumes of m8a.xlarge together move 1,250 MB/s = 1,192.09 MiB/s at most (in bursts; 149.01 MiB/s sustained), so 1,192.09 MiB/s are usable.",
			"Write 1192mibps and 4768iops: the same speed, -$18.48 a month.",
		},
		{
			"runs-on=1/memory=32", "label-unknown-key",
			"Part 2 of the label has a key that RunsOn does not know (the closest is ram); it is ignored, and the job gets a runner without it.",
			"Write ram=32, if that is what was meant.",
		},
		{
			"runs-on=1/memory=lots", "label-unknown-key",
			"Part 2 of the label has a key that RunsOn does not know (the closest is ram); it is ignored, and the job gets a runner without it.",
			"Write ram instead, if that is what was meant.",
		},
		{
			"runs-on=1/spot=cop", "label-unknown-value",
			"spot has a value that RunsOn does not know. It takes true, false, never, pco, price-capacity-optimized, lp, lowest-price, co or capacity-optimized.",
			"Write spot=co or spot=pco.",
		},
		{
			"runs-on=1/disk=large", "label-disk-removed",
			"RunsOn v3 ignores disk: the runner starts with the default volume of 30 GiB. In v2 it is deprecated.",
			"Write volume=80gb:gp3:750mibps:4000iops instead ($36.40 a month while it exists), which is what v2 made of it unless its stack was set up otherwise.",
		},
		{
			"runs-on=1/disk=default", "label-disk-removed",
			"RunsOn v3 ignores disk: the runner starts with the default volume of 30 GiB. In v2 it is deprecated.",
			"Write volume=40gb:gp3:400mibps:3000iops instead ($14.20 a month while it exists), which is what v2 made of it unless its stack was set up otherwise.",
		},
		{
			"runs-on=1/disk=huge", "label-disk-removed",
			"RunsOn v3 ignores disk: the runner starts with the default volume of 30 GiB. In v2 it is deprecated.",
			"Write volume with a size, a type, a throughput and IOPS, such as volume=80gb:gp3:750mibps:4000iops. The values of disk were default and large.",
		},
		{
			"runs-on=1/volume=80gb/disk=large", "label-disk-removed",
			"RunsOn v3 ignores disk: the runner starts with the default volume of 30 GiB. In v2 it is deprecated.",
			"Leave disk out: the label has a volume.",
		},
		{
			"runs-on=1/family=m8/family=zz9", "label-unknown-value",
			"Family matches no instance type in the table of 2026-08-02. family is written more than once; only one of them counts.",
			"If it is not newer than that, the closest family is t2. Write family once.",
		},
		{
			"ghr-ec2-ebs-throughput:1000", "gp3-throughput-ratio",
			"1,000 MiB/s at 3,000 IOPS (what gp3 has when none are written) is a ratio of 0.333333 MiB/s per IOPS; EC2 refuses more than 0.25 when it creates the volume, though a launch template accepts it.",
			"Write ghr-ec2-ebs-iops:4000 (+$5.00 a month), or ghr-ec2-ebs-throughput:750 (-$10.00 a month).",
		},
		{
			"sprinters:aws:temp=gp3/64/3000/1000", "gp3-throughput-ratio",
			"1,000 MiB/s at 3,000 IOPS is a ratio of 0.333333 MiB/s per IOPS; EC2 refuses more than 0.25 when it creates the volume, though a launch template accepts it.",
			"Write 4000 for IOPS (+$5.00 a month), or 750 for throughput (-$10.00 a month).",
		},
		{
			"runs-on=1/volume=80gb:gp2", "volume-type-legacy",
			"80 GiB of gp2 give 128 MiB/s; gp3 gives the same for less. A plain change to gp3 would fall back to 125 MiB/s, so its throughput has to be written.",
			"Write gp3, 128mibps (-$1.48 a month).",
		},
	} {
		t.Run(c.label+" "+c.rule, func(t *testing.T) {
			t.Parallel()
			l, err := parser.Parse(c.label)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(l.Findings, func(f finding.Finding) bool { return f.Rule == c.rule })
			if i < 0 {
				t.Fatalf("no such finding among %s", brief(l.Findings))
			}
			if f := l.Findings[i]; f.Message != c.message || f.Fix != c.fix {
				t.Errorf("message\n got %s\nwant %s\nfix\n got %s\nwant %s", f.Message, c.message, f.Fix, c.fix)
			}
		})
	}
}

func TestFix(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, label, want string }{
		{"right already", "runs-on=${{ github.run_id }}/cpu=4/volume=80gb:gp3:750mbs", "runs-on=${{ github.run_id }}/cpu=4/volume=80gb:gp3:750mbs"},
		{"key", "runs-on=1/memory=32/spot=cop", "runs-on=1/ram=32/spot=cop"},
		{"key that is there already", "runs-on=1/memory=32/ram=16", "runs-on=1/memory=32/ram=16"},
		{"value", "runs-on=1/spot=flase", "runs-on=1/spot=false"},
		{"disk", "runs-on,cpu=64,disk=large,image=x", "runs-on,cpu=64,volume=80gb:gp3:750mibps:4000iops,image=x"},
		{"disk beside a volume", "runs-on=1/cpu=4 / disk=large /volume=80gb", "runs-on=1/cpu=4  /volume=80gb"},
		{"disk nobody knows", "runs-on=1/disk=huge", "runs-on=1/disk=huge"},
		{"ratio has two ways out", "runs-on=1/volume=80gb:gp3:1000mbs:3000iops", "runs-on=1/volume=80gb:gp3:1000mbs:3000iops"},
		{"ratio without IOPS", "runs-on=1/volume=80gb:gp3:1000mbs", "runs-on=1/volume=80gb:gp3:1000mbs"},
		{"ratio where the size does not carry the IOPS", "runs-on=1/volume=6gb:gp3:1000mbs:3000iops", "runs-on=1/volume=6gb:gp3:1000mbs:3000iops"},
		{"far too much", "runs-on=1/volume=999999999999999gb:gp3", "runs-on=1/volume=65536gb:gp3"},
		{"range", "runs-on=1/volume=80gb:gp3:3000mbs:8000iops", "runs-on=1/volume=80gb:gp3:2000mibps:8000iops"},
		{"size", "runs-on=1/volume=10gb:gp3:16000iops", "runs-on=1/volume=10gb:gp3:16000iops"},
		{"instance", "runs-on=1/family=m8a.xlarge/volume=80gb:gp3:1500mbs:6000iops", "runs-on=1/family=m8a.xlarge/volume=80gb:gp3:1192mibps:4768iops"},
		{"misspelt key and then its value", "runs-on=1/volum=80gb:gp3:3000mbs:8000iops", "runs-on=1/volume=80gb:gp3:2000mibps:8000iops"},
		{"misspelt key whose value would be an error", "runs-on=1/volum=80gb:gp3:1000mbs", "runs-on=1/volum=80gb:gp3:1000mbs"},
		{"the rest is put right where a key is not", "runs-on=1/volum=80gb:gp3:1000mbs/spot=flase", "runs-on=1/volum=80gb:gp3:1000mbs/spot=false"},
		{"synonym whose value is none", "runs-on=1/memory=lots/cores=4", "runs-on=1/memory=lots/cpu=4"},
		{"synonym with an expression", "runs-on=1/memory=${{ matrix.x }}", "runs-on=1/memory=${{ matrix.x }}"},
		{"words that need not mean the same", "runs-on=1/os=windows/size=80gb/gpu=1/arm=64", "runs-on=1/os=windows/size=80gb/gpu=1/arm=64"},
		{"type of a volume is no family", "runs-on=1/type=gp3", "runs-on=1/type=gp3"},
		{"type of an instance", "runs-on=1/instance-type=m7i.large", "runs-on=1/family=m7i.large"},
		{"short slips", "runs-on=1/cpuu=4/rma=8/imag=x", "runs-on=1/cpu=4/rma=8/image=x"},
		{"no", "runs-on=1/spot=no", "runs-on=1/spot=no"},
		{"none", "runs-on=1/spot=none", "runs-on=1/spot=none"},
		{"two for one key", "runs-on=1/memory=32/mem=16", "runs-on=1/memory=32/mem=16"},
		{"two disks", "runs-on=1/disk=large/hdd=80", "runs-on=1/disk=large/hdd=80"},
		{"a disk and another word for a volume", "runs-on=1/disk=large/storage=80gb", "runs-on=1/disk=large/storage=80gb"},
		{"head", "runson=1/cpu=4/spot=flase", "runson=1/cpu=4/spot=false"},
		{"unreadable volume stays", "runs-on=1/volume=80:gp3:1000mbs:3000iops", "runs-on=1/volume=80:gp3:1000mbs:3000iops"},
		{"expression stays", "runs-on=1/volume=${{ matrix.size }}gb:gp3:1000mbs:3000iops", "runs-on=1/volume=${{ matrix.size }}gb:gp3:1000mbs:3000iops"},
		{"commas", "runs-on=1/family=c7,m7/cpu=4", "runs-on=1/family=c7+m7/cpu=4"},
		{"advice is not followed", "runs-on=1/volume=80gb:gp3:1000mbs:16000iops", "runs-on=1/volume=80gb:gp3:1000mbs:16000iops"},
		{"Sprinters", "sprinters:aws:temp=gp3/64/3000/1000:spot=true", "sprinters:aws:temp=gp3/64/3000/1000:spot=true"},
		{"Sprinters that is small", "sprinters:aws:temp=gp3/6/3000/1000", "sprinters:aws:temp=gp3/6/3000/1000"},
		{"Sprinters without IOPS", "sprinters:aws:root=gp3/3000/1000", "sprinters:aws:root=gp3/3000/1000"},
		{"ghr", "ghr-ec2-ebs-iops:3000,ghr-ec2-ebs-throughput:1000", "ghr-ec2-ebs-iops:3000,ghr-ec2-ebs-throughput:1000"},
		{"ghr without a label for IOPS", "linux,ghr-ec2-ebs-throughput:1000", "linux,ghr-ec2-ebs-throughput:1000"},
		{"ghr key", "ghr-ec2-instance-typ:m7a.xlarge", "ghr-ec2-instance-type:m7a.xlarge"},
		{"other", "ubuntu-latest", "ubuntu-latest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := parser.Fix(c.label)
			if err != nil {
				t.Fatal(err)
			}
			if got[0] != c.want {
				t.Errorf("got  %s\nwant %s", got[0], c.want)
			}
		})
	}
	got, err := parser.Fix("runs-on", "disk=large", "volume=40gb")
	if want := []string{"runs-on", "disk=large", "volume=40gb"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("a label that is nothing but the removed part: got %q, %v, want %q", got, err, want)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ label, want, err string }{
		{"runs-on=1/disk=large", "runs-on=1/volume=80gb:gp3:750mibps:4000iops", ""},
		{"runs-on=1/disk=default/memory=32", "runs-on=1/volume=40gb:gp3:400mibps:3000iops/memory=32", ""},
		{"runs-on=1/hdd=80/spot=cop", "runs-on=1/volume=80gb:gp3/spot=cop", ""},
		{"runs-on,runner=2cpu-linux-x64,disk=LARGE,run-id=7", "runs-on,runner=2cpu-linux-x64,volume=80gb:gp3:750mibps:4000iops,run-id=7", ""},
		{"runs-on=1/cpu=4/volume=80gb:gp3:1000mbs", "runs-on=1/cpu=4/volume=80gb:gp3:1000mbs", ""},
		{"runs-on=1/disk=large/volume=60gb", "runs-on=1/volume=60gb", ""},
		{"disk=large", "volume=80gb:gp3:750mibps:4000iops", ""},
		{"runs-on=1/disk=large/hdd=80", "", "asks for a disk 2 times; write one volume, such as volume=80gb:gp3:750mibps:4000iops"},
		{"runs-on=1/disk=huge", "", "has a disk that cannot be migrated: v2 knew the values default and large; write volume, such as volume=80gb:gp3:750mibps:4000iops"},
		{"runs-on=1/disk=${{ matrix.disk }}", "", "has a disk that cannot be migrated: v2 knew the values default and large; write volume, such as volume=80gb:gp3:750mibps:4000iops"},
		{"ubuntu-latest", "", "is not a RunsOn label: it starts with runs-on"},
		{"", "", "is empty: a runner label is text such as runs-on=1/cpu=4"},
	} {
		t.Run(c.label, func(t *testing.T) {
			t.Parallel()
			got, err := parser.Migrate(c.label)
			if got != c.want || errorText(err) != c.err {
				t.Errorf("got  %q, %q\nwant %q, %q", got, errorText(err), c.want, c.err)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		settings []Setting
		want     string
		err      string
	}{
		{"order", []Setting{{Key: "extras", Value: "tmpfs"}, {Key: "volume", Value: "4000iops:gp3:80GiB:750mbs"}, {Key: "CPU", Value: " 4 + 8 "}, {Key: "runs-on", Value: "1"}}, "runs-on=1/cpu=4+8/volume=80gb:gp3:750mibps:4000iops/extras=tmpfs", ""},
		{"default id", []Setting{{Key: "cpu", Value: "4"}}, "runs-on=${{ github.run_id }}/cpu=4", ""},
		{"no id", []Setting{{Key: "runs-on"}, {Key: "fleet", Value: "linux-small"}}, "runs-on/fleet=linux-small", ""},
		{"nothing", nil, "runs-on=${{ github.run_id }}", ""},
		{"separator in an expression", []Setting{{Key: "image", Value: "${{ format('a/{0}', matrix.x) }}"}}, "runs-on=${{ github.run_id }}/image=${{ format('a/{0}', matrix.x) }}", ""},
		{"unknown key", []Setting{{Key: "memory", Value: "32"}}, "", "has a key that RunsOn does not know; the closest is ram"},
		{"key like no other", []Setting{{Key: "zzzzzz", Value: "32"}}, "", "has a key that RunsOn does not know; keys are runs-on, fleet, pool, runner, cpu, ram, family, image, ami, volume, sticky, extras, spot, retry, ssh, private, nested-virt, tags, preinstall, prerun, debug, id, run-id, env, region"},
		{"removed key", []Setting{{Key: "disk", Value: "large"}}, "", "disk is ignored by RunsOn v3; write volume, such as 80gb:gp3:750mibps:4000iops"},
		{"twice", []Setting{{Key: "cpu", Value: "4"}, {Key: "CPU", Value: "8"}}, "", "cpu is given twice"},
		{"empty", []Setting{{Key: "cpu"}}, "", "cpu has no value; leave it out instead"},
		{"slash", []Setting{{Key: "image", Value: "a/b"}}, "", "image has a slash, which would end it in a label; several values are joined by +"},
		{"comma", []Setting{{Key: "family", Value: "c7,m7"}}, "", "family has a comma, which would end it in a label; several values are joined by +"},
		{"semicolon", []Setting{{Key: "family", Value: "c7;m7"}}, "", "family has a semicolon; several values are joined by +"},
		{"nothing but a plus", []Setting{{Key: "extras", Value: "+"}}, "", "extras has no value between the +; leave it out instead"},
		{"size twice", []Setting{{Key: "volume", Value: "80gb:90gb"}}, "", "part 2 of volume sets again what an earlier part sets"},
		{"control character", []Setting{{Key: "image", Value: "a\x07b"}}, "", "image has a control character or is not UTF-8 text"},
		{"volume", []Setting{{Key: "volume", Value: "80"}}, "", "part 1 of volume is none of a size (80gb), a type (gp3), a throughput (750mibps) or IOPS (4000iops)"},
		{"open expression", []Setting{{Key: "image", Value: "${{ x"}}, "", "image has an expression that starts with ${{ and is never closed by }}"},
		{"too long", []Setting{{Key: "image", Value: strings.Repeat("x", 5000)}}, "", "image is too long for a label"},
		{"too long together", []Setting{{Key: "image", Value: strings.Repeat("x", 3000)}, {Key: "tags", Value: strings.Repeat("x", 3000)}}, "", "makes a label of 6041 bytes; a runner label has at most 4096"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := parser.Write(c.settings)
			if got != c.want || errorText(err) != c.err {
				t.Errorf("got  %q, %q\nwant %q, %q", got, errorText(err), c.want, c.err)
			}
		})
	}
}

// settingsGen draws settings that a label can hold.
func settingsGen(t *rapid.T) []Setting {
	word := rapid.StringMatching(`[a-zA-Z0-9._-]{1,12}`)
	expr := rapid.SampledFrom([]string{"${{ matrix.x }}", "${{ format('a/b,c=}}{0}', env.y) }}", "${{ github.run_id }}-${{ matrix.n }}"})
	values := map[kind]*rapid.Generator[string]{
		free:         rapid.OneOf(word, expr, rapid.StringMatching(`[\pL=:@ ü–]{1,8}x`)),
		numbers:      rapid.StringMatching(`[1-9][0-9]{0,2}(\+[1-9][0-9]{0,2}){0,2}`),
		families:     rapid.StringMatching(`[cmr][5-8][agi]?(\.\*|\.xlarge)?(\+[cmr][5-8]){0,2}`),
		boolean:      rapid.SampledFrom(booleans),
		spotStrategy: rapid.SampledFrom(spotValues),
		extrasList:   rapid.StringMatching(`(tmpfs|efs|s3-cache)(\+(otel|ecr-cache|x1))?`),
		region:       rapid.SampledFrom([]string{"us-east-1", "eu-central-1"}),
		volume:       rapid.StringMatching(`([1-9][0-9]{0,3}gb(:(gp3|gp2|io2))?|(gp3|io1):[1-9][0-9]{0,3}mibps:[1-9][0-9]{0,4}iops)`),
		stickyVolume: rapid.StringMatching(`(go-cache:)?[1-9][0-9]{0,2}gb:gp3:[1-9][0-9]{2}mibps`),
	}
	var out []Setting
	for _, k := range runsOnKeys {
		if k.name == headKey || rapid.Bool().Draw(t, k.name) {
			v := strings.TrimSpace(values[k.kind].Draw(t, k.name+" value"))
			out = append(out, Setting{Key: k.name, Value: v, Dynamic: dynamic(v)})
		}
	}
	return out
}

// TestRoundTrip: what Write writes, Parse reads as the same settings, and
// writing that again gives the same text.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := settingsGen(t)
		given := slices.Clone(x)
		for i := len(given) - 1; i > 0; i-- { // in any order
			j := rapid.IntRange(0, i).Draw(t, "swap")
			given[i], given[j] = given[j], given[i]
		}
		text, err := parser.Write(given)
		if err != nil {
			t.Fatal(err)
		}
		l, err := parser.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(l.Settings, x) {
			t.Fatalf("%s\n got %v\nwant %v", text, l.Settings, x)
		}
		if again, err := parser.Write(l.Settings); err != nil || again != text {
			t.Fatalf("written again: %q, %v\nwant %q", again, err, text)
		}
	})
}

// TestForms: the same settings as one label with slashes, with commas, or as
// an array are the same label.
func TestForms(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		for _, s := range settingsGen(t) {
			parts = append(parts, s.Key+"="+s.Value)
		}
		var want string
		for _, texts := range [][]string{{strings.Join(parts, "/")}, {strings.Join(parts, ",")}, parts} {
			l, err := parser.Parse(texts...)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%s %v", show(l), l.Findings)
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("%q\n got %s\nwant %s", texts, got, want)
			}
		}
	})
}

// volumeGen draws a gp3 volume, right or wrong.
func volumeGen(t *rapid.T) string {
	parts := []string{"gp3"}
	if rapid.Bool().Draw(t, "size") {
		parts = append(parts, fmt.Sprintf("%dgb", rapid.IntRange(0, 70_000).Draw(t, "gib")))
	}
	if rapid.Bool().Draw(t, "iops") {
		parts = append(parts, fmt.Sprintf("%diops", rapid.IntRange(0, 90_000).Draw(t, "n")))
	}
	if rapid.Bool().Draw(t, "throughput") {
		parts = append(parts, fmt.Sprintf("%dmbs", rapid.IntRange(0, 2_500).Draw(t, "mib")))
	}
	return strings.Join(parts, ":")
}

// TestFixRepairs: after a fix no rule of volumes is broken any more but those
// with two ways out, and a second fix changes nothing.
func TestFixRepairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		label := "runs-on=1/volume=" + volumeGen(t)
		if rapid.Bool().Draw(t, "type") {
			label += "/family=" + rapid.SampledFrom([]string{"m8a.xlarge", "m7i.large", "t3.micro", "c5.18xlarge"}).Draw(t, "family")
		}
		fixed, err := parser.Fix(label)
		if err != nil {
			t.Fatal(err)
		}
		l, err := parser.Parse(fixed...)
		if err != nil {
			t.Fatal(err)
		}
		twoWays := slices.ContainsFunc(l.Findings, func(f finding.Finding) bool {
			return f.Rule == ebs.RuleGP3ThroughputRatio.ID || f.Rule == ebs.RuleGP3IOPSPerGiB.ID
		})
		// A volume out of all ranges is left alone, too, if within them it has two ways.
		outside := slices.ContainsFunc(l.Findings, func(f finding.Finding) bool {
			return f.Rule == ebs.RuleGP3ThroughputRange.ID || f.Rule == ebs.RuleGP3IOPSRange.ID || f.Rule == ebs.RuleGP3SizeRange.ID
		})
		if w := finding.Worst(l.Findings); w > finding.Info && !twoWays && !outside {
			t.Fatalf("%s became %s: %s", label, fixed[0], brief(l.Findings))
		}
		if again, err := parser.Fix(fixed...); err != nil || again[0] != fixed[0] {
			t.Fatalf("fixed twice: %q, %v, want %q", again, err, fixed)
		}
	})
}

// TestOrder: the parts of a volume mean the same in any order.
func TestOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := strings.Split(volumeGen(t), ":")
		a, err := parser.Parse("runs-on=1/volume=" + strings.Join(parts, ":"))
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(parts)
		b, err := parser.Parse("runs-on=1/volume=" + strings.Join(parts, ":"))
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(show(a), a.Findings) != fmt.Sprint(show(b), b.Findings) {
			t.Fatalf("%s %v\n%s %v", show(a), a.Findings, show(b), b.Findings)
		}
	})
}

// TestNoEcho: a label is free text, and none of it comes back in a message.
func TestNoEcho(t *testing.T) {
	t.Parallel()
	const secret = "hunter2zebra"
	for _, text := range []string{
		"runs-on=" + secret + "/" + secret + "=" + secret,
		"runs-on=1/memory=" + secret + "/spot=" + secret + "/family=" + secret + "/extras=" + secret + "/cpu=" + secret,
		"runs-on=1/volume=" + secret + ":80gb/sticky=" + secret + ":" + secret + "/disk=" + secret + "/region=" + secret + "/ssh=" + secret,
		"runs-on=1/family=" + secret + ".xlarge," + secret,
		"sprinters:" + secret + ":" + secret + ":temp=" + secret + ":" + secret + "=" + secret + ":spot=" + secret,
		"ghr-ec2-" + secret + ":" + secret + ",ghr-ec2-ebs-volume-type:" + secret + ",ghr-ec2-ebs-iops:" + secret + ",ghr-ec2-instance-type:" + secret,
	} {
		l, err := parser.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Findings) == 0 {
			t.Errorf("%s: no finding at all, so the test says nothing", text)
		}
		for _, f := range l.Findings {
			if all := f.Message + f.Fix + f.Path + f.Subject; strings.Contains(all, secret) && !strings.Contains(all, secret+".xlarge") {
				t.Errorf("%s\nechoes the label: %s %s", text, f.Message, f.Fix)
			}
		}
	}
}

// TestTextOf: each finding of a label of several texts is about one of them.
func TestTextOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		texts []string
		want  map[string]int // rule → text
	}{
		{[]string{"runs-on=1", "memory=32", "spot=cop", "family=m99z.xlarge", "volume=80gb:gp3:1000mbs", "disk=large"}, map[string]int{
			"label-unknown-key": 1, "label-unknown-value": 2, "instance-unknown": 3, "gp3-throughput-ratio": 4, "label-disk-removed": 5,
		}},
		{[]string{"linux", "ghr-ec2-instance-typ:x", "ghr-ec2-ebs-volume-size:80", "ghr-ec2-ebs-throughput:1000"}, map[string]int{
			"label-unknown-key": 1, "gp3-throughput-ratio": 3,
		}},
		{[]string{"linux", "ghr-ec2-ebs-iops:many"}, map[string]int{"label-volume": 1}},
		{[]string{"linux", "sprinters:aws:temp=gp3/64/3000/1000:spot=maybe"}, map[string]int{"gp3-throughput-ratio": 1, "label-unknown-value": 1}},
		{[]string{"runs-on=1/volume=80gb:gp3:1000mbs"}, map[string]int{"gp3-throughput-ratio": 0}},
	} {
		l, err := parser.Parse(c.texts...)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, f := range l.Findings {
			got[f.Rule] = l.TextOf(f)
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.texts, got, c.want)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, r := range Rules() {
		if len(r.Summary) > 60 {
			t.Errorf("%s: the summary has %d characters, at most 60 are allowed", r.ID, len(r.Summary))
		}
	}
}

// FuzzParse: no text makes it panic, what it reads it can fix for good, and a
// label that was read and has no finding can be written.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"runs-on=${{ github.run_id }}/family=m8a.xlarge/volume=80gb:gp3:750mibps:4000iops/extras=tmpfs",
		"runs-on,cpu=64,family=c7,disk=large,run-id=7", "volume=gp3:16000iops:80gb:1000mibps", "runs-on=1/sticky=a:1gb:${{ x }}",
		"sprinters:aws:ubuntu-latest:m7i.large:temp=gp3/64/max/max:root=gp3/3000/750", "sprinters:aws/ubuntu-latest/temp=64",
		"self-hosted,ghr-ec2-ebs-iops:3000/ghr-ec2-ebs-throughput:1000", "${{ matrix.x }}", "runs-on=1/İ=ſ/family=*", "runs-on=1/volume=9.gb:.9gb:1.5gb",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parser.Parse(text)
		if err != nil {
			return
		}
		fixed, err := parser.Fix(text)
		if err != nil {
			t.Fatalf("the fix of %q cannot be read: %q: %v", text, fixed, err)
		}
		if again, err := parser.Fix(fixed...); err != nil || !slices.Equal(again, fixed) {
			t.Fatalf("%q is fixed to %q and that to %q, %v", text, fixed, again, err)
		}
		if l.System != RunsOn || len(l.Findings) > 0 {
			return
		}
		if _, ok := l.Get(headKey); !ok || l.Volume.IsUnknown() {
			return // parts that are expressions are no settings
		}
		written, err := parser.Write(l.Settings)
		if err != nil {
			return // a comma or slash in a value: such a label can be read, not written
		}
		again, err := parser.Parse(written)
		if err != nil {
			t.Fatalf("%q is written as %q, which cannot be read: %v", text, written, err)
		}
		for _, s := range l.Settings {
			if got, _ := again.Get(s.Key); got != s {
				t.Fatalf("%q is written as %q: %s is %q, was %q", text, written, s.Key, got.Value, s.Value)
			}
		}
	})
}
