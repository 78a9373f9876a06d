// Package audit applies the rules to Terraform that people already have: the
// same rules as the provider's guards, on the model that internal/plan makes of
// a plan or of folders of configuration, in the words of the AWS resources.
//
// Where the guard knows because somebody has told it, the audit infers: that a
// root is restored from a snapshot, what a group is for. What it infers is a
// warning where the guard has an error, and what it cannot see it says nothing
// about.
package audit

import (
	"maps"
	"slices"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
)

// Options of an audit.
type Options struct {
	Catalog *catalog.Catalog
	// Region whose prices are used where the configuration names none; the
	// catalogue's default if empty.
	Region string
	// Ignores are rules that are not reported.
	Ignores finding.Ignores
}

// Finding is a finding in a configuration.
type Finding struct {
	output.Located
	// Place of the setting; nowhere in a plan.
	Place plan.Place
	// fix is what --fix does about it, nil if nothing.
	fix *fix
}

// Run judges a configuration. Findings that a comment in the configuration
// silences are left out. The order is that of the configuration; the writers of
// reports sort.
func Run(c *plan.Configuration, o Options) []Finding {
	if o.Region == "" {
		o.Region = catalog.DefaultRegion
	}
	a := &auditor{Options: o, c: c}
	for _, m := range c.Machines {
		a.machine(m)
	}
	for _, v := range c.Volumes {
		a.standalone(v)
	}
	for _, g := range c.Groups {
		a.group(g)
	}
	for _, h := range c.Hosts {
		a.host(h)
	}
	for _, g := range c.HostGroups {
		a.hostGroup(g)
	}
	a.licences()
	a.deleted()
	// What the guards' provider block ignores is agreed for the configuration.
	ignores := finding.Ignores{}
	maps.Copy(ignores, c.IgnoreRules)
	maps.Copy(ignores, o.Ignores)
	return slices.DeleteFunc(a.findings, func(f Finding) bool {
		return f.Place.Ignored(f.Rule) || len(ignores.Filter([]finding.Finding{f.Finding})) == 0
	})
}

// auditor is an audit in work.
type auditor struct {
	Options
	c        *plan.Configuration
	findings []Finding
	// instances are the types that were looked up: the catalogue decodes an entry
	// at each look-up, and many machines are of few types.
	instances map[string]optional.Value[catalog.Instance]
}

// instance looks a type up once; null if it is not in the table.
func (a *auditor) instance(name string) optional.Value[catalog.Instance] {
	v, seen := a.instances[name]
	if seen {
		return v
	}
	if i, ok := a.Catalog.Instance(name); ok {
		v = optional.Known(i)
	}
	if a.instances == nil {
		a.instances = map[string]optional.Value[catalog.Instance]{}
	}
	a.instances[name] = v
	return v
}

// judge judges volumes in the words of a resource.
func (a *auditor) judge(o *plan.Object, typeName, sizeName string) ebs.Judge {
	region := o.Region
	if region == "" {
		region = a.Region
	}
	return ebs.Judge{
		Catalog: a.Catalog, Limits: catalog.CurrentLimits, Region: region,
		Names: ebs.Names{Size: sizeName, IOPS: "iops", Throughput: "throughput", Type: typeName, InstanceType: "instance_type"},
	}
}

// report adds a finding about an object.
func (a *auditor) report(o *plan.Object, at plan.Place, f finding.Finding) {
	if at.File == nil {
		at = o.Place
	}
	l := output.Located{Finding: f, Address: o.Address, File: o.Source}
	if at.File != nil {
		l.File, l.Line, l.Column, l.Excerpt = at.File.Name, at.Line, at.Column, at.Excerpt()
	}
	a.findings = append(a.findings, Finding{Located: l, Place: at})
}

// under puts the path of a block before that of a setting.
func under(block, setting string) string {
	switch {
	case block == "":
		return setting
	case setting == "":
		return block
	}
	return block + "." + setting
}

// Distinct leaves out findings that are there twice: a module that several root
// modules call, or a folder that was named twice.
func Distinct(fs []Finding) []Finding {
	type key struct {
		rule, address, file, path, message string
		line                               int
	}
	seen := map[key]bool{}
	return slices.DeleteFunc(fs, func(f Finding) bool {
		k := key{f.Rule, f.Address, f.File, f.Path, f.Message, f.Line}
		if seen[k] {
			return true
		}
		seen[k] = true
		return false
	})
}
