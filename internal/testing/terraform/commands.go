package terraform

import (
	"encoding/json"

	tfjson "github.com/hashicorp/terraform-json"
)

// Init installs the providers. It has to come first.
func (f *Folder) Init() Result {
	f.tb.Helper()
	return f.expect(0, "init failed", "init")
}

// Validate fails the test if the configuration is not valid.
func (f *Folder) Validate() Result {
	f.tb.Helper()
	return f.expect(0, "the configuration is not valid", "validate")
}

// CheckFormat fails the test if `fmt` would change a file.
func (f *Folder) CheckFormat() {
	f.tb.Helper()
	f.expect(0, "not formatted", "fmt", "-check", "-diff", "-recursive")
}

// Plan is a plan that was accepted.
type Plan struct {
	Result
	// JSON is what `show -json` prints of the plan, and Content is it decoded.
	JSON    []byte
	Content *tfjson.Plan
}

// planFile is the saved plan in the folder.
const planFile = "test.tfplan"

// Plan plans, and fails the test if the plan is refused.
func (f *Folder) Plan(args ...string) *Plan {
	f.tb.Helper()
	p := &Plan{Result: f.expect(0, "the plan is refused", append([]string{"plan", "-out=" + planFile}, args...)...)}
	p.JSON = []byte(f.expect(0, "the plan cannot be shown", "show", "-json", planFile).Stdout)
	p.Content = new(tfjson.Plan)
	if err := json.Unmarshal(p.JSON, p.Content); err != nil {
		f.tb.Fatal(err)
	}
	return p
}

// PlanRefused plans, and fails the test if the plan is accepted.
func (f *Folder) PlanRefused(args ...string) Result {
	f.tb.Helper()
	return f.expect(1, "the plan is not refused", append([]string{"plan"}, args...)...)
}

// Apply applies the configuration.
func (f *Folder) Apply(args ...string) Result {
	f.tb.Helper()
	return f.expect(0, "apply failed", append([]string{"apply", "-auto-approve"}, args...)...)
}

// NoChanges fails the test if there is anything left to change.
func (f *Folder) NoChanges(args ...string) {
	f.tb.Helper()
	f.expect(0, "the plan is not empty", append([]string{"plan", "-detailed-exitcode"}, args...)...)
}

// Outputs are the outputs of the state, as JSON has them: numbers are float64.
func (f *Folder) Outputs() map[string]any {
	f.tb.Helper()
	var all map[string]struct{ Value any }
	if err := json.Unmarshal([]byte(f.expect(0, "there are no outputs", "output", "-json").Stdout), &all); err != nil {
		f.tb.Fatal(err)
	}
	out := map[string]any{}
	for name, o := range all {
		out[name] = o.Value
	}
	return out
}

// Destroy destroys everything.
func (f *Folder) Destroy(args ...string) Result {
	f.tb.Helper()
	return f.expect(0, "destroy failed", append([]string{"destroy", "-auto-approve"}, args...)...)
}

// Test runs the configuration's own tests, and fails the test if one of them
// fails.
func (f *Folder) Test(args ...string) Result {
	f.tb.Helper()
	return f.expect(0, "a test failed", append([]string{"test"}, args...)...)
}

// Life takes a configuration through its whole life: format, init, validation,
// plan, apply, an empty second plan, destruction. It returns the first plan and
// the outputs.
func (f *Folder) Life() (plan *Plan, outputs map[string]any) {
	f.tb.Helper()
	f.CheckFormat()
	f.Init()
	f.Validate()
	plan = f.Plan()
	f.Apply()
	outputs = f.Outputs()
	f.NoChanges()
	f.Destroy()
	return plan, outputs
}
