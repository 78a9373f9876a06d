// Package rulebook is the list of all rules, whatever subject they belong to.
package rulebook

import (
	"sync"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/actionscache"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/audit"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerhost"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/jobdisk"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/runnerlabel"
)

// Registry returns the rules of every subject.
var Registry = sync.OnceValue(func() *finding.Registry {
	return finding.NewRegistry(ebs.Rules(), jobdisk.Rules(), mac.Rules(), runnerlabel.Rules(), hostpool.Rules(), dockerhost.Rules(), actionscache.Rules(), audit.Rules())
})
