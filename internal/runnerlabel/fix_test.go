package runnerlabel

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFixIsSafe: whatever a label is, a fix makes no errors and no second part
// of a key, and is done at once.
func TestFixIsSafe(t *testing.T) {
	t.Parallel()
	keys := append(slices.Clone(keyNames), "disk", "hdd", "gpu", "arm", "os", "memory", "mem", "cores", "storage", "size", "type", "instance-type",
		"volum", "famly", "spto", "spott", "cpuu", "rma", "extra", "regions", "tmp", "ebs-iops")
	values := []string{
		"4", "8+16", "lots", "80gb", "80gb:gp3:1000mbs", "gp3", "10gb:gp3:16000iops", "0gb", "x:80gb:gp3:3000mbs:8000iops", "m7i.large", "m8a.xlarge", "c7,m7;r7", "zz9",
		"no", "off", "cop", "flase", "true", "tmpfs", "tmpf+efs", "+", "", "large", "default", "${{ matrix.x }}", "us-east-1", "64/3000/1000", "gp3/64/9000/3000",
	}
	rapid.Check(t, func(t *rapid.T) {
		system := rapid.IntRange(0, 2).Draw(t, "system")
		var parts []string
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			k, v := rapid.SampledFrom(keys).Draw(t, "key"), rapid.SampledFrom(values).Draw(t, "value")
			if rapid.Bool().Draw(t, "ghr key") {
				k = rapid.SampledFrom([]string{"ebs-iops", "ebs-iop", "ebs-throughput", "ebs-volume-size", "ebs-volume-sizes", "temp", "tem", "root", "swpa", "spot"}).Draw(t, "other key")
			}
			parts = append(parts, k+[]string{"=", "=", ":"}[system]+v)
		}
		label := "runs-on=1/" + strings.Join(parts, "/")
		switch system {
		case 1:
			label = "sprinters:aws:ubuntu-latest:" + strings.Join(parts, ":")
		case 2:
			label = "ghr-ec2-" + strings.Join(parts, ",ghr-ec2-")
		}
		was, err := parser.Parse(label)
		if err != nil {
			t.Fatal(err)
		}
		fixed, err := parser.Fix(label)
		if err != nil {
			t.Fatal(err)
		}
		now, err := parser.Parse(fixed...)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := errorCount(was), errorCount(now); b > a {
			t.Fatalf("%s became %s: %d errors after %d: %s", label, fixed[0], b, a, brief(now.Findings))
		}
		if a, b := repeated(label, system), repeated(fixed[0], system); b > a {
			t.Fatalf("%s became %s: a key is there twice", label, fixed[0])
		}
		if again, err := parser.Fix(fixed...); err != nil || again[0] != fixed[0] {
			t.Fatalf("%s became %s and then %s, %v", label, fixed[0], again, err)
		}
		if none, err := parser.FixExcept(func(string) bool { return true }, label); err != nil || none[0] != label {
			t.Fatalf("%s became %s though every rule is ignored", label, none[0])
		}
	})
}

// repeated is how many parts of a label have the key of an earlier one.
func repeated(label string, system int) int {
	n, seen := 0, map[string]bool{}
	for _, part := range strings.FieldsFunc(label, func(r rune) bool { return strings.ContainsRune([]string{"/", ":", ","}[system], r) }) {
		k, _, ok := strings.Cut(part, []string{"=", "=", ":"}[system])
		if ok && seen[k] {
			n++
		}
		seen[k] = seen[k] || ok
	}
	return n
}

// TestWritable: what Write takes, Parse reads back, whatever characters it is
// made of.
func TestWritable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var given []Setting
		for _, k := range runsOnKeys {
			if k.name == headKey || rapid.IntRange(0, 3).Draw(t, k.name) == 0 {
				given = append(given, Setting{Key: k.name, Value: rapid.StringMatching(`([+;:=, .a-c0-9"']|gb|gp3|tmpfs| |\$\{\{ ?'?[;+/]?'? ?\}\})*`).Draw(t, "value")})
			}
		}
		text, err := parser.Write(given)
		if err != nil {
			return
		}
		l, err := parser.Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if len(l.Settings) != len(given) {
			t.Fatalf("%q has %v of %v", text, l.Settings, given)
		}
		if again, err := parser.Write(l.Settings); err != nil || again != text {
			t.Fatalf("%q became %q, %v", text, again, err)
		}
	})
}

func TestHeadsOnly(t *testing.T) {
	t.Parallel()
	heads := parser
	heads.HeadsOnly = true
	for _, c := range []struct{ label, want, findings string }{
		{"cpu=4", "other", ""},
		{"memory=32/disk=large", "other", ""},
		{"size=large", "other", ""},
		{"runner=2cpu-linux-x64/spot=maybe", "runs-on [runner=2cpu-linux-x64] [spot=maybe]", "label-unknown-value warning spot"},
		{"runs-on=1/cpu=4", "runs-on [runs-on=1] [cpu=4]", ""},
		{"runson=1/cpu=4", "runs-on [runson=1] [cpu=4]", "label-unknown-key warning"},
		{"run-on=${{ github.run_id }}/cpu=4/memory=8", "runs-on [run-on=${{ github.run_id }}] [cpu=4] [memory=8]", "label-unknown-key warning"},
		{"runson=1", "other", ""},
		{"runson=1/queue=4", "other", ""},
		{"run-id=1/cpu=4", "other", ""},
	} {
		l, err := heads.Parse(c.label)
		if err != nil {
			t.Fatal(err)
		}
		if got := show(l); got != c.want || brief(l.Findings) != c.findings {
			t.Errorf("%s: got %s, %q\nwant %s, %q", c.label, got, brief(l.Findings), c.want, c.findings)
		}
	}
	l, err := parser.Parse("runs-on=1/family=+/extras= + ")
	if err != nil || show(l) != "runs-on [runs-on=1] [family=] [extras=]" || len(l.Findings) == 0 {
		t.Errorf("lists of nothing: %s, %v, %v", show(l), brief(l.Findings), err)
	}
}
