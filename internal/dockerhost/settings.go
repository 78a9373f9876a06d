package dockerhost

import (
	"cmp"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/docker/go-units"
	yaml "go.yaml.in/yaml/v4"
)

// Bounds that no machine comes near, and within which sums do not overflow.
const (
	maxSizeBytes = 1 << 60
	maxCount     = 1 << 40
)

// uniform is a service in whose settings only one form is left of those that may
// be written: lists where one text will do, and of the environment, a list or a
// mapping, a mapping of what is read of it. A variable that is only named has the
// value that the file itself is filled in with.
func uniform(service *value, vars map[string]string) *value {
	if service.kind != yaml.MappingNode {
		return service
	}
	out := *service
	out.fields = maps.Clone(service.fields)
	if t := service.field("tmpfs"); t != nil && t.isText() {
		out.fields["tmpfs"] = &value{kind: yaml.SequenceNode, tag: t.tag, items: []*value{t}, line: t.line, elsewhere: t.elsewhere}
	}
	const variable = "NODE_OPTIONS"
	e := service.field("environment")
	if e.missing() || e.kind == yaml.ScalarNode {
		return &out
	}
	options := e.field(variable)
	for _, item := range e.items { // the last one counts
		if name, text, ok := strings.Cut(item.text, "="); name == variable {
			found := *item
			if found.text = text; !ok {
				found.tag = nullTag
			}
			options = &found
		}
	}
	if options != nil && options.tag == nullTag {
		named := *options
		named.tag, named.text = textTag, vars[variable]
		options = &named
	}
	environment := *e
	environment.kind, environment.items = yaml.MappingNode, nil
	environment.fields = map[string]*value{}
	if options != nil {
		environment.fields[variable] = options
	}
	out.fields["environment"] = &environment
	return &out
}

// services are the active services of a Compose file, sorted by name.
// The error is a *ComposeError.
func services(all *value) ([]Service, error) {
	out := []Service{}
	if all == nil {
		return out, nil
	}
	s := &settings{}
	for _, name := range slices.Sorted(maps.Keys(all.fields)) {
		if v := all.field(name); v != nil {
			service, active := s.service(name, v)
			if active {
				out = append(out, service)
			}
		}
		if s.fault != nil {
			return nil, s.fault
		}
	}
	return out, nil
}

// settings reads what services set, and keeps the first fault.
type settings struct{ fault *ComposeError }

func (s *settings) wrong(v *value, at, reason string) {
	if s.fault == nil {
		s.fault = v.fault(at, reason)
	}
}

// service reads a service, and whether it is active: it has no profile.
func (s *settings) service(name string, v *value) (Service, bool) {
	at := "services." + name
	if v.kind != yaml.MappingNode {
		s.wrong(v, at, "a mapping is expected")
		return Service{}, false
	}
	s.names(v, at, "cpus", "deploy", "environment", "extends", "mem_limit", "mem_reservation", "pids_limit", "profiles", "scale", "tmpfs", "ulimits", "volumes")
	number := func(of *value, below, name string, read func(*value, string) int64) int64 {
		return read(of.field(name), at+below+"."+name)
	}
	out := Service{
		Name:             name,
		Replicas:         1,
		MemoryLimitBytes: max(0, number(v, "", "mem_limit", s.size)), // a negative one is none
		ReservationBytes: number(v, "", "mem_reservation", s.size),
		PidsLimit:        number(v, "", "pids_limit", s.whole),
		CPUs:             s.cpus(v.field("cpus"), at+".cpus"),
		FilesLimit:       s.ulimit(v, at, "nofile"),
		ProcessesLimit:   s.ulimit(v, at, "nproc"),
	}
	deploy := s.mapping(v.field("deploy"), at+".deploy", "replicas", "resources")
	for _, replicas := range []struct {
		of    *value
		below string
		name  string
	}{{deploy, ".deploy", "replicas"}, {v, "", "scale"}} {
		if replicas.of.field(replicas.name) != nil {
			out.Replicas = number(replicas.of, replicas.below, replicas.name, s.count)
		}
	}
	resources := s.mapping(deploy.field("resources"), at+".deploy.resources", "limits", "reservations")
	const below = ".deploy.resources.limits"
	limits := s.mapping(resources.field("limits"), at+below, "cpus", "memory", "pids")
	reservations := s.mapping(resources.field("reservations"), at+".deploy.resources.reservations", "cpus", "memory")
	memory, pids, cpus := number(limits, below, "memory", s.size), number(limits, below, "pids", s.whole), s.cpus(limits.field("cpus"), at+below+".cpus")
	reserved := number(reservations, ".deploy.resources.reservations", "memory", s.size)

	profiles := s.texts(v.field("profiles"), at+".profiles")
	active := len(profiles) == 0
	// The newer way to write the same. Compose takes both at once only when they
	// agree, and one that the newer way leaves out does not.
	for _, both := range []struct {
		older, newer string
		differ       bool
	}{
		{"scale", "deploy.replicas", v.field("scale") != nil && deploy.field("replicas") != nil && out.Replicas != number(deploy, ".deploy", "replicas", s.count)},
		{"mem_limit", "deploy.resources.limits.memory", limits != nil && out.MemoryLimitBytes != 0 && out.MemoryLimitBytes != memory},
		{"mem_reservation", "deploy.resources.reservations.memory", reservations != nil && out.ReservationBytes != 0 && out.ReservationBytes != reserved},
		{"pids_limit", "deploy.resources.limits.pids", limits != nil && out.PidsLimit != 0 && out.PidsLimit != pids},
		{"cpus", "deploy.resources.limits.cpus", limits != nil && out.CPUs != 0 && out.CPUs != cpus},
	} {
		if both.differ && active {
			s.wrong(v.field(both.older), at+"."+both.older, both.newer+" is not the same")
		}
	}
	out.MemoryLimitBytes = max(out.MemoryLimitBytes, memory)
	out.ReservationBytes = cmp.Or(out.ReservationBytes, reserved)
	out.PidsLimit = cmp.Or(out.PidsLimit, pids)
	out.CPUs = cmp.Or(out.CPUs, cpus)

	s.mounts(&out, v, at)
	environment := v.field("environment")
	if !environment.missing() && environment.kind != yaml.MappingNode {
		s.wrong(environment, at+".environment", "a list or a mapping is expected")
	}
	if options := environment.field("NODE_OPTIONS"); options != nil {
		out.NodeHeapMiB = NodeHeap(options.text)
	}
	return out, active
}

// mounts reads tmpfs and volumes. Of several at one place the last one counts.
func (s *settings) mounts(out *Service, v *value, at string) {
	tmpfs := map[string]string{}
	for _, text := range s.texts(v.field("tmpfs"), at+".tmpfs") {
		target, options, _ := strings.Cut(text, ":")
		tmpfs[path.Clean(target)] = options
	}
	for _, options := range tmpfs {
		out.AddTmpfs(options)
	}
	var targets []string
	volumes := map[string]mount{}
	for _, item := range s.list(v.field("volumes"), at+".volumes") {
		m, ok := s.mount(item, at+".volumes")
		if !ok {
			return
		}
		if _, again := volumes[m.target]; !again {
			targets = append(targets, m.target)
		}
		volumes[m.target] = m
	}
	for _, target := range targets {
		switch m := volumes[target]; {
		case m.kind == "tmpfs":
			out.addTmpfs(m.sizeBytes)
		case m.kind == "bind" && !isSocket(target):
			out.BindMounts = append(out.BindMounts, target)
		}
	}
}

// mount is an entry of volumes.
type mount struct {
	// kind is "bind", "tmpfs" or another.
	kind, target string
	sizeBytes    int64 // of a tmpfs; 0 if it is not set
}

func (s *settings) mount(v *value, at string) (mount, bool) {
	if v.kind == yaml.MappingNode {
		kind, target := v.field("type"), v.field("target")
		if kind == nil || !kind.isText() || target == nil || !target.isText() {
			s.wrong(v, at, "a type and a target are expected")
			return mount{}, false
		}
		m := mount{kind: kind.text, target: path.Clean(target.text)}
		if m.kind == "tmpfs" {
			m.sizeBytes = s.size(s.mapping(v.field("tmpfs"), at+".tmpfs").field("size"), at+".tmpfs.size")
		}
		return m, true
	}
	m, ok := shortMount(v.text)
	if !v.isText() || !ok {
		s.wrong(v, at, "SOURCE:TARGET is expected, or an object of type and target")
		return mount{}, false
	}
	return m, true
}

// shortMount reads "./src:/src:ro". A source that is a path makes it a folder of
// the host, any other is the name of a volume.
func shortMount(text string) (mount, bool) {
	if text == "" {
		return mount{}, false
	}
	if len(text) <= 2 {
		return mount{kind: "volume", target: path.Clean(text)}, true
	}
	var parts []string
	drive := "" // "C:" of a path of Windows
	for part := range strings.SplitSeq(text, ":") {
		if drive == "" && len(part) == 1 && isLetter(part[0]) {
			drive = part + ":"
			continue
		}
		if drive+part == "" {
			return mount{}, false
		}
		parts, drive = append(parts, drive+part), ""
	}
	if drive != "" {
		parts = append(parts, drive[:1])
	}
	switch {
	case len(parts) == 1:
		return mount{kind: "volume", target: path.Clean(parts[0])}, true
	case len(parts) > 3:
		return mount{}, false
	}
	m := mount{kind: "volume", target: path.Clean(parts[1])}
	source := parts[0]
	if strings.ContainsRune("./~", rune(source[0])) || strings.HasPrefix(source, `\\`) || len(source) > 1 && isLetter(source[0]) && source[1] == ':' {
		m.kind = "bind"
	}
	return m, true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// names complains about a setting that is all but one of those that are read: a
// limit that is misspelt is none.
func (s *settings) names(v *value, at string, known ...string) {
	const longest = 30
	for _, name := range slices.Sorted(maps.Keys(v.fields)) {
		if slices.Contains(known, name) || len(name) > longest || !isName(name) {
			continue
		}
		for _, k := range known {
			far := 2
			if len(k) < 6 {
				far = 1
			}
			if levenshtein.ComputeDistance(name, k) <= far {
				s.wrong(v.fields[name], at+"."+name, "there is no such setting, "+k+" is meant")
			}
		}
	}
}

// mapping is a value that has to be a mapping, if there is one.
func (s *settings) mapping(v *value, at string, known ...string) *value {
	switch {
	case v.missing():
		return nil
	case v.kind != yaml.MappingNode:
		s.wrong(v, at, "a mapping is expected")
		return nil
	}
	s.names(v, at, known...)
	return v
}

// list are the items of a value that has to be a list, if there is one.
func (s *settings) list(v *value, at string) []*value {
	if v.missing() {
		return nil
	}
	if v.kind != yaml.SequenceNode {
		s.wrong(v, at, "a list is expected")
	}
	return v.items
}

func (s *settings) texts(v *value, at string) []string {
	var out []string
	for _, item := range s.list(v, at) {
		if !item.isText() {
			s.wrong(item, at, "a list of texts is expected")
		}
		out = append(out, item.text)
	}
	return out
}

// whole is a whole number; 0 if there is none.
func (s *settings) whole(v *value, at string) int64 {
	if v == nil {
		return 0
	}
	var n int64
	err := strconv.ErrSyntax
	switch {
	case v.kind == yaml.ScalarNode && v.tag == intTag:
		n, err = strconv.ParseInt(strings.ReplaceAll(v.text, "_", ""), 0, 64)
	case v.isText():
		n, err = strconv.ParseInt(v.text, 10, 64)
	}
	if err != nil || n > maxSizeBytes || n < -maxSizeBytes {
		s.wrong(v, at, "a whole number is expected")
		return 0
	}
	return n
}

// count is a whole number that is not negative.
func (s *settings) count(v *value, at string) int64 {
	n := s.whole(v, at)
	if n < 0 || n > maxCount {
		s.wrong(v, at, "a whole number from 0 is expected")
		return 0
	}
	return n
}

// size is a number of bytes, of which 1g is 1 GiB; 0 if there is none.
func (s *settings) size(v *value, at string) int64 {
	if v == nil {
		return 0
	}
	var n int64
	err := strconv.ErrSyntax
	switch {
	case v.kind == yaml.ScalarNode && v.tag == intTag:
		return s.whole(v, at)
	case v.isText():
		if n, err = strconv.ParseInt(v.text, 10, 64); err != nil {
			n, err = units.RAMInBytes(v.text)
			if n < 0 { // it does not fit
				err = strconv.ErrRange
			}
		}
	}
	if err != nil || n > maxSizeBytes || n < -maxSizeBytes {
		s.wrong(v, at, "a size such as 512m is expected")
		return 0
	}
	return n
}

// cpus is a number of CPUs; 0 if there is none.
func (s *settings) cpus(v *value, at string) float64 {
	if v == nil {
		return 0
	}
	n, err := strconv.ParseFloat(v.text, 64)
	if !v.isText() && v.tag != intTag && v.tag != floatTag || err != nil || !(n >= 0) || n > math.MaxInt32 {
		s.wrong(v, at, "a number of CPUs such as 1.5 is expected")
		return 0
	}
	return n
}

// ulimit is the limit that holds, the soft one; 0 if there is none.
func (s *settings) ulimit(service *value, at, name string) int64 {
	v := s.mapping(service.field("ulimits"), at+".ulimits").field(name)
	if v == nil || v.kind != yaml.MappingNode {
		return s.whole(v, at+".ulimits."+name)
	}
	if v.field("soft") == nil {
		s.wrong(v, at+".ulimits."+name, "soft and hard are expected")
	}
	return s.whole(v.field("soft"), at+".ulimits."+name+".soft")
}
