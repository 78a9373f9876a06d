package dockerhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/template"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/sirupsen/logrus"
)

// Limits of a container that do not depend on the host, as they held for
// vitest: each worker opens many files, and a runaway test must not fill the
// VM's table of processes.
const (
	pidsLimit        = 4096
	filesLimit       = 65536
	processesLimit   = 4096
	reservationBytes = 512 << 20
)

const (
	projectName = "runners"
	// defaultImage is the image that GitHub publishes. It does not register itself,
	// so a fleet has an image of its own on top of it.
	defaultImage = "ghcr.io/actions/actions-runner:latest"
)

// Compose is what a Compose file of runners is written from.
type Compose struct {
	// Organizations that get a service each, of Replicas containers.
	Organizations, Replicas int
	MemoryLimitBytes        int64
	TmpfsMiB                int64
	NodeHeapMiB             int64 // 0: not set
	VitestThreads           int64
}

// YAML is the Compose file: a service an organisation, every one with all
// limits. It has been loaded back, so Compose accepts it. The number of
// containers comes from REPLICAS, so that a smaller VM needs another .env and
// not another file. Credentials are not in it: each organisation's go into a
// file of its own, which is not there yet.
func (c Compose) YAML() (string, error) {
	project := &types.Project{
		Name:     projectName,
		Services: types.Services{},
	}
	for i := range c.Organizations {
		s := c.service(i + 1)
		project.Services[s.Name] = s
	}
	raw, err := project.MarshalYAML()
	if err != nil {
		return "", fmt.Errorf("writing the Compose file: %w", err)
	}
	text := composeHeader + c.variables(string(raw))
	if err := c.check(text); err != nil {
		return "", fmt.Errorf("the Compose file that was written does not load: %w", err)
	}
	return text, nil
}

const composeHeader = `# .env beside this file sets REPLICAS, the runners of each organisation, and
# RUNNER_IMAGE, an image that registers its runner. What it registers with
# (organisation, token) goes into org1.env and so on, which are not written here.
`

// DotEnv is the .env file for the Compose file.
func (c Compose) DotEnv() string {
	return fmt.Sprintf("REPLICAS=%d\nRUNNER_IMAGE=%s\n", c.Replicas, defaultImage)
}

func serviceName(n int) string { return fmt.Sprintf("runner-org%d", n) }

func (c Compose) service(n int) types.ServiceConfig {
	replicas := c.Replicas
	threads := strconv.FormatInt(c.VitestThreads, 10)
	environment := types.MappingWithEquals{"VITEST_MAX_THREADS": &threads}
	if c.NodeHeapMiB > 0 {
		heap := fmt.Sprintf("--max-old-space-size=%d", c.NodeHeapMiB)
		environment["NODE_OPTIONS"] = &heap
	}
	return types.ServiceConfig{
		Name:    serviceName(n),
		Scale:   &replicas,
		Restart: types.RestartPolicyUnlessStopped,
		ContainerSpec: types.ContainerSpec{
			Image:          "${RUNNER_IMAGE:-" + defaultImage + "}",
			Environment:    environment,
			EnvFiles:       []types.EnvFile{{Path: fmt.Sprintf("org%d.env", n), Required: false}},
			MemLimit:       types.UnitBytes(c.MemoryLimitBytes),
			MemReservation: types.UnitBytes(min(reservationBytes, c.MemoryLimitBytes)),
			PidsLimit:      pidsLimit,
			Ulimits: map[string]*types.UlimitsConfig{
				"nofile": {Soft: filesLimit, Hard: filesLimit},
				"nproc":  {Single: processesLimit},
			},
			// No folder of the Mac is mounted: job files stay in the container, on the
			// VM's own disk, which file sharing does not slow down.
			Tmpfs: c.tmpfs(),
		},
	}
}

// tmpfs splits the memory for temporary files two to one, as it was measured:
// 512 MiB for /tmp and 256 for /dev/shm.
func (c Compose) tmpfs() types.StringList {
	shm := c.TmpfsMiB / 3
	var out types.StringList
	for _, mount := range []struct {
		path string
		mib  int64
	}{{"/tmp", c.TmpfsMiB - shm}, {"/dev/shm", shm}} {
		if mount.mib > 0 {
			out = append(out, fmt.Sprintf("%s:size=%dm,mode=1777,nosuid,nodev", mount.path, mount.mib))
		}
	}
	return out
}

// variables puts the variable and the units that people write into the file,
// where the library writes plain numbers.
func (c Compose) variables(text string) string {
	pairs := []string{
		fmt.Sprintf("scale: %d\n", c.Replicas), fmt.Sprintf("scale: ${REPLICAS:-%d}\n", c.Replicas),
	}
	for _, name := range []string{"mem_limit", "mem_reservation"} {
		bytes := c.MemoryLimitBytes
		if name == "mem_reservation" {
			bytes = min(reservationBytes, bytes)
		}
		pairs = append(pairs, fmt.Sprintf("%s: %q\n", name, strconv.FormatInt(bytes, 10)), fmt.Sprintf("%s: %s\n", name, byteSize(bytes)))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// byteSize is a number of bytes in the largest unit in which it is whole, as
// Compose reads it: its "g" is a GiB.
func byteSize(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 30, "g"}, {1 << 20, "m"}, {1 << 10, "k"}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "b"
}

// check loads a written file and compares what arrives with what was meant.
func (c Compose) check(text string) error {
	services, err := ReadCompose(context.Background(), "compose.yaml", []byte(text), nil)
	if err != nil {
		return err
	}
	if len(services) != c.Organizations {
		return fmt.Errorf("%d services instead of %d", len(services), c.Organizations)
	}
	for _, s := range services {
		if s.Replicas != int64(c.Replicas) || s.MemoryLimitBytes != c.MemoryLimitBytes || s.TmpfsBytes != c.TmpfsMiB<<20 ||
			s.PidsLimit != pidsLimit || s.FilesLimit != filesLimit || s.ProcessesLimit != processesLimit {
			return fmt.Errorf("service %s lost a limit", s.Name)
		}
	}
	return nil
}

// MaxComposeBytes is the most that is read of a Compose file.
const MaxComposeBytes = 1 << 20

// ComposeError says why a Compose file cannot be read. The library's own words
// are not repeated: they quote the file, and a Compose file holds secrets.
type ComposeError struct {
	// Line in the file, 0 if it is not known.
	Line int
	// Setting at fault, "services.web.mem_limit"; empty if it is not known.
	Setting string
	// Problem where it is known: "is empty".
	Problem string
	// Empty names variables without a value, which may be the cause, and says what
	// to do about them.
	Empty string
}

// Error has neither the name of the file nor a full stop.
func (e *ComposeError) Error() string {
	problem := e.Problem
	if problem == "" {
		problem = "is not a valid Compose file"
	}
	var at []string
	if e.Setting != "" {
		at = append(at, e.Setting)
	}
	if e.Line > 0 {
		at = append(at, fmt.Sprintf("line %d", e.Line))
	}
	if len(at) > 0 {
		problem += " (" + strings.Join(at, ", ") + ")"
	}
	switch {
	case e.Empty != "":
		problem += ", perhaps because of " + e.Empty
	case e.Problem == "":
		problem += "; docker compose config says what is wrong"
	}
	return problem
}

// quietLoader keeps the library from writing to standard error, which in a
// plugin belongs to the log and in the command line to us.
var quietLoader = sync.OnceFunc(func() { logrus.SetOutput(io.Discard) })

// ReadCompose reads the services of a Compose file, those of inactive profiles
// left out, sorted by name. No other file is opened unless name is an absolute
// path, whose folder then holds what "include" and "extends" name; env_file is
// never opened. Variables come from env alone, never from this process. It
// returns a *ComposeError.
func ReadCompose(ctx context.Context, name string, content []byte, env map[string]string) ([]Service, error) {
	quietLoader()
	switch {
	case len(content) > MaxComposeBytes:
		return nil, &ComposeError{Problem: fmt.Sprintf("is larger than %d MiB, which is no Compose file", MaxComposeBytes>>20)}
	case len(strings.TrimSpace(string(content))) == 0:
		return nil, &ComposeError{Problem: "is empty"}
	case strings.ContainsRune(string(content), 0):
		return nil, &ComposeError{Problem: "is a binary file"}
	}
	local := filepath.IsAbs(name)
	dir := filepath.Dir(name)
	if !local {
		dir = string(filepath.Separator)
	}
	environment := types.Mapping{}
	maps.Copy(environment, env)
	if local {
		if err := checkFiles(dir, content, environment); err != nil {
			return nil, err
		}
	}
	empty := emptyVariables{}
	project, err := loader.LoadWithContext(ctx, types.ConfigDetails{
		WorkingDir:  dir,
		ConfigFiles: []types.ConfigFile{{Filename: name, Content: content}},
		Environment: environment,
	}, func(o *loader.Options) {
		o.SetProjectName(projectName, true)
		o.SkipResolveEnvironment = true
		o.SkipResolveLabels = true
		o.ResolvePaths = false
		o.Interpolate.Substitute = empty.substitute
		if !local {
			o.SkipInclude = true
			o.ResourceLoaders = []loader.ResourceLoader{noFiles{}}
		}
	})
	if err != nil {
		return nil, composeError(err, empty, local)
	}
	return services(project), nil
}

// noFiles refuses every file that a Compose file names.
type noFiles struct{}

var errOtherFile = errors.New("other files are not read")

func (noFiles) Accept(string) bool                           { return true }
func (noFiles) Load(context.Context, string) (string, error) { return "", errOtherFile }
func (noFiles) Dir(path string) string                       { return path }

var (
	lineInError    = regexp.MustCompile(`line (\d{1,7})`)
	settingInError = regexp.MustCompile(`(?:services|volumes|networks|secrets|configs)(?:\.[A-Za-z0-9_-]+)+`)
)

// emptyVariables are the names of the variables that a Compose file was filled
// in with, but that have no value and no default.
type emptyVariables map[string]bool

// substitute fills in a text as the library does, and notes what was empty.
func (e emptyVariables) substitute(text string, value template.Mapping) (string, error) {
	for name, v := range template.ExtractVariables(map[string]any{"": text}, template.DefaultPattern) {
		if _, ok := value(name); !ok && v.DefaultValue == "" && v.PresenceValue == "" {
			e[name] = true
		}
	}
	return template.Substitute(text, value)
}

// names are the variables, the first few of many.
func (e emptyVariables) names() string {
	const most = 5
	all := slices.Sorted(maps.Keys(e))
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}

// composeError keeps the line and the setting of an error of the library, and
// says which variables had no value: most often it is one of them.
func composeError(err error, empty emptyVariables, local bool) *ComposeError {
	toDo := "give it a default in the text, as in ${NAME:-default}"
	if local {
		toDo = "write it into .env beside the file"
	}
	missing, isMissing := errors.AsType[*template.MissingRequiredError](err)
	switch {
	case errors.Is(err, errOtherFile):
		return &ComposeError{Problem: "takes services from another file (extends, include), which is not read here"}
	case isMissing:
		return &ComposeError{Problem: fmt.Sprintf("needs the variable %s, which has no value; %s", missing.Variable, toDo)}
	case notThere(err):
		return &ComposeError{Problem: "names another file that is not there (include, extends)"}
	}
	const longest = 200
	setting := settingInError.FindString(err.Error())
	out := &ComposeError{Setting: setting[:min(len(setting), longest)]}
	if m := lineInError.FindStringSubmatch(err.Error()); m != nil {
		out.Line, _ = strconv.Atoi(m[1])
	}
	if len(empty) > 0 {
		out.Empty = empty.names() + ", which has no value; " + toDo
		if len(empty) > 1 {
			out.Empty = empty.names() + ", which have no value; " + strings.Replace(toDo, "it ", "them ", 1)
		}
	}
	return out
}
