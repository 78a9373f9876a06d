package composefile

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

// nodeOptions is the variable that is read of an environment.
const nodeOptions = "NODE_OPTIONS"

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
	e := service.field("environment")
	if e.missing() || e.kind == yaml.ScalarNode {
		return &out
	}
	options := e.field(nodeOptions)
	for _, item := range e.items { // the last one counts
		if name, text, ok := strings.Cut(item.text, "="); name == nodeOptions {
			found := *item
			if found.text = text; !ok {
				found.tag = nullTag
			}
			options = &found
		}
	}
	if options != nil && options.tag == nullTag {
		named := *options
		named.tag, named.text = textTag, vars[nodeOptions]
		options = &named
	}
	environment := *e
	environment.kind, environment.items = yaml.MappingNode, nil
	environment.fields = map[string]*value{}
	if options != nil {
		environment.fields[nodeOptions] = options
	}
	out.fields["environment"] = &environment
	return &out
}

// services are the active services of a Compose file, sorted by name.
// The error is a *Error.
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
type settings struct{ fault *Error }

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
	ulimits := s.mapping(v, at, "ulimits")
	out := Service{
		Name:             name,
		Replicas:         1,
		MemoryLimitBytes: max(0, s.size(v, at, "mem_limit")), // a negative one is none
		ReservationBytes: s.size(v, at, "mem_reservation"),
		PidsLimit:        s.whole(v, at, "pids_limit"),
		CPUs:             s.cpus(v, at, "cpus"),
		FilesLimit:       s.ulimit(ulimits, at+".ulimits", "nofile"),
		ProcessesLimit:   s.ulimit(ulimits, at+".ulimits", "nproc"),
	}
	// The newer way to write the same.
	deploy := s.mapping(v, at, "deploy", "replicas", "resources")
	resources := s.mapping(deploy, at+".deploy", "resources", "limits", "reservations")
	limits := s.mapping(resources, at+".deploy.resources", "limits", "cpus", "memory", "pids")
	reservations := s.mapping(resources, at+".deploy.resources", "reservations", "cpus", "memory")
	memory := s.size(limits, at+".deploy.resources.limits", "memory")
	pids := s.whole(limits, at+".deploy.resources.limits", "pids")
	cpus := s.cpus(limits, at+".deploy.resources.limits", "cpus")
	reserved := s.size(reservations, at+".deploy.resources.reservations", "memory")
	scale, replicas := s.count(v, at, "scale"), s.count(deploy, at+".deploy", "replicas")
	switch {
	case v.field("scale") != nil:
		out.Replicas = scale
	case deploy.field("replicas") != nil:
		out.Replicas = replicas
	}

	active := len(s.texts(v, at, "profiles")) == 0
	differs := func(older, newer string) {
		s.wrong(v.field(older), at+"."+older, "deploy."+newer+" is not the same")
	}
	// Compose takes both ways at once only when they agree, and a limit that the
	// newer one leaves out beside others does not.
	switch {
	case !active: // Compose does not look, so neither do we
	case deploy.field("replicas") != nil && out.Replicas != replicas:
		differs("scale", "replicas")
	case limits != nil && out.MemoryLimitBytes != 0 && out.MemoryLimitBytes != memory:
		differs("mem_limit", "resources.limits.memory")
	case reservations != nil && out.ReservationBytes != 0 && out.ReservationBytes != reserved:
		differs("mem_reservation", "resources.reservations.memory")
	case limits != nil && out.PidsLimit != 0 && out.PidsLimit != pids:
		differs("pids_limit", "resources.limits.pids")
	case limits != nil && out.CPUs != 0 && out.CPUs != cpus:
		differs("cpus", "resources.limits.cpus")
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
	if options := environment.field(nodeOptions); options != nil {
		out.NodeHeapMiB = NodeHeap(options.text)
	}
	return out, active
}

// mounts reads tmpfs and volumes. Of several at one place the last one counts.
func (s *settings) mounts(out *Service, v *value, at string) {
	tmpfs := map[string]string{}
	for _, text := range s.texts(v, at, "tmpfs") {
		target, options, _ := strings.Cut(text, ":")
		tmpfs[path.Clean(target)] = options
	}
	for _, options := range tmpfs {
		out.AddTmpfs(options)
	}
	var targets []string
	volumes := map[string]mount{}
	for _, item := range s.list(v, at, "volumes") {
		m := s.mount(item, at+".volumes")
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

func (s *settings) mount(v *value, at string) mount {
	if v.kind != yaml.MappingNode {
		m, ok := shortMount(v.text)
		if !v.isText() || !ok {
			s.wrong(v, at, "SOURCE:TARGET is expected, or an object of type and target")
		}
		return m
	}
	kind, target := v.field("type"), v.field("target")
	if kind == nil || !kind.isText() || target == nil || !target.isText() {
		s.wrong(v, at, "a type and a target are expected")
		return mount{}
	}
	m := mount{kind: kind.text, target: path.Clean(target.text)}
	if m.kind == "tmpfs" {
		m.sizeBytes = s.size(s.mapping(v, at, "tmpfs"), at+".tmpfs", "size")
	}
	return m
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
			// Short names have neighbours, as cpus has gpus.
			d := levenshtein.ComputeDistance(name, k)
			if d == 1 && (len(k) > 5 || len(name) != len(k)) || d == 2 && len(k) > 5 {
				s.wrong(v.fields[name], at+"."+name, "there is no such setting, "+k+" is meant")
			}
		}
	}
}

// mapping is a setting that has to be a mapping; nil if there is none.
func (s *settings) mapping(of *value, at, name string, known ...string) *value {
	v := of.field(name)
	if v.missing() {
		return nil
	}
	if v.kind != yaml.MappingNode {
		s.wrong(v, at+"."+name, "a mapping is expected")
		return nil
	}
	s.names(v, at+"."+name, known...)
	return v
}

// list are the items of a setting that has to be a list.
func (s *settings) list(of *value, at, name string) []*value {
	v := of.field(name)
	if v.missing() {
		return nil
	}
	if v.kind != yaml.SequenceNode {
		s.wrong(v, at+"."+name, "a list is expected")
	}
	return v.items
}

// texts are the items of a setting that has to be a list of texts.
func (s *settings) texts(of *value, at, name string) []string {
	var out []string
	for _, item := range s.list(of, at, name) {
		if !item.isText() {
			s.wrong(item, at+"."+name, "a list of texts is expected")
		}
		out = append(out, item.text)
	}
	return out
}

// whole is a setting that has to be a whole number; 0 if there is none.
func (s *settings) whole(of *value, at, name string) int64 {
	v := of.field(name)
	if v == nil {
		return 0
	}
	n, err := v.integer()
	if err != nil || n > maxSizeBytes || n < -maxSizeBytes {
		s.wrong(v, at+"."+name, "a whole number is expected")
		return 0
	}
	return n
}

// count is a whole number that is not negative.
func (s *settings) count(of *value, at, name string) int64 {
	n := s.whole(of, at, name)
	if n < 0 || n > maxCount {
		s.wrong(of.field(name), at+"."+name, "a whole number from 0 is expected")
		return 0
	}
	return n
}

// size is a setting in bytes, of which 1g is 1 GiB; 0 if there is none.
func (s *settings) size(of *value, at, name string) int64 {
	v := of.field(name)
	if v == nil {
		return 0
	}
	n, err := v.integer()
	if err != nil && v.isText() {
		n, err = units.RAMInBytes(v.text)
		if n < 0 { // it does not fit
			err = strconv.ErrRange
		}
	}
	if err != nil || n > maxSizeBytes || n < -maxSizeBytes {
		s.wrong(v, at+"."+name, "a size such as 512m is expected")
		return 0
	}
	return n
}

// cpus is a setting in CPUs; 0 if there is none.
func (s *settings) cpus(of *value, at, name string) float64 {
	v := of.field(name)
	if v == nil {
		return 0
	}
	n, err := strconv.ParseFloat(v.text, 64)
	if !v.isText() && v.tag != intTag && v.tag != floatTag || err != nil || !(n >= 0 && n <= math.MaxInt32) {
		s.wrong(v, at+"."+name, "a number of CPUs such as 1.5 is expected")
		return 0
	}
	return n
}

// ulimit is the limit that holds, the soft one; 0 if there is none.
func (s *settings) ulimit(of *value, at, name string) int64 {
	v := of.field(name)
	if v == nil || v.kind != yaml.MappingNode {
		return s.whole(of, at, name)
	}
	if v.field("soft") == nil {
		s.wrong(v, at+"."+name, "soft and hard are expected")
	}
	return s.whole(v, at+"."+name, "soft")
}
