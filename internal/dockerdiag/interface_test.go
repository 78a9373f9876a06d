package dockerdiag

import (
	"reflect"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/snapshot"
)

// Programs read these members.
func TestInterface(t *testing.T) {
	snapshot.Check(t, "testdata/interface.txt", snapshot.JSON("json of diagnose docker", reflect.TypeFor[reportJSON]()))
}
