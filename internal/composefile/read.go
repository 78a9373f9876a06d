// Package composefile reads of a Compose file what the rules of Docker hosts need:
// the services with their limits, with variables, extends and include followed.
// What it does not read it does not judge; docker compose config does that.
//
// Compose's own library checks a file against a JSON schema whose mere import
// takes longer than all else that this program does before it answers. So only
// its variables come from there. Tests hold what is read against the library.
package composefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/sirupsen/logrus"
	yaml "go.yaml.in/yaml/v4"
)

// MaxBytes is the most that is read of a Compose file.
const MaxBytes = 1 << 20

// Error says why a Compose file cannot be read. It quotes nothing of the
// file, which may hold secrets, but names of services and variables.
type Error struct {
	// Line in the file, 0 if it is not known.
	Line int
	// Elsewhere says that the line is one of a file that the Compose file names.
	Elsewhere bool
	// Setting at fault, "services.web.mem_limit"; empty if it is not known.
	Setting string
	// Reason is what is wrong there: "a whole number is expected".
	Reason string
	// Problem where it is not at a place: "is empty".
	Problem string
	// Empty names variables without a value, which may be the cause, and says what
	// to do about them.
	Empty string
}

// Error has neither the name of the file nor a full stop.
func (e *Error) Error() string {
	problem := e.Problem
	if problem == "" {
		problem = "is not a valid Compose file"
	}
	const longest = 200
	var at []string
	if e.Setting != "" {
		at = append(at, e.Setting[:min(len(e.Setting), longest)])
	}
	if e.Line > 0 {
		line := fmt.Sprintf("line %d", e.Line)
		if e.Elsewhere {
			line += " of a file that it names"
		}
		at = append(at, line)
	}
	if len(at) > 0 {
		problem += " (" + strings.Join(at, ", ") + ")"
	}
	if e.Reason != "" {
		problem += ": " + e.Reason
	}
	switch {
	case e.Empty != "":
		problem += ", perhaps because of " + e.Empty
	case e.Problem == "" && e.Reason == "":
		problem += "; docker compose config says what is wrong"
	}
	return problem
}

// quietLogger keeps the library of variables from writing to standard error,
// which in a plugin belongs to the log and in the command line to us.
var quietLogger = sync.OnceFunc(func() { logrus.SetOutput(io.Discard) })

// Read reads the services of a Compose file, those of inactive profiles
// left out, sorted by name. No other file is opened unless name is an absolute
// path, whose folder then holds what "include" and "extends" name; env_file is
// never opened. Variables come from env alone, never from this process. It
// judges only what a Service holds, and returns a *Error.
func Read(ctx context.Context, name string, content []byte, env map[string]string) ([]Service, error) {
	quietLogger()
	switch {
	case len(content) > MaxBytes:
		return nil, &Error{Problem: fmt.Sprintf("is larger than %d MiB, which is no Compose file", MaxBytes>>20)}
	case len(strings.TrimSpace(string(content))) == 0:
		return nil, &Error{Problem: "is empty"}
	case strings.ContainsRune(string(content), 0):
		return nil, &Error{Problem: "is a binary file"}
	}
	r := &reading{local: filepath.IsAbs(name), stopped: ctx.Err, empty: emptyVariables{}}
	all, err := r.file(content, place{dir: filepath.Dir(name), vars: env, chain: []string{filepath.Clean(name)}, bases: map[string]*group{}})
	var found []Service
	if err == nil {
		found, err = services(all)
	}
	if fault, ok := errors.AsType[*Error](err); ok && fault.Problem == "" {
		fault.Empty = r.explanation()
	}
	return found, err
}

// reading is one reading of a Compose file and of those that it names.
type reading struct {
	// local says that other files may be opened.
	local bool
	// stopped says why to stop.
	stopped func() error
	empty   emptyVariables
	// What has been spent, so that it ends.
	values, filling, files int
}

// toDo is what to do about a variable without a value.
func (r *reading) toDo() string {
	if r.local {
		return "write it into .env beside the file"
	}
	return "give it a default in the text, as in ${NAME:-default}"
}

// explanation names the variables without a value: most often it is one of them.
func (r *reading) explanation() string {
	switch len(r.empty) {
	case 0:
		return ""
	case 1:
		return r.empty.names() + ", which has no value; " + r.toDo()
	}
	return r.empty.names() + ", which have no value; " + strings.Replace(r.toDo(), "it ", "them ", 1)
}

// place is how a file was reached.
type place struct {
	// dir is what the paths in it are relative to.
	dir  string
	vars map[string]string
	// chain are the files that include one another, the file itself last.
	chain []string
	// bases are the files whose services were extended, by their path. What is in
	// them depends on the variables.
	bases map[string]*group
}

// elsewhere says that the file is not the one that was given.
func (p place) elsewhere() bool { return len(p.chain) > 1 }

// file reads the services of a file: a mapping, nil if it has none. A service
// that is included is overridden by one of the file itself, and a document
// overrides those before it.
func (r *reading) file(content []byte, at place) (*value, error) {
	documents, err := r.documents(content, at.vars, at.elsewhere())
	if err != nil {
		return nil, err
	}
	if !at.elsewhere() && !slices.ContainsFunc(documents, func(d *value) bool { return d.field("services") != nil || d.field("include") != nil }) {
		return nil, &Error{Reason: "there are no services in it"}
	}
	var all *value
	for _, d := range documents {
		services := d.field("services")
		if include := d.field("include"); r.local && !include.missing() {
			if include.kind != yaml.SequenceNode {
				return nil, include.fault("include", "a list is expected")
			}
			for _, entry := range include.items {
				included, err := r.include(entry, at)
				if err != nil {
					return nil, err
				}
				if services, err = r.merged(included, services); err != nil {
					return nil, err
				}
			}
		}
		if services, err = r.extended(services, at); err != nil {
			return nil, err
		}
		if all, err = r.merged(all, services); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// documents are the documents of a file, mappings all of them. What has several
// forms in their services has one.
func (r *reading) documents(content []byte, vars map[string]string, elsewhere bool) ([]*value, error) {
	ns, err := nodes(content, elsewhere)
	if err != nil {
		return nil, err
	}
	t := &tree{reading: r, vars: vars, elsewhere: elsewhere, open: map[*yaml.Node]bool{}}
	var out []*value
	for _, n := range ns {
		d, err := t.value(n)
		if err != nil {
			return nil, err
		}
		if d.kind != yaml.MappingNode {
			return nil, d.fault("", "a mapping is expected, with services in it")
		}
		if services := d.field("services"); services != nil {
			if services.kind != yaml.MappingNode {
				return nil, services.fault("services", "a mapping is expected")
			}
			for _, name := range slices.Sorted(maps.Keys(services.fields)) {
				s := services.fields[name]
				if !isName(name) {
					return nil, s.fault("services", "the name of a service has letters, digits, dots, hyphens and underscores")
				}
				services.fields[name] = uniform(s, vars)
			}
		}
		out = append(out, d)
	}
	return out, nil
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// group are the services of a document, whose "extends" is followed on demand.
type group struct {
	services map[string]*value
	at       place
	// following are those whose "extends" is on the way, done those that are whole,
	// and bases the latter as others extend them.
	following, done map[string]bool
	bases           map[string]*value
}

func newGroup(services *value, at place) *group {
	return &group{services: maps.Clone(services.fields), at: at, following: map[string]bool{}, done: map[string]bool{}, bases: map[string]*value{}}
}

// extended are services that are whole: with all that they extend in them.
func (r *reading) extended(services *value, at place) (*value, error) {
	if services == nil {
		return nil, nil
	}
	g := newGroup(services, at)
	for _, name := range slices.Sorted(maps.Keys(g.services)) {
		if _, err := r.service(g, name); err != nil {
			return nil, err
		}
	}
	out := *services
	out.fields = g.services
	return &out, nil
}

// service is a service of a group, whole.
func (r *reading) service(g *group, name string) (*value, error) {
	s := g.services[name]
	extends := s.field("extends")
	if g.done[name] || extends.missing() {
		return s, nil
	}
	setting := "services." + name + ".extends"
	if g.following[name] {
		return nil, extends.fault(setting, "the service extends itself, or another that extends it")
	}
	g.following[name] = true
	ref, file := extends, (*value)(nil)
	if extends.kind == yaml.MappingNode {
		ref, file = extends.field("service"), extends.field("file")
	}
	if ref == nil || !ref.isText() || file != nil && !file.isText() {
		return nil, extends.fault(setting, "the name of a service is expected, or an object of service and file")
	}
	from := g
	if file != nil {
		var err error
		if from, err = r.base(file, g.at); err != nil {
			return nil, err
		}
	}
	if from.services[ref.text] == nil {
		return nil, extends.fault(setting, "there is no such service")
	}
	base, err := r.extendable(from, ref.text)
	if err != nil {
		return nil, err
	}
	out := *s
	out.fields = maps.Clone(s.fields)
	delete(out.fields, "extends")
	whole, err := r.merged(base, &out)
	if err != nil {
		return nil, err
	}
	g.services[name], g.done[name] = whole, true
	return whole, nil
}

// extendable is a service of a group as others extend it.
func (r *reading) extendable(g *group, name string) (*value, error) {
	if b := g.bases[name]; b != nil {
		return b, nil
	}
	b, err := r.service(g, name)
	if err != nil {
		return nil, err
	}
	b, err = r.settled(b)
	g.bases[name] = b
	return b, err
}

// base are the services of a file that "extends" names. Its own includes do not
// count, and its paths are relative to its own folder.
func (r *reading) base(file *value, at place) (*group, error) {
	if !r.local {
		return nil, &Error{Problem: "takes services from another file (extends, include), which is not read here"}
	}
	path := in(at.dir, file.text)
	if g := at.bases[path]; g != nil {
		return g, nil
	}
	content, err := r.open(path)
	if err != nil {
		return nil, err
	}
	documents, err := r.documents(content, at.vars, true)
	if err != nil {
		return nil, err
	}
	all := &value{}
	for _, d := range documents {
		if all, err = r.merged(all, d.field("services")); err != nil {
			return nil, err
		}
	}
	g := newGroup(all, place{dir: filepath.Dir(path), vars: at.vars, chain: at.chain, bases: at.bases})
	at.bases[path] = g
	return g, nil
}

// include reads the services of an entry of "include": a path, or an object of
// paths, a folder and files of variables.
func (r *reading) include(entry *value, at place) (*value, error) {
	paths, folder, envFiles := entry, (*value)(nil), (*value)(nil)
	if entry.kind == yaml.MappingNode {
		paths, folder, envFiles = entry.field("path"), entry.field("project_directory"), entry.field("env_file")
	}
	texts := slices.Concat(paths.several(), folder.several(), envFiles.several())
	if len(paths.several()) == 0 || len(folder.several()) > 1 || slices.ContainsFunc(texts, func(v *value) bool { return !v.isText() || v.text == "" }) {
		return nil, entry.fault("include", "a path is expected, or an object of path, project_directory and env_file")
	}
	dir := filepath.Dir(in(at.dir, paths.several()[0].text))
	if !folder.missing() {
		dir = in(at.dir, folder.several()[0].text)
	}
	vars, err := r.variables(dir, envFiles.several(), at)
	if err != nil {
		return nil, err
	}
	bases := map[string]*group{}
	var all *value
	for _, p := range paths.several() {
		path := in(at.dir, p.text)
		if slices.Contains(at.chain, path) {
			return nil, entry.fault("include", "the file includes itself, or another that includes it")
		}
		content, err := r.open(path)
		if err != nil {
			return nil, err
		}
		services, err := r.file(content, place{dir: dir, vars: vars, chain: append(slices.Clip(at.chain), path), bases: bases})
		if err != nil {
			return nil, err
		}
		if all, err = r.merged(all, services); err != nil {
			return nil, err
		}
	}
	return r.settled(all)
}

// variables are those of the including file and, where that has none of the
// name, those of the files that an entry of "include" names, or of the .env in
// its folder.
func (r *reading) variables(dir string, files []*value, at place) (map[string]string, error) {
	var paths []string
	for _, f := range files {
		if f.text != "/dev/null" { // the way to have none
			paths = append(paths, in(at.dir, f.text))
		}
	}
	if own := filepath.Join(dir, ".env"); len(files) == 0 && isThere(own) {
		paths = []string{own}
	}
	found := map[string]string{}
	for _, path := range paths {
		content, err := r.open(path)
		if err != nil {
			return nil, err
		}
		more, err := dotenv.UnmarshalWithLookup(string(content), func(name string) (string, bool) {
			if v, ok := at.vars[name]; ok {
				return v, true
			}
			v, ok := found[name]
			return v, ok
		})
		if err != nil {
			return nil, &Error{Problem: "names a file of variables (include) that is not one of NAME=value lines"}
		}
		maps.Copy(found, more)
	}
	maps.Copy(found, at.vars)
	return found, nil
}
