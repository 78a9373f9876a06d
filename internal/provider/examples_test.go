package provider_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/tfrun"
)

// Every example that the documentation shows is applied by a real Terraform, and
// what its comments promise is what must come out. In each output block, the
// comment that starts with "=>" is an HCL expression for the value:
//
//	output "iops" {
//	  value = provider::runnerfit::gp3_min_iops(750.25)
//	  # => 3004
//	}
//
// It may go on over the following comment lines. A line "# Warning: SUMMARY"
// announces a warning; any other warning, and every error, is a fault. The
// second plan must be empty.
func TestExamples(t *testing.T) {
	root := filepath.Join("..", "..", "examples")
	var folders []string
	for _, pattern := range []string{"provider", "functions/*", "data-sources/*", "resources/*"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		folders = append(folders, found...)
	}
	if len(folders) == 0 {
		t.Fatal("no example is found")
	}
	tool := tfrun.New(t, factory())
	for _, folder := range folders {
		name, err := filepath.Rel(root, folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			e := readExample(t, folder)
			if e.needsAWS {
				t.Skip("needs AWS: it is run where there is a stand-in for it, see TestLiveExamples for the provider's own")
			}
			e.run(t, tool)
		})
	}
}

// example is a folder of configuration with what its comments promise.
type example struct {
	files    map[string][]byte
	outputs  map[string]cty.Value
	warnings []string
	needsAWS bool
}

func readExample(t *testing.T, folder string) example {
	t.Helper()
	e := example{files: map[string][]byte{}, outputs: map[string]cty.Value{}}
	paths, err := filepath.Glob(filepath.Join(folder, "*.tf"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no configuration in %s: %v", folder, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		e.files[name] = text
		e.needsAWS = e.needsAWS || strings.Contains(string(text), "hashicorp/aws") || strings.Contains(string(text), "# Needs AWS credentials.")
		file, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		lines := strings.Split(string(text), "\n")
		for _, line := range lines {
			if summary, ok := strings.CutPrefix(strings.TrimSpace(line), "# Warning: "); ok {
				e.warnings = append(e.warnings, summary)
			}
		}
		for _, b := range file.Body.(*hclsyntax.Body).Blocks {
			if b.Type == "output" {
				e.outputs[b.Labels[0]] = promised(t, b.Labels[0], lines[b.OpenBraceRange.End.Line:b.CloseBraceRange.Start.Line-1])
			}
		}
	}
	return e
}

// promised is the value that the comment of an output block states.
func promised(t *testing.T, output string, lines []string) cty.Value {
	t.Helper()
	const mark = "# =>"
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), mark) })
	if at < 0 {
		t.Fatalf("output %q does not say what comes out; write a comment %q with the value", output, mark)
	}
	expression := []string{strings.TrimPrefix(strings.TrimSpace(lines[at]), mark)}
	for _, l := range lines[at+1:] {
		comment, ok := strings.CutPrefix(strings.TrimSpace(l), "#")
		if !ok {
			break
		}
		expression = append(expression, comment)
	}
	e, diags := hclsyntax.ParseExpression([]byte(strings.Join(expression, "\n")), output, hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("the comment of output %q is no expression: %s", output, diags)
	}
	v, diags := e.Value(nil)
	if diags.HasErrors() {
		t.Fatalf("the comment of output %q: %s", output, diags)
	}
	return v
}

func (e example) run(t *testing.T, tool *tfrun.Tool) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range e.files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	applied := tool.Run(t, folder, "apply", "-json", "-auto-approve")
	var warnings []string
	outputs := map[string]cty.Value{}
	lines := bufio.NewScanner(strings.NewReader(applied.Stdout))
	lines.Buffer(nil, len(applied.Stdout)+1) // all outputs are on one line
	for lines.Scan() {
		var m struct {
			Diagnostic *struct{ Severity, Summary, Detail string }
			Outputs    map[string]struct{ Type, Value json.RawMessage }
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		switch {
		case m.Diagnostic == nil:
		case m.Diagnostic.Severity == "error":
			t.Errorf("%s: %s", m.Diagnostic.Summary, m.Diagnostic.Detail)
		case !slices.Contains(warnings, m.Diagnostic.Summary): // a plan and its apply say the same
			warnings = append(warnings, m.Diagnostic.Summary)
		}
		for name, o := range m.Outputs {
			if o.Type != nil { // the plan names the outputs, the apply has their values
				outputs[name] = decodeOutput(t, o.Type, o.Value)
			}
		}
	}
	if t.Failed() || applied.Code != 0 {
		t.Fatalf("exit code %d\n%s", applied.Code, applied.Stderr)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(e.warnings)), slices.Sorted(slices.Values(warnings))); diff != "" {
		t.Errorf("warnings (-announced +given):\n%s", diff)
	}
	// An output that is null is left out.
	for _, name := range slices.Sorted(maps.Keys(e.outputs)) {
		got, ok := outputs[name]
		if !ok {
			got = cty.NullVal(cty.DynamicPseudoType)
		}
		want, err := convert.Convert(e.outputs[name], got.Type())
		if err != nil || !want.RawEquals(got) {
			t.Errorf("output %q is\n%s\nthe example says\n%s", name, jsonOf(t, got), jsonOf(t, e.outputs[name]))
		}
	}
	if second := tool.Run(t, folder, "plan", "-detailed-exitcode"); second.Code != 0 {
		t.Errorf("the second plan is not empty:\n%s%s", second.Stdout, second.Stderr)
	}
}

func decodeOutput(t *testing.T, typ, value json.RawMessage) cty.Value {
	t.Helper()
	ty, err := ctyjson.UnmarshalType(typ)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ctyjson.Unmarshal(value, ty)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func jsonOf(t *testing.T, v cty.Value) string {
	t.Helper()
	b, err := json.MarshalIndent(ctyjson.SimpleJSONValue{Value: v}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
