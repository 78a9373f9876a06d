package composefile_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
)

// A setting that is read and has no sense is an error that says where, and
// never what: it may be a secret.
func TestSettingsErrors(t *testing.T) {
	const secret = "hunter2"
	for setting, want := range map[string]string{
		"scale: " + secret:                    "scale, line 5): a whole number is expected",
		"scale: -1":                           "scale, line 5): a whole number from 0 is expected",
		"scale: 1.5":                          "scale, line 5): a whole number is expected",
		"scale: [1]":                          "scale, line 5): a whole number is expected",
		"scale: ${EMPTY}":                     "scale, line 5): a whole number is expected, perhaps because of EMPTY",
		"mem_limit: " + secret:                "mem_limit, line 5): a size such as 512m is expected",
		"mem_limit: [1g]":                     "mem_limit, line 5): a size such as 512m is expected",
		"mem_limit: 1.5":                      "mem_limit, line 5): a size such as 512m is expected",
		"mem_limit: ":                         "mem_limit, line 5): a size such as 512m is expected",
		"mem_limit: ''":                       "mem_limit, line 5): a size such as 512m is expected",
		"mem_limit: 9999999999g":              "mem_limit, line 5): a size such as 512m is expected",
		"mem_limit: -5g":                      "mem_limit, line 5): a size such as 512m is expected",
		"mem_reservation: {a: b}":             "mem_reservation, line 5): a size such as 512m is expected",
		"pids_limit: many":                    "pids_limit, line 5): a whole number is expected",
		"pids_limit: 99999999999999999999999": "pids_limit, line 5): a whole number is expected",
		"cpus: all":                           "cpus, line 5): a number of CPUs such as 1.5 is expected",
		"cpus: -1":                            "cpus, line 5): a number of CPUs such as 1.5 is expected",
		"cpus: .nan":                          "cpus, line 5): a number of CPUs such as 1.5 is expected",
		"cpus: 'NaN'":                         "cpus, line 5): a number of CPUs such as 1.5 is expected",
		"cpus: [1]":                           "cpus, line 5): a number of CPUs such as 1.5 is expected",
		"tmpfs: 5":                            "tmpfs, line 5): a list is expected",
		"tmpfs: [5]":                          "tmpfs, line 5): a list of texts is expected",
		"volumes: /a:/b":                      "volumes, line 5): a list is expected",
		"volumes: [5]":                        "volumes, line 5): SOURCE:TARGET is expected, or an object of type and target",
		"volumes: ['aa::b']":                  "volumes, line 5): SOURCE:TARGET is expected, or an object of type and target",
		"volumes: ['aa:bb:cc:dd']":            "volumes, line 5): SOURCE:TARGET is expected, or an object of type and target",
		"volumes: ['']":                       "volumes, line 5): SOURCE:TARGET is expected, or an object of type and target",
		"volumes: [{type: bind}]":             "volumes, line 5): a type and a target are expected",
		"volumes: [{type: tmpfs, target: /x, tmpfs: {size: x}}]": "volumes.tmpfs.size, line 5): a size such as 512m is expected",
		"volumes: [{type: tmpfs, target: /x, tmpfs: 5}]":         "volumes.tmpfs, line 5): a mapping is expected",
		"ulimits: [nofile]":                                              "ulimits, line 5): a mapping is expected",
		"ulimits: {nofile: many}":                                        "ulimits.nofile, line 5): a whole number is expected",
		"ulimits: {nproc: {hard: 5}}":                                    "ulimits.nproc, line 5): soft and hard are expected",
		"ulimits: {nproc: {soft: x, hard: 5}}":                           "ulimits.nproc.soft, line 5): a whole number is expected",
		"environment: " + secret:                                         "environment, line 5): a list or a mapping is expected",
		"profiles: debug":                                                "profiles, line 5): a list is expected",
		"deploy: 5":                                                      "deploy, line 5): a mapping is expected",
		"deploy: {replicas: x}":                                          "deploy.replicas, line 5): a whole number is expected",
		"deploy: {resources: [1]}":                                       "deploy.resources, line 5): a mapping is expected",
		"deploy: {resources: {limits: 5}}":                               "deploy.resources.limits, line 5): a mapping is expected",
		"deploy: {resources: {limits: {memory: x}}}":                     "deploy.resources.limits.memory, line 5): a size such as 512m is expected",
		"deploy: {resources: {limits: {memry: 1g}}}":                     "deploy.resources.limits.memry, line 5): there is no such setting, memory is meant",
		"deploy: {resources: {reservations: {memory: x}}}":               "deploy.resources.reservations.memory, line 5): a size such as 512m is expected",
		"scale: 2\n    deploy: {replicas: 3}":                            "scale, line 5): deploy.replicas is not the same",
		"mem_limit: 2g\n    deploy: {resources: {limits: {memory: 1g}}}": "mem_limit, line 5): deploy.resources.limits.memory is not the same",
		"mem_reservation: 2g\n    deploy: {resources: {reservations: {memory: 1g}}}": "mem_reservation, line 5): deploy.resources.reservations.memory is not the same",
		"pids_limit: 2\n    deploy: {resources: {limits: {pids: 1}}}":                "pids_limit, line 5): deploy.resources.limits.pids is not the same",
		"cpus: 2\n    deploy: {resources: {limits: {cpus: 1}}}":                      "cpus, line 5): deploy.resources.limits.cpus is not the same",
		"extends: nobody":                    "extends, line 5): there is no such service",
		"extends: web":                       "extends, line 5): the service extends itself, or another that extends it",
		"extends: [other]":                   "extends, line 5): the name of a service is expected, or an object of service and file",
		"extends: {file: other.yaml}":        "extends, line 5): the name of a service is expected, or an object of service and file",
		"extends: {service: web, file: [a]}": "extends, line 5): the name of a service is expected, or an object of service and file",
		"ulimit: {nproc: 5}":                 "ulimit, line 5): there is no such setting, ulimits is meant",
	} {
		t.Run(setting, func(t *testing.T) {
			file := "# a comment\nservices:\n  web:\n    image: x\n    " + setting + "\n"
			checkError(t, file, "is not a valid Compose file (services.web."+want, secret)
		})
	}
}

// TestNoSlips: no setting of Compose is taken for another that is misspelt.
func TestNoSlips(t *testing.T) {
	check := func(of reflect.Type, file string) {
		t.Helper()
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			if name == "" || name == "-" {
				continue
			}
			_, err := composefile.Read(t.Context(), "compose.yaml", fmt.Appendf(nil, file, name), nil)
			if err != nil && strings.Contains(err.Error(), "there is no such setting") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	check(reflect.TypeFor[types.ServiceConfig](), "services: {a: {%s: {}}}")
	check(reflect.TypeFor[types.ContainerSpec](), "services: {a: {%s: {}}}")
	check(reflect.TypeFor[types.WorkloadSpec](), "services: {a: {%s: {}}}")
	check(reflect.TypeFor[types.DeployConfig](), "services: {a: {deploy: {%s: {}}}}")
	check(reflect.TypeFor[types.Resource](), "services: {a: {deploy: {resources: {limits: {%[1]s: {}}, reservations: {%[1]s: {}}}}}}")
}

// So is a file that is none.
func TestFileErrors(t *testing.T) {
	const secret = "hunter2"
	for name, tc := range map[string]struct{ file, want string }{
		"a text":                      {secret, "is not a valid Compose file (line 1): a mapping is expected, with services in it"},
		"a second document is a list": {"services: {}\n---\n- " + secret, "is not a valid Compose file (line 3): a mapping is expected, with services in it"},
		"an empty second document":    {"services: {}\n---\n", "is not a valid Compose file"},
		"something else":              {"password: " + secret, "is not a valid Compose file: there are no services in it"},
		"comments":                    {"# " + secret, "is not a valid Compose file: there are no services in it"},
		"services is a list":          {"services: [" + secret + "]", "is not a valid Compose file (services, line 1): a mapping is expected"},
		"services is nothing":         {"services:\nvolumes: {}", "is not a valid Compose file (services, line 1): a mapping is expected"},
		"a service is a text":         {"services:\n  web: " + secret, "is not a valid Compose file (services.web, line 2): a mapping is expected"},
		"a service is nothing":        {"services:\n  web:\n", "is not a valid Compose file (services.web, line 2): a mapping is expected"},
		"a name that is none":         {"services:\n  'web " + secret + "': {}", "is not a valid Compose file (services, line 2): the name of a service has letters"},
		"a key twice":                 {"services:\n  web: {image: x}\n  web: {image: y}", "is not a valid Compose file (line 3): a key that is there already"},
		"a key that is a mapping":     {"services:\n  ? {a: b}\n  : {image: y}", "is not a valid Compose file (line 2): a key that is no text"},
		"a merge of a text":           {"services:\n  web: {<<: " + secret + "}", "is not a valid Compose file (line 2): only a mapping can be merged"},
		"an anchor that is not there": {"services:\n  web: *" + secret, "is not a valid Compose file (line 2)"},
		"a variable that is none":     {"services:\n  web: {image: '${" + secret + "!}'}", "is not a valid Compose file (line 2): a variable is written as ${NAME}, and a dollar sign as $$"},
		"a cycle of extends":          {"services:\n  a: {extends: b}\n  b: {extends: c}\n  c: {extends: a}\n", "is not a valid Compose file (services.a.extends, line 2): the service extends itself"},
		"an anchor in itself":         {"services:\n  web: &a {image: x, deploy: *a}", "is not a valid Compose file (line 2): an anchor is used within itself"},
		"an anchor merged in itself":  {"services:\n  web: &a {image: x, <<: *a}", "is not a valid Compose file (line 2): an anchor is used within itself"},
		"a list in itself":            {"x: &a [*a]\nservices: {}", "is not a valid Compose file (line 1): an anchor is used within itself"},
	} {
		t.Run(name, func(t *testing.T) { checkError(t, tc.file, tc.want, secret) })
	}
}

// A file that is made to be expensive ends soon.
func TestExpensiveFiles(t *testing.T) {
	bomb := &strings.Builder{}
	bomb.WriteString("x0: &x0 {a: b, c: d}\n")
	merges := &strings.Builder{}
	merges.WriteString("m0: &m0 {k: v}\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(bomb, "x%d: &x%d [*x%d, *x%d, *x%d]\n", i, i, i-1, i-1, i-1)
		fmt.Fprintf(merges, "m%d: &m%d {<<: [*m%d, *m%d, *m%d], k%d: v}\n", i, i, i-1, i-1, i-1, i)
	}
	chain, list := &strings.Builder{}, strings.TrimSuffix(strings.Repeat("/a, ", 50_000), ", ")
	fmt.Fprintf(chain, "services:\n  s0: {tmpfs: [%s]}\n", list)
	for i := 1; i < 1000; i++ {
		fmt.Fprintf(chain, "  s%d: {tmpfs: [/b], extends: s%d}\n", i, i-1)
	}
	const services = "services: {web: {image: x}}\n"
	const tooMany = "comes to more than 200000 values"
	for name, tc := range map[string]struct{ file, want string }{
		"anchors":                    {bomb.String() + services, tooMany},
		"merges":                     {merges.String() + services, tooMany},
		"a long chain of long lists": {chain.String(), tooMany},
		"many values":                {"x: [" + strings.Repeat("a,", 300_000) + "]\n" + services, tooMany},
		"deep flow":                  {"x: " + strings.Repeat("[", 500_000), "is not a valid Compose file (line 1)"},
		"deep mappings":              {"x: " + strings.Repeat("{a: ", 200_000), "is not a valid Compose file (line 1)"},
		"deep blocks":                {"x:\n  " + strings.Repeat("- ", 400_000) + "a\n" + services, "is not a valid Compose file (line 2)"},
		"many variables":             {services + "x: '" + strings.Repeat("${A}", 200_000) + "'", "is not a valid Compose file (line 2): more variables than can be filled in"},
		"nested variables":           {services + "x: '" + strings.Repeat("${A:-", 150_000) + strings.Repeat("}", 150_000) + "'", "is not a valid Compose file (line 2): more variables than can be filled in"},
		"many texts of variables":    {services + "x: [" + strings.Repeat("'"+strings.Repeat("${A:-", 150)+strings.Repeat("}", 150)+"',", 1000) + "]", "is not a valid Compose file (line 2): more variables than can be filled in"},
		"almost too many variables":  {services + "x: '" + strings.Repeat("${A}", 2800) + "'", ""},
		"almost too deep variables":  {services + "x: '" + strings.Repeat("${A:-", 800) + strings.Repeat("}", 800) + "'", ""},
		"an extends of many":         {manyExtends(), ""},
		"a huge text":                {services + "x: '" + strings.Repeat("x", 1_000_000) + "'", ""},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now() //nolint:forbidigo // the time that it really takes is the point
			if tc.want != "" {
				checkError(t, tc.file, tc.want, "hunter2")
			} else if _, err := composefile.Read(t.Context(), "compose.yaml", []byte(tc.file), nil); err != nil {
				t.Error(err)
			}
			if took := time.Since(start); took > 20*time.Second { //nolint:forbidigo // as above
				t.Errorf("it took %s", took)
			} else {
				t.Logf("%s", took)
			}
		})
	}
}

func manyExtends() string {
	b := &strings.Builder{}
	b.WriteString("services:\n  s0: {image: x, mem_limit: 1g}\n")
	for i := 1; i < 5000; i++ {
		fmt.Fprintf(b, "  s%d: {extends: s%d}\n", i, i-1)
	}
	return b.String()
}

// What other files get wrong is said to be theirs.
func TestErrorsOfOtherFiles(t *testing.T) {
	doubled := map[string]string{"l40.yaml": "services: {}\n"}
	for i := range 40 {
		doubled[fmt.Sprintf("l%d.yaml", i)] = fmt.Sprintf("include: [l%d.yaml, l%d.yaml]\n", i+1, i+1)
	}
	for name, tc := range map[string]struct {
		file  string
		files map[string]string
		want  string
	}{
		"a setting":    {"include: [a.yaml]\n", map[string]string{"a.yaml": "services:\n  a: {mem_limit: x}\n"}, "(services.a.mem_limit, line 2 of a file that it names): a size such as 512m is expected"},
		"extended":     {"services:\n  a: {extends: {file: b.yaml, service: b}}\n", map[string]string{"b.yaml": "services:\n\n  b: {scale: x}\n"}, "(services.a.scale, line 3 of a file that it names): a whole number is expected"},
		"no YAML":      {"include: [a.yaml]\n", map[string]string{"a.yaml": "services:\n  a: [\n"}, "of a file that it names)"},
		"a cycle":      {"include: [a.yaml]\n", map[string]string{"a.yaml": "include: [b.yaml]\n", "b.yaml": "include: [a.yaml]\n"}, "(include, line 1 of a file that it names): the file includes itself, or another that includes it"},
		"of the first": {"include: [a.yaml]\n", map[string]string{"a.yaml": "include: [compose.yaml]\n", "compose.yaml": ""}, "the file includes itself, or another that includes it"},
		"of extends": {
			"services:\n  a: {extends: {file: a.yaml, service: a}}\n",
			map[string]string{"a.yaml": "services:\n  a: {extends: {file: b.yaml, service: b}}\n", "b.yaml": "services:\n  b: {extends: {file: a.yaml, service: a}}\n"},
			"(services.a.extends, line 2 of a file that it names): the service extends itself, or another that extends it",
		},
		"ever more files":  {"include: [l0.yaml]\n", doubled, "names more than 100 other files"},
		"a folder":         {"include: [sub]\n", map[string]string{"sub/x": ""}, "that is a folder and no file"},
		"no variables":     {"include: [{path: a.yaml, env_file: no.env}]\n", map[string]string{"a.yaml": "", "no.env": "A='hunter2"}, "names a file of variables (include) that is not one of NAME=value lines"},
		"no list":          {"include: a.yaml\n", nil, "(include, line 1): a list is expected"},
		"no path":          {"include: [{env_file: a}]\n", nil, "(include, line 1): a path is expected, or an object of path, project_directory and env_file"},
		"a path of a path": {"include: [{path: [[a]]}]\n", nil, "(include, line 1): a path is expected, or an object of path, project_directory and env_file"},
		"an empty path":    {"include: [\"${NONE}\"]\n", nil, "a path is expected, or an object of path, project_directory and env_file, perhaps because of NONE"},
		"extends nothing":  {"services:\n  a: {extends: {file: b.yaml, service: c}}\n", map[string]string{"b.yaml": "services:\n  b: {}\n"}, "(services.a.extends, line 2): there is no such service"},
		"without services": {"services:\n  a: {extends: {file: b.yaml, service: c}}\n", map[string]string{"b.yaml": "volumes: {}\n"}, "(services.a.extends, line 2): there is no such service"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, tc.files)
			_, err := composefile.Read(t.Context(), filepath.Join(dir, "compose.yaml"), []byte(tc.file), nil)
			var fault *composefile.Error
			if !errors.As(err, &fault) || !strings.Contains(fault.Error(), tc.want) || strings.Contains(fault.Error(), "hunter2") {
				t.Errorf("got %v, want …%s…", err, tc.want)
			}
		})
	}
}

func checkError(t *testing.T, file, want, secret string) {
	t.Helper()
	_, err := composefile.Read(t.Context(), "compose.yaml", []byte(file), nil)
	var fault *composefile.Error
	if !errors.As(err, &fault) {
		t.Fatalf("%T: %v", err, err)
	}
	if got := fault.Error(); !strings.HasPrefix(got, want) || strings.Contains(got, secret) || strings.ContainsAny(got, "\n\r") || strings.HasSuffix(got, ".") {
		t.Errorf("got %q, want %q", got, want)
	}
}
