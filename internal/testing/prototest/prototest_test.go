package prototest

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// failing catches what a test would be failed with.
type failing struct {
	testing.TB
	text []string
}

func (f *failing) Helper()                      {}
func (f *failing) Errorf(s string, args ...any) { f.text = append(f.text, fmt.Sprintf(s, args...)) }
func (f *failing) Fatalf(s string, args ...any) { f.Errorf(s, args...); runtime.Goexit() }
func (f *failing) FailNow()                     { runtime.Goexit() }

// failure is what use fails with, "" if it does not fail.
func failure(t *testing.T, use func(f *failing)) string {
	t.Helper()
	f := &failing{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		use(f)
	}()
	<-done
	return strings.Join(f.text, "\n")
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s is %#v, want %#v", what, got, want)
	}
}

func noDiagnostics(t *testing.T, ds Diagnostics) {
	t.Helper()
	if len(ds) > 0 {
		t.Fatalf("diagnostics: %s", ds)
	}
}

func TestCreateThenNothingThenUpdate(t *testing.T) {
	p := New(t, toyFactory(), Config(`region = "eu-west-1"`))
	r := p.Resource("toy_disk")

	pl := r.Plan(`root { size_gib = 100 }`)
	noDiagnostics(t, pl.Diagnostics)
	equal(t, "action", pl.Action, Create)
	equal(t, "planned iops", pl.Attr("root.iops"), 200.0)
	equal(t, "planned total", pl.Attr("total"), 100.0)
	equal(t, "planned text", pl.Attr("result.text"), "fine")
	equal(t, "absent block", pl.Attr("data.iops"), nil)
	equal(t, "state before the apply", r.Attr("total"), nil)

	noDiagnostics(t, pl.Apply().Diagnostics)
	equal(t, "stored iops", r.Attr("root.iops"), 200.0)
	equal(t, "planned private", PrivateKey(t, pl.Private, "planned"), `{"by":"plan"}`)
	equal(t, "private", PrivateKey(t, r.Private(), "planned"), `{"by":"create"}`)

	again := r.Plan(`root { size_gib = 100 }`)
	noDiagnostics(t, again.Diagnostics)
	equal(t, "second action", again.Action, NoOp)

	change := r.Plan(`root {
		size_gib = 50
		iops     = 5000
	}`)
	equal(t, "action of the change", change.Action, Update)
	noDiagnostics(t, change.MustApply().Diagnostics)
	equal(t, "iops", r.Attr("root.iops"), 5000.0)
	equal(t, "private", PrivateKey(t, r.Private(), "planned"), `{"by":"plan"}`)

	noDiagnostics(t, r.Destroy())
	equal(t, "state after the destroy", r.State().IsNull(), true)
}

func TestReplace(t *testing.T) {
	r := New(t, toyFactory()).Resource("toy_disk")
	r.Plan(`zone = "a"`).MustApply()
	pl := r.Plan(`zone = "b"`)
	equal(t, "action", pl.Action, Replace)
	noDiagnostics(t, pl.Apply().Diagnostics)
	equal(t, "zone", r.Attr("zone"), "b")
}

func TestDiagnosticsPointAtLines(t *testing.T) {
	p := New(t, toyFactory())
	for _, c := range []struct {
		name, body       string
		path, line       string
		severity         Severity
		summary, detail  string
		wantsByTerraform bool
	}{
		{
			"in a block", "root {\n  size_gib = -1\n}", "root.size_gib", "size_gib = -1",
			SeverityError, "Size is not positive", "Write more than 0.", false,
		},
		{
			"in the second of several blocks", "volume {\n  size_gib = 1\n}\nvolume {\n  iops = 3\n  size_gib = 2 * 100\n}", "volume[1].size_gib", "size_gib = 2 * 100",
			SeverityWarning, "Disk is large", "Write 100.", false,
		},
		{
			"an argument that does not exist", "color = 1", "", "color = 1",
			SeverityError, "Unsupported argument", `An argument named "color" is not expected here.`, true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ds := p.For(t).Resource("toy_disk").Plan(c.body).Diagnostics
			want := Diagnostics{{Severity: c.severity, Summary: c.summary, Detail: c.detail, Path: c.path, Line: c.line, ByTerraform: c.wantsByTerraform}}
			if !reflect.DeepEqual(ds, want) {
				t.Errorf("got:\n%s\nwant:\n%s", ds, want)
			}
		})
	}
}

func TestUnknown(t *testing.T) {
	p := New(t, toyFactory())
	r := p.Resource("toy_disk")
	pl := r.Plan("root { size_gib = unknown }\nvolume { size_gib = 10 }")
	noDiagnostics(t, pl.Diagnostics)
	equal(t, "size", pl.Attr("root.size_gib"), Unknown)
	equal(t, "what depends on it", pl.Attr("result.text"), Unknown)
	equal(t, "what does not", pl.Attr("volume[0].iops"), 20.0)
	noDiagnostics(t, pl.ApplyAs("root { size_gib = 5 }\nvolume { size_gib = 10 }").Diagnostics)
	equal(t, "total", r.Attr("total"), 15.0)

	equal(t, "apply without the value", failure(t, func(f *failing) {
		p.For(f).Resource("toy_disk").Plan("zone = unknown").Apply()
	}), "prototest: at apply everything is known; say with ApplyAs what it turned out to be:\nzone = unknown")
}

// A dynamic block that may turn out to be absent is planned by Terraform as if
// it were there, so that its absence fails whatever the provider does.
func TestDynamicBlock(t *testing.T) {
	p := New(t, toyFactory())
	const body = `dynamic "root" {
		for_each = %s
		content { size_gib = root.value }
	}`
	r := p.Resource("toy_disk")
	noDiagnostics(t, r.Plan(fmt.Sprintf(body, "[4]")).MustApply().Diagnostics)
	equal(t, "total", r.Attr("total"), 4.0)

	pl := p.Resource("toy_disk").Plan(fmt.Sprintf(body, "unknown"))
	noDiagnostics(t, pl.Diagnostics)
	equal(t, "total", pl.Attr("total"), Unknown)
	noDiagnostics(t, pl.ApplyAs(fmt.Sprintf(body, "[4]")).Diagnostics)
	got := failure(t, func(f *failing) {
		p.For(f).Resource("toy_disk").Plan(fmt.Sprintf(body, "unknown")).ApplyAs(fmt.Sprintf(body, "[]"))
	})
	if !strings.Contains(got, "root: was present, but is now absent") {
		t.Errorf("got %q", got)
	}
}

func TestBugsOfProvidersAreFound(t *testing.T) {
	for _, c := range []struct{ bug, want string }{
		{"plan-differs-from-config", "Provider produced invalid plan: root.size_gib: planned cty.NumberIntVal(7), but cty.NumberIntVal(5) is configured"},
		{"unknown-block", "Provider produced invalid plan: data: a block must not be unknown itself"},
		{"unknown-planned-as-null", "Provider produced inconsistent final plan: total: was null, but is now cty.NumberIntVal(5)"},
		{"result-differs-from-plan", "Provider produced inconsistent result after apply: total: was cty.NumberIntVal(5), but is now cty.NumberIntVal(1)"},
		{"", ""},
	} {
		t.Run(c.bug, func(t *testing.T) {
			got := failure(t, func(f *failing) {
				size := "5"
				if c.bug == "unknown-planned-as-null" {
					size = "unknown"
				}
				const body = "bug = %q\nroot { size_gib = %s }"
				New(f, toyFactory()).Resource("toy_disk").Plan(fmt.Sprintf(body, c.bug, size)).ApplyAs(fmt.Sprintf(body, c.bug, "5"))
			})
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFailedApplyLeavesTheState(t *testing.T) {
	r := New(t, toyFactory()).Resource("toy_disk")
	a := r.Plan(`bug = "apply-fails"`).Apply()
	equal(t, "errors", len(a.Errors()), 1)
	equal(t, "state", r.State().IsNull(), true)
}

func TestDestroyIsStoppedByTheOrdinaryPlan(t *testing.T) {
	r := New(t, toyFactory()).Resource("toy_disk")
	r.Plan(`root { size_gib = 5 }`).MustApply()
	bad := r.Plan(`root { size_gib = 0 }`)
	equal(t, "errors", len(bad.Errors()), 1)
	equal(t, "errors of destroy", len(r.Destroy().Errors()), 1)
	equal(t, "gone", r.State().IsNull(), false)
	noDiagnostics(t, r.DestroyWithoutRefresh())
	equal(t, "gone", r.State().IsNull(), true)
}

func TestOlderStateAndAnotherProvider(t *testing.T) {
	r := New(t, toyFactory()).Resource("toy_disk")
	r.SetState([]byte(`{"zone":"a","root":{"size_gib":5,"iops":10},"volume":[]}`), nil)
	equal(t, "attribute that did not exist", r.Attr("total"), nil)

	other := New(t, toyFactory(), Config(`region = "us-east-1"`))
	moved := r.On(other)
	pl := moved.Plan("zone = \"a\"\nroot { size_gib = 5 }")
	equal(t, "action", pl.Action, Update)
	pl.MustApply()
	equal(t, "total", moved.Attr("total"), 5.0)
}

func TestConfigure(t *testing.T) {
	p := Start(t, toyFactory())
	noDiagnostics(t, p.Resource("toy_disk").Validate("root {}"))
	ds := p.Configure("region = \"nowhere\"")
	equal(t, "diagnostics", ds, Diagnostics{{
		Severity: SeverityError, Summary: "No such region", Detail: "There is no region of that name.",
		Path: "region", Line: `region = "nowhere"`,
	}})
	noDiagnostics(t, p.Configure("region = unknown"))
	if got := failure(t, func(f *failing) { New(f, toyFactory(), Config(`region = "nowhere"`)) }); !strings.Contains(got, "No such region") {
		t.Errorf("got %q", got)
	}
}

func TestDataSource(t *testing.T) {
	d := New(t, toyFactory()).DataSource("toy_double")
	r := d.Read("n = 21")
	noDiagnostics(t, r.Diagnostics)
	equal(t, "double", r.Attr("double"), 42.0)

	r = d.Read("n = unknown")
	equal(t, "deferred", r.Deferred, true)
	equal(t, "double", r.Attr("double"), Unknown)

	r = d.Read("n = -1")
	equal(t, "errors", r.Errors(), Diagnostics{{
		Severity: SeverityError, Summary: "Number is negative", Detail: "Write another.", Path: "n", Line: "n = -1",
	}})
	equal(t, "without the argument", d.Read("").Errors()[0].ByTerraform, true)
}

func TestFunctions(t *testing.T) {
	one := 1
	for _, openTofu := range []bool{false, true} {
		var opts []Option
		if openTofu {
			opts = append(opts, OpenTofu())
		}
		p := New(t, toyFactory(), opts...)
		for _, c := range []struct {
			expression string
			want       any
			err        *FunctionError
		}{
			{"provider::toy::add(1, 2) + 1", 4.0, nil},
			{`provider::toy::add("1", 2)`, 3.0, nil},
			{"provider::toy::add(1, unknown)", Unknown, nil},
			{"provider::toy::add(1, -2)", nil, &FunctionError{Text: "must not be negative", Argument: &one}},
			{"provider::toy::shape({ a = unknown })", Unknown, nil},
			{"[for s in [provider::toy::shape(true)] : length([s])]", []any{1.0}, nil},
		} {
			v, err := p.Eval(c.expression)
			var fe *FunctionError
			if c.err != nil {
				if !errors.As(err, &fe) || !reflect.DeepEqual(fe, c.err) {
					t.Errorf("%s: error %v, want %v", c.expression, err, c.err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.expression, err)
				continue
			}
			equal(t, c.expression, Attr(t, v, ""), c.want)
		}
		if _, err := p.Eval("provider::toy::nothing()"); err == nil {
			t.Error("a function that does not exist can be called")
		}
		v, err := p.Call("add", cty.NumberIntVal(1), cty.StringVal("3"))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "sum", Attr(t, v, ""), 4.0)
	}
}

// The two ways in which OpenTofu treats null differently from Terraform.
func TestNullInFunctions(t *testing.T) {
	terraform, openTofu := New(t, toyFactory()), New(t, toyFactory(), OpenTofu())
	v, err := terraform.Eval("provider::toy::add(1, null)")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "sum", Attr(t, v, ""), 1.0)
	if _, err = openTofu.Eval("provider::toy::add(1, null)"); err == nil {
		t.Error("the toy does not decorate CallFunction, so OpenTofu's empty argument must fail")
	}

	if v, err = terraform.Eval("provider::toy::shape(null)"); err != nil {
		t.Fatal(err)
	}
	equal(t, "shape", Attr(t, v, ""), "null")
	if v, err = openTofu.Eval("provider::toy::shape(null)"); err != nil {
		t.Fatal(err)
	}
	equal(t, "shape", Attr(t, v, ""), Unknown)
}

func TestAttrFailsOnWhatIsNotThere(t *testing.T) {
	v := cty.ObjectVal(map[string]cty.Value{
		"list": cty.ListVal([]cty.Value{cty.StringVal("a")}),
		"map":  cty.MapVal(map[string]cty.Value{"a b": cty.True}),
		"null": cty.NullVal(cty.Object(map[string]cty.Type{"x": cty.Number})),
	})
	equal(t, "element", Attr(t, v, "list[0]"), "a")
	equal(t, "element", Attr(t, v, `map["a b"]`), true)
	equal(t, "below null", Attr(t, v, "null.x"), nil)
	for _, path := range []string{"other", "list[1]", "list.a", `map["c"]`, "null.y", "list[", "list[x]"} {
		if got := failure(t, func(f *failing) { Attr(f, v, path) }); got == "" {
			t.Errorf("%s is there", path)
		}
	}
}

func TestUnknownNamesFailTheTest(t *testing.T) {
	p := New(t, toyFactory())
	for name, use := range map[string]func(p *Provider){
		"resource":    func(p *Provider) { p.Resource("toy_cup") },
		"data source": func(p *Provider) { p.DataSource("toy_cup") },
		"function":    func(p *Provider) { _, _ = p.Call("cup") },
	} {
		if got := failure(t, func(f *failing) { use(p.For(f)) }); !strings.Contains(got, "the provider has no "+name) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What core proposes of nested attributes, of which the toy has only one.
func TestProposedNewOfNestedAttributes(t *testing.T) {
	members := map[string]*attribute{
		"set":    {plain: cty.Number, optional: true},
		"filled": {plain: cty.Number, optional: true, computed: true},
	}
	one := cty.Object(map[string]cty.Type{"set": cty.Number, "filled": cty.Number})
	obj := func(set, filled cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"set": set, "filled": filled})
	}
	n, null := cty.NumberIntVal, cty.NullVal(cty.Number)
	for _, c := range []struct {
		name                string
		nesting             nesting
		computed            bool
		prior, config, want cty.Value
	}{
		{"one", single, false, obj(n(1), n(2)), obj(n(3), null), obj(n(3), n(2))},
		{"one that was not there", single, false, cty.NullVal(one), obj(n(3), null), obj(n(3), null)},
		{"one that is not known", single, false, obj(n(1), n(2)), cty.UnknownVal(one), cty.UnknownVal(one)},
		{"one removed", single, false, obj(n(1), n(2)), cty.NullVal(one), cty.NullVal(one)},
		{"one removed that was configured", single, true, obj(n(1), n(2)), cty.NullVal(one), cty.NullVal(one)},
		{"one that was computed", single, true, obj(null, n(2)), cty.NullVal(one), obj(null, n(2))},
		{
			"by position", list, false,
			cty.ListVal([]cty.Value{obj(n(1), n(2))}),
			cty.ListVal([]cty.Value{obj(n(5), null), obj(n(6), null)}),
			cty.ListVal([]cty.Value{obj(n(5), n(2)), obj(n(6), null)}),
		},
		{
			"by key", mapping, false,
			cty.MapVal(map[string]cty.Value{"a": obj(n(1), n(2))}),
			cty.MapVal(map[string]cty.Value{"a": obj(n(5), null), "b": obj(n(6), null)}),
			cty.MapVal(map[string]cty.Value{"a": obj(n(5), n(2)), "b": obj(n(6), null)}),
		},
		{
			"a list that was configured", list, true,
			cty.ListVal([]cty.Value{obj(n(1), n(2))}), cty.NullVal(cty.List(one)), cty.NullVal(cty.List(one)),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &block{attrs: map[string]*attribute{
				"x": {nested: &object{attrs: members, nesting: c.nesting}, optional: true, computed: c.computed},
			}}
			wrap := func(v cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"x": v}) }
			got := proposedNew(b, wrap(c.prior), wrap(c.config)).GetAttr("x")
			if !got.RawEquals(c.want) {
				t.Errorf("proposed %#v, want %#v", got, c.want)
			}
			if errs := planValid(b, wrap(c.prior), wrap(c.config), wrap(got), nil); len(errs) > 0 {
				t.Errorf("the proposal is no valid plan: %v", errs)
			}
		})
	}
}
