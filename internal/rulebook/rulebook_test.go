package rulebook_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/snapshot"
)

var _ = flag.Bool("update", false, "write the snapshot of the rules anew")

// Ids stand in people's ignore_rules, comments and baselines, and severities
// decide what fails their plans.
func TestInterface(t *testing.T) {
	var lines []string
	for _, r := range rulebook.Registry().All() {
		words := []string{"rule " + r.ID + ":"}
		for _, s := range r.Severities {
			words = append(words, s.String())
		}
		lines = append(lines, strings.Join(words, " "))
	}
	snapshot.Check(t, "testdata/interface.txt", lines)
}
