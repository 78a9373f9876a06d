package audit

import (
	"flag"
	"fmt"
	"reflect"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/snapshot"
)

var _ = flag.Bool("update", false, "write the snapshot of the baseline's format anew")

// A baseline is committed by people and has to be readable by later versions.
func TestInterface(t *testing.T) {
	lines := append([]string{fmt.Sprintf("baseline: schema_version is %d", baselineSchema)},
		snapshot.JSON("baseline", reflect.TypeFor[baselineFile]())...)
	snapshot.Check(t, "testdata/interface.txt", lines)
}
