package workflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// show writes jobs as "address line:column value | …".
func show(f *File) string {
	var out []string
	for _, j := range f.Jobs() {
		parts := []string{j.Address}
		for _, t := range j.Texts {
			parts = append(parts, fmt.Sprintf("%d:%d %q", t.Line, t.Column, t.Value))
		}
		out = append(out, strings.Join(parts, " "))
	}
	return strings.Join(out, "; ")
}

func TestJobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, source, want string }{
		{"string", "jobs:\n  a:\n    runs-on: runs-on=1/cpu=4\n", `jobs.a 3:14 "runs-on=1/cpu=4"`},
		{"array", "jobs:\n  a:\n    runs-on: [self-hosted, \"x=1\", 'y''2']\n", `jobs.a 3:15 "self-hosted" 3:28 "x=1" 3:35 "y'2"`},
		{"block array", "jobs:\n  a:\n    runs-on:\n      - runs-on=1\n      - cpu=4 # four\n", `jobs.a 4:9 "runs-on=1" 5:9 "cpu=4"`},
		{"group", "jobs:\n  a:\n    runs-on:\n      group: big\n      labels: runs-on=1/cpu=4\n", `jobs.a 5:15 "runs-on=1/cpu=4"`},
		{"group with an array", "jobs:\n  a:\n    runs-on: {group: big, labels: [x, y]}\n", `jobs.a 3:36 "x" 3:39 "y"`},
		{"group alone", "jobs:\n  a:\n    runs-on: {group: big}\n", ``},
		{"matrix", "jobs:\n  a:\n    runs-on: ${{ matrix.os }}\n", `jobs.a 3:14 "${{ matrix.os }}"`},
		{"several", "jobs:\n  a: {runs-on: x}\n  b: {uses: ./other.yml}\n  c: {runs-on: y}\n", `jobs.a 2:16 "x"; jobs.c 4:16 "y"`},
		{"empty", "jobs:\n  a:\n    runs-on: \"\"\n  b:\n    runs-on:\n  c:\n    runs-on: []\n", `jobs.a 3:14 ""; jobs.b 5:13 ""; jobs.c 7:14 ""`},
		{"folded", "jobs:\n  a:\n    runs-on: >-\n      runs-on=1\n", `jobs.a 3:14 "runs-on=1"`},
		{"number", "jobs:\n  a:\n    runs-on: 24\n", `jobs.a 3:14 "24"`},
		{"alias", "x-runner: &runner runs-on=1/cpu=4\njobs:\n  a:\n    runs-on: *runner\n  b:\n    runs-on: *runner\n", `jobs.a 1:11 "runs-on=1/cpu=4"`},
		{"alias in an array", "x: &x cpu=4\njobs:\n  a:\n    runs-on: [runs-on=1, *x]\n", `jobs.a 4:15 "runs-on=1" 1:4 "cpu=4"`},
		{"alias of a job", "jobs:\n  a: &a\n    runs-on: x\n  b: *a\n", `jobs.a 3:14 "x"`},
		{"merge", "x: &base\n  runs-on: runs-on=1\njobs:\n  a:\n    <<: *base\n    steps: []\n", `jobs.a 2:12 "runs-on=1"`},
		{"merge of several", "x: &x {env: {}}\ny: &y {runs-on: z}\njobs:\n  a:\n    <<: [*x, *y]\n", `jobs.a 2:17 "z"`},
		{"documents", "jobs: {a: {runs-on: x}}\n---\njobs: {b: {runs-on: y}}\n", `jobs.a 1:21 "x"; jobs.b 3:21 "y"`},
		{"CR LF and a byte order mark", "\uFEFFjobs:\r\n  a:\r\n    runs-on: x\r\n", `jobs.a 3:14 "x"`},
		{"byte order mark on the line itself", "\uFEFFjobs: {a: {runs-on: x}}\n", `jobs.a 1:21 "x"`},
		{"wide characters", "jobs: {é: {runs-on: ü}}\n", `jobs.é 1:21 "ü"`},
		{"no jobs", "on: push\n", ``},
		{"nothing", "", ``},
		{"jobs that are none", "jobs: [1, 2]\n", ``},
		{"a job that is none", "jobs: {a: 1, b: [runs-on]}\n", ``},
		{"a label that is none", "jobs:\n  a:\n    runs-on: [[x], {y: z}]\n", `jobs.a 3:14 ""`},
		{"the same key twice", "jobs:\n  a:\n    runs-on: x\n    runs-on: y\n", `jobs.a 3:14 "x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, err := Parse([]byte(c.source))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(f); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	f, err := Parse([]byte("\uFEFFjobs:\r\n  a:\r\n    runs-on: x # why\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Jobs()[0].Texts[0].Excerpt, "    runs-on: x # why"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, source, want string }{
		{"flow", "a: [1,\n b: }\n", "line 2: The file is not valid YAML: did not find expected node content."},
		{"tab", "a:\n\tb: c\n", "line 2: The file is not valid YAML: found character that cannot start any token."},
		{"unknown anchor", "jobs:\n  a: {runs-on: *y}\n", "line 2: The file is not valid YAML: unknown anchor 'y' referenced."},
		{"not UTF-8", "jobs: \xff\n", "The file is not text in UTF-8."},
		{"control character", "jobs: \x00\n", "The file is not valid YAML: control characters are not allowed (value: 0)."},
		{"huge", "x: " + strings.Repeat("y", MaxSize), "The file has 4194307 bytes, more than the 4194304 that are read; GitHub takes 512 KiB."},
		{"second document", "jobs: {}\n---\na: [\n", "line 4: The file is not valid YAML: did not find expected node content."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(c.source))
			if e, ok := errors.AsType[*SyntaxError](err); !ok || e.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestHostile: files made to take for ever or to exhaust the stack end quickly,
// with an answer or an error.
func TestHostile(t *testing.T) {
	t.Parallel()
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [lol, lol]\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&laughs, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	laughs.WriteString("jobs: {x: {runs-on: *a39}}\n")
	var merges strings.Builder
	merges.WriteString("m0: &m0 {k: v}\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&merges, "m%d: &m%d {<<: [*m%d, *m%d]}\n", i, i, i-1, i-1)
	}
	merges.WriteString("jobs: {x: {<<: *m59}}\n")
	for name, source := range map[string]string{
		"aliases of aliases":  laughs.String(),
		"merges of merges":    merges.String(),
		"deep flow":           "jobs: " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"deep block":          "jobs:\n" + strings.Repeat("- ", 50_000) + "x\n",
		"an anchor in itself": "jobs: &j {a: {runs-on: *j}}\n",
		"many jobs":           "jobs:\n" + strings.Repeat("  a: {runs-on: x}\n", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := make(chan struct{})
			go func() {
				defer close(done)
				f, err := Parse([]byte(source))
				if err == nil {
					f.Apply(changeAll(f, "z"))
				}
			}()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("it takes for ever")
			}
		})
	}
}

// changeAll asks for every label of a file to become another.
func changeAll(f *File, to string) []Change {
	var out []Change
	for _, j := range f.Jobs() {
		for _, t := range j.Texts {
			out = append(out, Change{Text: t, To: to})
		}
	}
	return out
}

func TestApply(t *testing.T) {
	t.Parallel()
	const to = "runs-on=${{ github.run_id }}/cpu=4"
	for _, c := range []struct{ name, source, to, want string }{
		{"plain", "jobs:\n  a:\n    runs-on: x # why\n\n\n    steps:   [ ]\n", to, "jobs:\n  a:\n    runs-on: " + to + " # why\n\n\n    steps:   [ ]\n"},
		{"single quotes", "jobs: {a: {runs-on: 'it''s'}}\n", "it's " + to, "jobs: {a: {runs-on: 'it''s " + to + "'}}\n"},
		{"double quotes", `jobs: {a: {runs-on: "\x41 \"b\""}}` + "\n", `c "d" \e`, `jobs: {a: {runs-on: "c \"d\" \\e"}}` + "\n"},
		{"array", "jobs:\n  a:\n    runs-on: [ self-hosted ,x, \"y\" ] # z\n", "w", "jobs:\n  a:\n    runs-on: [ w ,w, \"w\" ] # z\n"},
		{"CR LF and a byte order mark", "\uFEFFjobs:\r\n  a:\r\n    runs-on: x\r\n", to, "\uFEFFjobs:\r\n  a:\r\n    runs-on: " + to + "\r\n"},
		{"no line break at the end", "jobs: {a: {runs-on: x}}", "y", "jobs: {a: {runs-on: y}}"},
		{"anchor", "x: &a  old\njobs: {a: {runs-on: *a}}\n", "new", "x: &a  new\njobs: {a: {runs-on: *a}}\n"},
		{"tag", "jobs: {a: {runs-on: !!str  24}}\n", "25", "jobs: {a: {runs-on: !!str  25}}\n"},
		{"wide characters before it", "jobs: {\"é😀\": {runs-on: ü}}\n", "y", "jobs: {\"é😀\": {runs-on: y}}\n"},
		{"plain that would end early", "jobs:\n  a:\n    runs-on: x\n", "y #z", "jobs:\n  a:\n    runs-on: 'y #z'\n"},
		{"plain that would be a mapping", "jobs:\n  a:\n    runs-on: x\n", "y: z", "jobs:\n  a:\n    runs-on: 'y: z'\n"},
		{"plain that would be an alias", "jobs:\n  a:\n    runs-on: x\n", "*z", "jobs:\n  a:\n    runs-on: '*z'\n"},
		{"plain that would be two", "jobs: {a: {runs-on: [x]}}\n", "y,z", "jobs: {a: {runs-on: ['y,z']}}\n"},
		{"plain that would be a number", "jobs: {a: {runs-on: x}}\n", "24", "jobs: {a: {runs-on: '24'}}\n"},
		{"several documents", "jobs: {a: {runs-on: x}}\n---\njobs: {a: {runs-on: x}}\n", "y", "jobs: {a: {runs-on: y}}\n---\njobs: {a: {runs-on: y}}\n"},
		{"block scalars stay", "jobs:\n  a:\n    runs-on: >-\n      x\n  b:\n    runs-on: y\n", "z", "jobs:\n  a:\n    runs-on: >-\n      x\n  b:\n    runs-on: z\n"},
		{"several lines stay", "jobs:\n  a:\n    runs-on: x\n      y\n", "z", "jobs:\n  a:\n    runs-on: x\n      y\n"},
		{"what is not there stays", "jobs:\n  a:\n    runs-on:\n", "z", "jobs:\n  a:\n    runs-on:\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, err := Parse([]byte(c.source))
			if err != nil {
				t.Fatal(err)
			}
			got, made := f.Apply(changeAll(f, c.to))
			if string(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if changed := c.source != c.want; changed != (len(made) > 0) {
				t.Errorf("%d changes are said to be made", len(made))
			}
		})
	}
	f, err := Parse([]byte("jobs: {a: {runs-on: x}}"))
	if err != nil {
		t.Fatal(err)
	}
	if got, made := f.Apply(nil); string(got) != "jobs: {a: {runs-on: x}}" || made != nil {
		t.Errorf("no change: got %q, %v", got, made)
	}
}

// TestRoundTrip: whatever is written for a label is what is read, and every
// other line stays as it is.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.StringMatching(`[a-z0-9][a-z0-9=/+.-]{0,12}[a-z0-9]`)
		scalar := rapid.OneOf(plain,
			rapid.Map(plain, func(s string) string { return "'" + s + "''" + s + "'" }),
			rapid.Map(plain, func(s string) string { return `"` + s + `\"\t"` }),
			rapid.Map(plain, func(s string) string { return "&anchor " + s }))
		ending := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "ending")
		lines := []string{"on: push # " + plain.Draw(t, "comment"), "jobs:"}
		var places []int
		for i := range rapid.IntRange(1, 4).Draw(t, "jobs") {
			lines = append(lines, fmt.Sprintf("  job%d:", i))
			if rapid.Bool().Draw(t, "array") {
				lines = append(lines, "    runs-on: [ "+plain.Draw(t, "a")+" , "+plain.Draw(t, "b")+" ]  # "+plain.Draw(t, "comment"))
			} else {
				s := scalar.Draw(t, "label")
				if i > 0 {
					s = strings.TrimPrefix(s, "&anchor ")
				}
				lines = append(lines, "    runs-on:   "+s+"   # "+plain.Draw(t, "comment"))
			}
			places = append(places, len(lines)-1)
		}
		source := strings.Join(lines, ending)
		f, err := Parse([]byte(source))
		if err != nil {
			t.Fatal(err)
		}
		to := rapid.StringMatching(`[ -~]{1,20}`).Draw(t, "to")
		got, made := f.Apply(changeAll(f, to))
		if len(made) == 0 {
			t.Fatalf("nothing was changed in\n%s", source)
		}
		again, err := Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range again.Jobs() {
			for _, x := range j.Texts {
				if x.Value != to {
					t.Fatalf("%q is read as %q from\n%s", to, x.Value, got)
				}
			}
		}
		after := strings.Split(string(got), ending)
		if len(after) != len(lines) {
			t.Fatalf("%d lines became %d", len(lines), len(after))
		}
		for i := range lines {
			if lines[i] != after[i] && !slices.Contains(places, i) {
				t.Fatalf("line %d became %q, was %q", i+1, after[i], lines[i])
			}
		}
	})
}

// FuzzParse: no file makes it panic, and a change never breaks a file.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"jobs:\n  a:\n    runs-on: runs-on=1/cpu=4 # why\n", "jobs: {a: {runs-on: ['x', \"y\\n\", &z w]}}\n---\n{}\n", "\uFEFFa: &a [*a]\r\n", "jobs: {a: {<<: *b}}", "jobs: {a: {runs-on: !!str \"\"}}\u2028",
	} {
		f.Add(s, "x: y")
	}
	f.Fuzz(func(t *testing.T, source, to string) {
		file, err := Parse([]byte(source))
		if err != nil {
			return
		}
		got, made := file.Apply(changeAll(file, to))
		if len(made) == 0 {
			if string(got) != source {
				t.Fatalf("no change is said to be made, but %q became %q", source, got)
			}
			return
		}
		again, err := Parse(got)
		if err != nil {
			t.Fatalf("%q became %q: %v", source, got, err)
		}
		if len(again.Jobs()) != len(file.Jobs()) {
			t.Fatalf("%q became %q: %d jobs, then %d", source, got, len(file.Jobs()), len(again.Jobs()))
		}
	})
}

// TestOneHugeLine: thousands of jobs on a single line are found in time and
// memory that grow with the line, not with its square.
func TestOneHugeLine(t *testing.T) {
	const jobs = 5000
	var text strings.Builder
	text.WriteString("jobs: {")
	for i := range jobs {
		fmt.Fprintf(&text, "job%d: {name: \"é%s\", runs-on: runs-on=1/disk=large}, ", i, strings.Repeat("x", 500))
	}
	text.WriteString("}\n")
	source := []byte(text.String())
	read := testing.Benchmark(func(b *testing.B) {
		b.Helper()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Parse(source); err != nil {
				b.Fatal(err)
			}
		}
	})
	if got := read.AllocedBytesPerOp(); got > 100*int64(len(source)) {
		t.Errorf("%d MB were allocated for a file of %d MB", got>>20, len(source)>>20)
	}
	f, err := Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Jobs()) != jobs {
		t.Fatalf("%d jobs", len(f.Jobs()))
	}
	located := testing.Benchmark(func(b *testing.B) {
		b.Helper()
		for b.Loop() {
			for _, j := range f.Jobs() {
				p, ok := f.locate(j.Texts[0].node)
				if !ok || string(f.source[p.start:p.end]) != "runs-on=1/disk=large" {
					b.Fatalf("%s is not where it stands", j.Address)
				}
			}
		}
	})
	// A few milliseconds; counted from the start of the line it is half a minute.
	if located.N == 0 || located.NsPerOp() > 5e9 {
		t.Errorf("%d ns to locate %d jobs", located.NsPerOp(), jobs)
	}
}
