package provider_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/provider"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// factory starts the provider as it is served, which is held against the
// framework.
func factory(options ...provider.Option) prototest.Factory {
	return newBoth(options...)
}

// slowMac is a catalogue of another day, in which one Mac type has a tenth of
// its ceiling.
func slowMac(typ string) *catalog.Catalog {
	i, ok := catalog.Embedded().Instance(typ)
	if !ok {
		panic("not in the table: " + typ)
	}
	rate := catalog.EBSRate{Bandwidth: 800, IOPS: 5_500}
	i.EBS = optional.Known(catalog.EBSCeiling{Sustained: rate, Maximum: rate})
	return catalog.Embedded().WithInstances(i)
}

// said is the essence of a diagnostic: severity, path and rule.
func said(ds prototest.Diagnostics) []string {
	var out []string
	for _, d := range ds {
		_, rule, _ := strings.Cut(d.Detail, "\nRule: ")
		out = append(out, string(d.Severity)+" "+d.Path+" "+rule)
	}
	return out
}

// expect compares results by their paths.
func expect(t *testing.T, attr func(string) any, want map[string]any) {
	t.Helper()
	for path, w := range want {
		if diff := cmp.Diff(w, attr(path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// one is the only diagnostic there may be.
func one(t *testing.T, ds prototest.Diagnostics) prototest.Diagnostic {
	t.Helper()
	if len(ds) != 1 {
		t.Fatalf("%d diagnostics, want one:\n%s", len(ds), ds)
	}
	return ds[0]
}

// contains fails unless the text has every part.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}
