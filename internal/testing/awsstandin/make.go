package awsstandin

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// accountID is the account that everything is made in.
const accountID = "123456789012"

// maker makes up the values of one object that nobody has given. The same
// object gets the same values in every run.
type maker struct {
	*objectType
	// region is the provider's; an object may have its own.
	region  string
	anyType map[string]any
	// seed is what ids and the like are derived from.
	seed string
	// obj is the object so far and prior what it was before; nil if it is new.
	obj, prior object
	// missing says which values are to be made up.
	missing func(*attribute, tftypes.Value) bool
}

// isUnknown is what is missing in a plan.
func isUnknown(_ *attribute, v tftypes.Value) bool { return !v.IsKnown() }

// isComputedNull is what is missing in a configuration.
func isComputedNull(a *attribute, v tftypes.Value) bool {
	return a.computed && !a.writeOnly && v.IsNull()
}

func (s *server) maker(o *objectType, seed string, obj, prior object, missing func(*attribute, tftypes.Value) bool) *maker {
	return &maker{objectType: o, region: s.region, anyType: s.anyType, seed: seed, obj: obj, prior: prior, missing: missing}
}

// prefixed are names that the provider makes from a prefix when they are left
// out. Other values contain them, so that they come first.
var prefixed = [][2]string{
	{"name", "name_prefix"}, {"bucket", "bucket_prefix"}, {"node_group_name", "node_group_name_prefix"},
}

// make returns the object with everything that was missing.
func (m *maker) make() tftypes.Value {
	m.setIfMissing("region", m.region)
	for _, names := range prefixed {
		m.makeName(names[0], names[1])
	}
	if m.name == launchTemplate && m.prior != nil {
		version := number(m.prior["latest_version"]) + 1
		m.setIfMissing("latest_version", version)
		m.setIfMissing("default_version", version)
	}
	if m.name == ebsVolume && text(m.obj["type"]) == "gp3" { // what is left out is the free baseline
		m.setIfMissing("iops", 3000)
		m.setIfMissing("throughput", 125)
	}
	if strings.Contains(m.id, "{arn}") {
		m.setIfMissing("arn", m.makeARN())
	}
	m.setIfMissing("id", m.makeID())
	m.setIfMissing("arn", m.makeARN())
	return m.makeBlock(m.block, tftypes.NewValue(m.typ, m.obj))
}

func (m *maker) setIfMissing(name string, v any) {
	if a := m.attributes[name]; a != nil && m.missing(a, m.obj[name]) {
		m.obj[name] = toValue(a.typ, v)
	}
}

func (m *maker) makeName(name, prefix string) {
	if m.attributes[name] == nil || m.attributes[prefix] == nil {
		return
	}
	given := text(m.obj[prefix])
	if given == "" {
		given = "terraform-"
	}
	m.setIfMissing(name, m.expand(given+"2025010100000000{digits}"))
	m.setIfMissing(prefix, "")
}

func (m *maker) makeID() string {
	if m.id == "" {
		return m.expand("{h17}")
	}
	return m.expand(m.id)
}

func (m *maker) makeARN() string {
	if m.arn == "" {
		return m.expand("arn:aws:standin:{region}:{account}:" + strings.TrimPrefix(m.name, "aws_") + "/{h17}")
	}
	return m.expand(m.arn)
}

func (m *maker) makeBlock(b *block, v tftypes.Value) tftypes.Value {
	obj := fields(v)
	if obj == nil {
		return v
	}
	for name, a := range b.attributes {
		if m.missing(a, obj[name]) {
			obj[name] = m.makeValue(name, a)
		}
	}
	for name, n := range b.blocks {
		obj[name] = m.makeNested(n, obj[name])
	}
	return tftypes.NewValue(b.typ, obj)
}

// makeNested makes all blocks of one name inside a block.
func (m *maker) makeNested(n *nestedBlock, v tftypes.Value) tftypes.Value {
	switch {
	case !v.IsKnown() && n.mode == nestingSingle:
		return null(v.Type())
	case !v.IsKnown() && !n.isFilled:
		return tftypes.NewValue(v.Type(), []tftypes.Value{})
	case !v.IsKnown():
		return tftypes.NewValue(v.Type(), []tftypes.Value{m.makeBlock(n.block, n.unknownAttributes())})
	case v.IsNull():
		return v
	case n.mode == nestingSingle:
		return m.makeBlock(n.block, v)
	}
	all := elements(v)
	for i, e := range all {
		all[i] = m.makeBlock(n.block, e)
	}
	return tftypes.NewValue(v.Type(), all)
}

// unknownAttributes is a block of which nothing is known but that it is there.
func (b *block) unknownAttributes() tftypes.Value {
	obj := b.absent()
	for name, a := range b.attributes {
		obj[name] = unknown(a.typ)
	}
	return tftypes.NewValue(b.typ, obj)
}

// makeValue makes up an attribute's value.
func (m *maker) makeValue(name string, a *attribute) tftypes.Value {
	for _, v := range []any{a.fallback, a.value} {
		if v != nil {
			return toValue(a.typ, v)
		}
	}
	general := m.anyType[name]
	switch {
	case a.typ.Is(tftypes.String):
		if s, ok := general.(string); ok {
			return str(s)
		}
		return str(m.makeText(name, a))
	case a.typ.Is(tftypes.Number):
		if n, ok := general.(float64); ok {
			return toValue(a.typ, n)
		}
		if smallest := m.obj["min_size"]; name == "desired_capacity" && present(smallest) {
			return smallest
		}
	}
	return empty(a.typ)
}

// idPrefixes are the prefixes of ids by the end of the attribute's name.
var idPrefixes = []struct{ suffix, prefix string }{
	{"security_group_id", "sg-"},
	{"route_table_id", "rtb-"},
	{"network_acl_id", "acl-"},
	{"dhcp_options_id", "dopt-"},
	{"vpc_id", "vpc-"},
	{"subnet_id", "subnet-"},
	{"volume_id", "vol-"},
	{"snapshot_id", "snap-"},
	{"network_interface_id", "eni-"},
	{"host_id", "h-"},
	{"instance_id", "i-"},
	{"image_id", "ami-"},
	{"launch_template_id", "lt-"},
	{"rule_id", "sgr-"},
	{"allocation_id", "eipalloc-"},
}

// makeText makes up a string that no table has a value for.
func (m *maker) makeText(name string, a *attribute) string {
	switch {
	case name == "availability_zone":
		return m.expand("{region}a")
	case name == "availability_zone_id":
		return "use1-az1"
	case name == "unique_id", name == "role_unique_id":
		return "AROA" + strings.ToUpper(digest(m.seed)[:17])
	case a.optional: // Left out of the configuration, so nothing is there.
		return ""
	case name == "arn":
		return m.makeARN()
	case strings.HasSuffix(name, "_arn"):
		return m.expand("arn:aws:standin:{region}:{account}:" + strings.TrimSuffix(name, "_arn") + "/{h17}")
	case strings.HasSuffix(name, "_id"):
		for _, p := range idPrefixes {
			if strings.HasSuffix(name, p.suffix) {
				return m.expand(p.prefix + "{h17}")
			}
		}
		return m.expand("{h17}")
	}
	return ""
}

var (
	placeholder = regexp.MustCompile(`\{[a-z0-9_]+\}`)
	hexDigits   = regexp.MustCompile(`^h[0-9]+$`)
)

// expand fills in a template. {h17} is 17 hexadecimal digits, {digits} a decimal
// number and {uuid} a UUID, all made from the seed; {region} and {account} are
// the object's; any other name is an attribute of the object.
func (m *maker) expand(template string) string {
	d := digest(m.name + "|" + m.seed + "|" + template)
	return placeholder.ReplaceAllStringFunc(template, func(found string) string {
		name := found[1 : len(found)-1]
		switch {
		case hexDigits.MatchString(name):
			n, _ := strconv.Atoi(name[1:]) // The pattern lets nothing but digits through.
			return d[:n]
		case name == "digits":
			n, _ := strconv.ParseUint(d[:8], 16, 32) // Eight hexadecimal digits.
			return strconv.FormatUint(n, 10)
		case name == "uuid":
			return d[:8] + "-" + d[8:12] + "-4" + d[13:16] + "-8" + d[17:20] + "-" + d[20:32]
		case name == "account":
			return accountID
		case name == "region":
			if own := text(m.obj["region"]); own != "" {
				return own
			}
			return m.region
		}
		return text(m.obj[name])
	})
}

func digest(s string) string {
	d := sha256.Sum256([]byte(s))
	return hex.EncodeToString(d[:])
}
