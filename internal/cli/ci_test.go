package cli_test

import (
	"strings"
	"testing"

	yaml "go.yaml.in/yaml/v4"
)

// What CI systems read names commands, flags and a version that exist.
func TestCIFiles(t *testing.T) {
	var hooks []struct{ ID, Entry, Files, Language string }
	if err := yaml.Unmarshal([]byte(content(t, "../../.pre-commit-hooks.yaml")), &hooks); err != nil || len(hooks) != 2 {
		t.Fatalf("%v %v", hooks, err)
	}
	for _, h := range hooks {
		args, found := strings.CutPrefix(h.Entry, "terraform-provider-runnerfit ")
		if !found || h.Language != "golang" {
			t.Errorf("%+v", h)
		}
		if stdout, stderr, code := run(t, append(strings.Fields(args), "--help")...); code != 0 || !strings.Contains(stdout, "runnerfit audit [PATH...|-]") {
			t.Errorf("%s: exit %d, %s", h.Entry, code, stderr)
		}
	}
	var action struct {
		Inputs map[string]struct{ Description, Default string }
		Runs   struct {
			Using string
			Steps []struct{ Run string }
		}
	}
	text := content(t, "../../action.yml")
	if err := yaml.Unmarshal([]byte(text), &action); err != nil || action.Runs.Using != "composite" {
		t.Fatal(err)
	}
	if got, want := action.Inputs["version"].Default, strings.TrimSpace(content(t, "../../tools/version.txt")); got != want {
		t.Errorf("the action installs %s, this is %s", got, want)
	}
	for name := range action.Inputs {
		if !strings.Contains(text, "inputs."+name+" ") {
			t.Errorf("the input %s is not used", name)
		}
	}
	for _, s := range action.Runs.Steps {
		// Inputs reach a script by its environment only: as text in it they would be run.
		if strings.Contains(s.Run, "${{") {
			t.Errorf("a script has an expression in it:\n%s", s.Run)
		}
	}
}
