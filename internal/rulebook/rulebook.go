// Package rulebook is the list of all rules, whatever subject they belong to.
package rulebook

import (
	"sync"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
)

// Registry returns the rules of every subject.
var Registry = sync.OnceValue(func() *finding.Registry {
	return finding.NewRegistry(ebs.Rules(), mac.Rules())
})
