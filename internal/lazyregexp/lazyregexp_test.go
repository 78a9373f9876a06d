package lazyregexp_test

import (
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"
)

func TestNew(t *testing.T) {
	t.Parallel()
	digits := lazyregexp.New(`\A[0-9]+\z`)
	if !digits().MatchString("750") || digits().MatchString("750 MiB/s") {
		t.Error("the pattern does not match as it is written")
	}
	if first, second := digits(), digits(); first != second {
		t.Error("compiled again")
	}
	broken := lazyregexp.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("a pattern that does not compile gave something")
		}
	}()
	broken()
}
