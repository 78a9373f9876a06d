// Package plan reads what people have written for Terraform, as a plan or state
// in JSON or as folders of configuration, and makes one model of all of them:
// instances and launch templates with their volumes, groups, hosts, and how
// they refer to each other. It judges nothing.
//
// What cannot be known is unknown, never guessed: a value from a data source, a
// variable that nobody has set, everything that Terraform marks as sensitive.
// Of a plan, only the attributes listed in schema.go are read at all, so that
// user data, tags and passwords never enter the program's memory as values.
package plan

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// File is a file of configuration.
type File struct {
	// Name as the user would write it, with slashes.
	Name string
	// Source without a byte order mark, which BOM says was there.
	Source []byte
	BOM    bool
	// JSON says that the file is in Terraform's JSON syntax.
	JSON bool

	ignores []ignore
}

// Place is where something is written. The zero Place is nowhere.
type Place struct {
	File *File
	// Line and Column count from 1; columns are characters.
	Line, Column int
	// Start and End are the bytes of the value, in an attribute; LastLine is the
	// line on which a block ends.
	Start, End, LastLine int
}

// Origin names something that a value comes from, such as a variable, and
// where it gets its value.
type Origin struct {
	Name  string
	Place Place
}

// Value is the value of an attribute with all that is known of it.
type Value[T any] struct {
	optional.Value[T]
	// Written says that the attribute stands in the configuration, as far as that
	// can be seen; a value that was not written is what the provider or AWS filled in.
	Written bool
	// Literal says that the value itself stands there, and no expression.
	Literal bool
	// Guarded says that the value comes from an object of runnerfit's own provider,
	// which has judged it.
	Guarded bool

	// source is nil where nothing is known of it, as of most values of a plan, of
	// which there are a dozen in every machine.
	source *source
}

// source is where a value stands and what it comes from.
type source struct {
	place Place
	from  []Origin
	refs  []reference
}

// Place of the attribute, or of the block that it is missing from.
func (v Value[T]) Place() Place {
	if v.source == nil {
		return Place{}
	}
	return v.source.place
}

// From is what a value that is no literal comes from.
func (v Value[T]) From() []Origin {
	if v.source == nil {
		return nil
	}
	return v.source.from
}

// refs are the resources that a value comes from.
func (v Value[T]) refs() []reference {
	if v.source == nil {
		return nil
	}
	return v.source.refs
}

// Change is what a plan does to an object.
type Change uint8

// What a plan does to an object. Configurations and states change nothing.
const (
	NoChange Change = iota
	Create
	Update
	Delete
	// Replace destroys the object before it creates the new one, ReplaceFirst after.
	Replace
	ReplaceFirst
)

// Object is a resource instance.
type Object struct {
	// Address as Terraform writes it: module.x.aws_launch_template.y["z"].
	Address string
	// Type of the resource: "aws_launch_template".
	Type string
	// Place of the block; nowhere in a plan.
	Place Place
	// Source is the name of the plan's file; empty for configuration.
	Source string
	// Region as far as the configuration says; empty if it does not.
	Region string
	Change Change
	// CreateBeforeDestroy is what the lifecycle block says; null in a plan.
	CreateBeforeDestroy Value[bool]

	// ignored are the attributes whose changes are ignored.
	ignored []string
	// config is the address without instance keys, key the last key as it is
	// written in the address: `["z"]`.
	config, key string
	// names are what others may refer to it by when they do not use a reference.
	names []string
}

// IgnoresChange says whether changes of an attribute never reach the object. It
// is false in a plan, which does not say.
func (o *Object) IgnoresChange(attribute string) bool {
	return slices.Contains(o.ignored, attribute) || slices.Contains(o.ignored, "all")
}

// Volume is one volume of a machine, or one by itself.
type Volume struct {
	// Path of the block within its resource, "root_block_device[0]"; empty for a
	// resource of its own.
	Path string
	// Block is the place of the innermost block that the settings stand in.
	Block Place
	// Kind says what is known of the volume's part without looking at device names.
	Kind VolumeKind
	// DeviceName is null for a root_block_device.
	DeviceName                   Value[string]
	Type                         Value[string]
	SizeGiB, IOPS, Throughput    Value[decimal.Decimal]
	SnapshotID                   Value[string]
	TypeAttribute, SizeAttribute string
	DefaultType                  optional.Value[string]
	Before                       *Volume
	volumeID                     Value[string]
}

// VolumeKind says how a volume is written.
type VolumeKind uint8

// How a volume is written.
const (
	// RootBlock is a block that is about the root by its name.
	RootBlock VolumeKind = iota
	// Mapping is a block device mapping, which may be about any device.
	Mapping
	// Standalone is a resource of its own.
	Standalone
)

// Guarded says whether a setting of the volume comes from a guard.
func (v *Volume) Guarded() bool {
	return v.Type.Guarded || v.SizeGiB.Guarded || v.IOPS.Guarded || v.Throughput.Guarded
}

// Machine is something that instances are launched from, or an instance.
type Machine struct {
	Object
	InstanceType Value[string]
	// OtherTypes are the instance types that groups launch this machine as, in
	// place of its own.
	OtherTypes []TypeUse
	// OwnTypeUnused says that every user of this template names a type of its own.
	OwnTypeUnused bool
	Volumes       []*Volume
	// MoreVolumes says that there may be volumes that are not known yet.
	MoreVolumes bool
	Tenancy     Value[string]
	Host        Value[string]
	HostGroup   Value[string]
	Licences    []Value[string]
	Zone        Value[string]
	// Groups that launch it.
	Groups []*Group
	// Template that an instance is launched from.
	Template *Machine
	// HostGroupObject and HostObject are what the values refer to, nil if they are
	// not in this configuration.
	HostGroupObject *HostGroup
	HostObject      *Host
	LicenceObjects  []*Licence
	// State that an aws_ec2_instance_state asks for; null if there is none.
	State       Value[string]
	StateObject *Object

	// Storage is the guard that the machine takes values from, InstanceStorage the
	// one for instances that are no Macs; nil if there is none.
	Storage         *MacStorage
	InstanceStorage *InstanceStorage

	template []Value[string]
}

// TypeUse is an instance type and the group that launches a template as it.
type TypeUse struct {
	Type Value[string]
	By   *Object
}

// Group launches machines: an Auto Scaling group, a fleet, a node group.
type Group struct {
	Object
	Min, Max, Desired Value[decimal.Decimal]
	Grace             Value[decimal.Decimal]
	Zones             []Value[string]
	Refresh           *Refresh
	Policies          []*Policy
	Schedules         []*Schedule
	Hooks             []*Hook
	// AutoScaling says that it is an Auto Scaling group.
	AutoScaling bool
	Machines    []*Machine
	// Pool is the guard that its size or grace period comes from; nil if there is none.
	Pool *MacPool

	launches []launch
	types    []Value[string]
}

// launch is a template that a group uses, with the types that it uses it for.
type launch struct {
	template []Value[string] // id, name
	types    []Value[string]
	// unknownTypes says that there are types that are not known.
	unknownTypes bool
}

// Refresh is how a group replaces its instances.
type Refresh struct {
	Place                  Place
	MinHealthy, MaxHealthy Value[decimal.Decimal]
}

// Policy is a scaling policy.
type Policy struct {
	Object
	Kind           Value[string]
	DisableScaleIn Value[bool]
	// Adjustments of simple and step policies; unknown members make the list useless.
	Adjustments                []Value[decimal.Decimal]
	AdjustmentType             Value[string]
	TargetTracking, Predictive bool
	Enabled                    Value[bool]
	group                      Value[string]
	Group                      *Group
}

// Schedule is a scheduled change of a group's size.
type Schedule struct {
	Object
	Min, Max, Desired Value[decimal.Decimal]
	group             Value[string]
}

// Hook is a lifecycle hook.
type Hook struct {
	Object
	Transition Value[string]
	Timeout    Value[decimal.Decimal]
	group      Value[string]
}

// Host is a dedicated host that is allocated by Terraform.
type Host struct {
	Object
	InstanceType, InstanceFamily Value[string]
	Zone                         Value[string]
	AutoPlacement                Value[string]
	// Groups that it is a member of.
	Groups   []*HostGroup
	Machines []*Machine
}

// HostGroup is a resource group; whether it is one of hosts is what a rule asks.
type HostGroup struct {
	Object
	Configuration []GroupConfiguration
	// Pool is the guard that a parameter comes from; nil if there is none.
	Pool *MacPool
	// MoreConfiguration says that there may be configuration that is not known yet.
	MoreConfiguration bool
	Query             bool
	Machines          []*Machine
}

// GroupConfiguration is one configuration of a resource group.
type GroupConfiguration struct {
	Place      Place
	Type       Value[string]
	Parameters []GroupParameter
	// MoreParameters says that there may be parameters that are not known yet.
	MoreParameters bool
}

// GroupParameter is a parameter of a configuration.
type GroupParameter struct {
	Name   Value[string]
	Values Value[[]string]
}

// Parameter looks a parameter of the group up. Its values are null if it is not
// there, unknown if it may be.
func (g *HostGroup) Parameter(configuration, name string) Value[[]string] {
	open := g.MoreConfiguration
	for _, c := range g.Configuration {
		typ, known := c.Type.Get()
		if !known {
			open = true
		}
		if typ != configuration {
			continue
		}
		open = open || c.MoreParameters
		for _, p := range c.Parameters {
			n, known := p.Name.Get()
			if !known {
				open = true
			}
			if n == name {
				return p.Values
			}
		}
	}
	v := Value[[]string]{source: &source{place: g.Place}}
	if open {
		v.Value = optional.Unknown[[]string]()
	}
	return v
}

// Has says whether the group has a configuration of a type; unknown if that
// cannot be told.
func (g *HostGroup) Has(configuration string) optional.Value[bool] {
	open := g.MoreConfiguration
	for _, c := range g.Configuration {
		typ, known := c.Type.Get()
		open = open || !known
		if typ == configuration {
			return optional.Known(true)
		}
	}
	if open {
		return optional.Unknown[bool]()
	}
	return optional.Known(false)
}

// Licence is a licence configuration.
type Licence struct {
	Object
	CountingType Value[string]
	Count        Value[decimal.Decimal]
	Hard         Value[bool]
	Machines     []*Machine
	// Linked says that something refers to it.
	Linked bool
}

// StandaloneVolume is a volume that is a resource of its own.
type StandaloneVolume struct {
	Object
	Volume
	Zone Value[string]
	// Machines that it is attached to. Unattached says that there is none for sure.
	Machines []*Machine
}

// Configuration is one plan, state or root module.
type Configuration struct {
	Machines   []*Machine
	Volumes    []*StandaloneVolume
	Groups     []*Group
	Hosts      []*Host
	HostGroups []*HostGroup
	Licences   []*Licence
	// Orphans are policies and schedules whose group is not known.
	Orphans []*Policy
	// IgnoreRules are the rules that the provider "runnerfit" block ignores, with
	// the reasons.
	IgnoreRules map[string]string
	// DeletedHosts are hosts that a plan releases.
	DeletedHosts []*Host
	// Guards of runnerfit's own provider.
	MacStorages      []*MacStorage
	MacPools         []*MacPool
	InstanceStorages []*InstanceStorage
}

// Problem is something that could not be read.
type Problem struct {
	File         string
	Line, Column int
	// Message is a sentence.
	Message string
}
