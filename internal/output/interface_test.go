package output

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/snapshot"
)

// Programs read these members.
func TestInterface(t *testing.T) {
	lines := append([]string{fmt.Sprintf("json of findings: schema_version is %d", schemaVersion)},
		snapshot.JSON("json of findings", reflect.TypeFor[jsonReport]())...)
	snapshot.Check(t, "testdata/interface.txt", lines)
}
