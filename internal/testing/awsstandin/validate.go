package awsstandin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// validate checks what core leaves to the provider. Core itself has refused
// unknown names, wrong types, missing arguments and wrong numbers of blocks as
// far as the schema tells.
func (o *objectType) validate(config tftypes.Value) []*tfprotov5.Diagnostic {
	diags := o.validateBlock(config, tftypes.NewAttributePath())
	return append(diags, o.validateRules(fields(config))...)
}

func (b *block) validateBlock(v tftypes.Value, path *tftypes.AttributePath) []*tfprotov5.Diagnostic {
	obj := fields(v)
	if obj == nil {
		return nil
	}
	var diags []*tfprotov5.Diagnostic
	for _, name := range sortedKeys(b.attributes) {
		diags = append(diags, b.attributes[name].validate(name, obj[name], path.WithAttributeName(name))...)
	}
	for _, name := range sortedKeys(b.blocks) {
		diags = append(diags, b.blocks[name].validate(name, obj[name], path.WithAttributeName(name))...)
	}
	return diags
}

func (a *attribute) validate(name string, v tftypes.Value, path *tftypes.AttributePath) []*tfprotov5.Diagnostic {
	switch {
	case a.required && v.IsNull():
		return refuse(path, "Missing required argument",
			fmt.Sprintf("The argument %q is required, but no definition was found.", name))
	case a.computed && !a.optional && !v.IsNull():
		return refuse(path, "Value for unconfigurable attribute",
			fmt.Sprintf("Can't configure a value for %q: its value will be decided automatically based on the result of applying this configuration.", name))
	case v.IsNull():
		return nil
	}
	var diags []*tfprotov5.Diagnostic
	if a.deprecated {
		diags = append(diags, deprecated(name, path))
	}
	if !v.IsKnown() {
		return diags
	}
	if l := a.limits; l != nil && (number(v) < l[0] || number(v) > l[1]) {
		diags = append(diags, refuse(path, fmt.Sprintf("expected %s to be in the range (%d - %d), got %d", sdkPath(path), l[0], l[1], number(v)), "")...)
	}
	if a.choices != nil && !slices.Contains(a.choices, text(v)) {
		diags = append(diags, refuse(path, fmt.Sprintf("expected %s to be one of %q, got %s", sdkPath(path), a.choices, text(v)), "")...)
	}
	return diags
}

func (n *nestedBlock) validate(name string, v tftypes.Value, path *tftypes.AttributePath) []*tfprotov5.Diagnostic {
	if n.mode == nestingSingle {
		return n.validateBlock(v, path)
	}
	var diags []*tfprotov5.Diagnostic
	all := elements(v)
	if n.atMostOne && len(all) > 1 {
		diags = append(diags, refuse(path, "Too many blocks", fmt.Sprintf("No more than one %q block is allowed.", name))...)
	}
	if n.deprecated && len(all) > 0 {
		diags = append(diags, deprecated(name, path))
	}
	for i, e := range all {
		p := path.WithElementKeyInt(i)
		if n.mode == nestingSet {
			p = path.WithElementKeyValue(e)
		}
		diags = append(diags, n.validateBlock(e, p)...)
	}
	return diags
}

// validateRules checks the groups of attributes and blocks.
func (o *objectType) validateRules(obj object) []*tfprotov5.Diagnostic {
	if obj == nil {
		return nil
	}
	var diags []*tfprotov5.Diagnostic
	add := func(group []string, summary, detail string) {
		path := tftypes.NewAttributePath().WithAttributeName(group[0])
		diags = append(diags, refuse(path, summary, fmt.Sprintf("%q: ", group[0])+detail)...)
	}
	conflicts := o.Conflicts
	if o.attributes["name"] != nil && o.attributes["name_prefix"] != nil {
		conflicts = append(slices.Clone(conflicts), []string{"name", "name_prefix"})
	}
	for _, g := range conflicts {
		if there, _ := count(obj, g); there > 1 {
			add(g, "Conflicting configuration arguments", "conflicts with "+strings.Join(g[1:], ", "))
		}
	}
	for _, g := range o.ExactlyOneOf {
		if there, unsure := count(obj, g); there > 1 || there+unsure == 0 {
			add(g, "Invalid combination of arguments", fmt.Sprintf("one of `%s` must be specified", strings.Join(g, ",")))
		}
	}
	for _, g := range o.AtLeastOneOf {
		if there, unsure := count(obj, g); there+unsure == 0 {
			add(g, "Missing required argument", fmt.Sprintf("one of `%s` must be specified", strings.Join(g, ",")))
		}
	}
	return diags
}

// count says how many of a group are there, and of how many that is not known.
func count(obj object, group []string) (there, unsure int) {
	for _, name := range group {
		v := obj[name]
		_, isList := v.Type().(tftypes.List)
		_, isSet := v.Type().(tftypes.Set)
		switch {
		case !v.IsKnown():
			unsure++
		case v.IsNull(), (isList || isSet) && len(elements(v)) == 0:
		default:
			there++
		}
	}
	return there, unsure
}

func refuse(path *tftypes.AttributePath, summary, detail string) []*tfprotov5.Diagnostic {
	return []*tfprotov5.Diagnostic{{Severity: tfprotov5.DiagnosticSeverityError, Summary: summary, Detail: detail, Attribute: path}}
}

func deprecated(name string, path *tftypes.AttributePath) *tfprotov5.Diagnostic {
	return &tfprotov5.Diagnostic{Severity: tfprotov5.DiagnosticSeverityWarning, Summary: "Argument is deprecated", Detail: name + " is deprecated.", Attribute: path}
}

// sdkPath writes a path as the real provider's library does:
// block_device_mappings.0.ebs.0.throughput.
func sdkPath(path *tftypes.AttributePath) string {
	var parts []string
	for _, step := range path.Steps() {
		switch s := step.(type) {
		case tftypes.AttributeName:
			parts = append(parts, string(s))
		case tftypes.ElementKeyInt:
			parts = append(parts, strconv.FormatInt(int64(s), 10))
		default:
			parts = append(parts, "*")
		}
	}
	return strings.Join(parts, ".")
}
