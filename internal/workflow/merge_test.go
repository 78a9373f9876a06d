package workflow

import (
	"fmt"
	"strings"
	"testing"
)

// A list of aliases that are merged, and that merge it again, is searched once.
func TestMergeFanOut(t *testing.T) {
	t.Parallel()
	chain := &strings.Builder{}
	chain.WriteString("z0: &z0 {a: 1}\n")
	for i := 1; i <= 19; i++ {
		fmt.Fprintf(chain, "z%d: &z%d {<<: [%s]}\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*z%d,", i-1), 40), ","))
	}
	many := &strings.Builder{}
	many.WriteString("z: &z {<<: [&e {}, " + strings.TrimSuffix(strings.Repeat("*e, ", 20_000), ", ") + "]}\njobs:\n")
	for i := range 5000 {
		fmt.Fprintf(many, "  j%d: {<<: *z}\n", i)
	}
	for name, source := range map[string]string{
		"itself": "z: &z\n  <<: [" + strings.TrimSuffix(strings.Repeat("*z,", 300), ",") + "]\njobs:\n  a: *z\n",
		"chain":  chain.String() + "jobs:\n  a: *z19\n",
		"many":   many.String(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Without the bound on work this does not end before the test's own deadline.
			f, err := Parse([]byte(source))
			if err == nil && len(f.Jobs()) > 0 {
				t.Errorf("found %s", show(f))
			}
		})
	}
	f, err := Parse([]byte("z: &z {<<: [*z, *z]}\ny: &y {runs-on: x}\njobs:\n  a: {<<: [*z, *y]}\n  b: {<<: [*z], runs-on: w}\n"))
	if err != nil || show(f) != `jobs.a 2:17 "x"; jobs.b 5:26 "w"` {
		t.Errorf("got %v, %v", f, err)
	}
}
