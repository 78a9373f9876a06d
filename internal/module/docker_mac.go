package module

import (
	"math"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerhost"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"
)

// DockerMac is a Mac on a desk with runners in containers. It needs no AWS.
type DockerMac struct {
	Name string
	// MemoryGiB and CPUs are those of Docker's VM; 0 CPUs are not judged.
	MemoryGiB      float64
	CPUs           int
	MemoryLimitGiB float64
	Organizations  int
	// Directory on the Mac; ~ is the home.
	Directory string
}

// NewDockerMac returns a Mac with the defaults.
func NewDockerMac() *DockerMac {
	return &DockerMac{Name: "ci-runners", MemoryGiB: 20, MemoryLimitGiB: 3, Organizations: 1, Directory: "~/ci-runners"}
}

// Kind is "docker-mac".
func (*DockerMac) Kind() string { return "docker-mac" }

// mostGiB is more memory than any Mac has.
const mostGiB = 4096

// directoryPattern keeps paths free of what shells, XML and Compose read as
// something else.
var directoryPattern = lazyregexp.New(`^(~/|/)[A-Za-z0-9 ._/-]+$`)

// Check checks the settings.
func (k *DockerMac) Check() error {
	if err := checkName(k.Name); err != nil {
		return err
	}
	if err := checkNumber("memory-gib", k.MemoryGiB, 0, mostGiB); err != nil {
		return err
	}
	const leastLimitGiB = 0.1 // no runner starts in less
	if err := checkNumber("memory-limit-gib", k.MemoryLimitGiB, leastLimitGiB, mostGiB); err != nil {
		return err
	}
	if err := checkRange("cpus", k.CPUs, 0, 1024); err != nil {
		return err
	}
	if err := checkRange("organizations", k.Organizations, 1, math.MaxInt); err != nil {
		return err
	}
	if !directoryPattern().MatchString(k.Directory) {
		return wrong("directory", "must be an absolute path, or begin with ~/, of letters, digits, spaces, dots, hyphens and underscores")
	}
	if k.runners() < int64(k.Organizations) {
		least := k.MemoryLimitGiB*float64(k.Organizations) + k.reservedGiB().InexactFloat64()
		return wrong("memory-gib", "there is no room for a runner of each organisation at %s GiB; it takes %s GiB", figure(k.MemoryLimitGiB), figure(least))
	}
	return nil
}

func (*DockerMac) reservedGiB() decimal.Decimal {
	return dockerhost.DefaultVMOverheadGiB.Add(dockerhost.DefaultBuildCacheGiB)
}

// runners is how many runners can be at their limit at the same time.
func (k *DockerMac) runners() int64 {
	return dockerhost.Runners(decimal.NewFromFloat(k.MemoryGiB), decimal.NewFromFloat(k.MemoryLimitGiB), k.reservedGiB()).IntPart()
}

// replicas is the same for one organisation.
func (k *DockerMac) replicas() int64 { return k.runners() / int64(k.Organizations) }

func (k *DockerMac) files() ([]File, error) {
	vs, rs := k.variables(), k.outputs()
	about, err := readme(k.Kind(), map[string]any{
		"Name": k.Name, "Directory": k.Directory, "Quoted": strings.ReplaceAll(k.Directory, " ", `\ `), "Replicas": k.replicas(), "Runners": k.replicas() * int64(k.Organizations),
		"MemoryGiB": figure(k.MemoryGiB), "Inputs": inputTable(vs), "Outputs": outputTable(rs),
	})
	if err != nil {
		return nil, err
	}
	return []File{
		about,
		versions(false),
		variables("", vs),
		k.guard(),
		k.main(),
		outputs(rs),
		k.example(),
		k.tests(),
		script(k.Kind(), "check.sh"),
		script(k.Kind(), "place.sh"),
		script(k.Kind(), "start.sh"),
		{Name: "templates/launchd.plist.tftpl", Content: text(k.Kind() + "/launchd.plist.tftpl")},
	}, nil
}

func (k *DockerMac) variables() []variable {
	cpus := "null"
	if k.CPUs > 0 {
		cpus = strconv.Itoa(k.CPUs)
	}
	return []variable{
		nameInput(k.Name, "Name of the launchd unit and of the Compose project."),
		{
			name: "directory", typ: "string",
			description: "Folder on this Mac for the Compose file and the scripts; ~ is your home. Your env files (org1.env and so on) lie beside them and are never touched.",
			value:       strconv.Quote(k.Directory),
			validations: []validation{
				{`can(regex("^(~/|/)[A-Za-z0-9 ._/-]+$", var.directory))`, "Write an absolute path, or one that begins with ~/, of letters, digits, spaces, dots, hyphens and underscores."},
			},
		},
		{
			name: "launch_agents_directory", typ: "string",
			description: "Folder of the launchd unit, which launchd reads when you log in.",
			value:       `"~/Library/LaunchAgents"`,
			validations: []validation{
				{`can(regex("^(~/|/)[A-Za-z0-9 ._/-]+$", var.launch_agents_directory))`, "Write an absolute path, or one that begins with ~/, of letters, digits, spaces, dots, hyphens and underscores."},
			},
		},
		{
			name: "runner_image", typ: "string",
			description: "Image that registers its runner when it starts. GitHub's own image does not, so yours is built on top of it.",
			value:       `"ghcr.io/actions/actions-runner:latest"`,
			validations: []validation{
				{`can(regex("^[A-Za-z0-9][A-Za-z0-9._:/@-]*$", var.runner_image))`, "Write the name of an image, such as ghcr.io/actions/actions-runner:latest."},
			},
		},
		{
			name: "memory_gib", typ: "number",
			description: "Memory of Docker's VM in GiB, not of the Mac (Docker Desktop: Settings, Resources).",
			value:       figure(k.MemoryGiB),
		},
		{
			name: "cpus", typ: "number",
			description: "CPUs of Docker's VM. Null: they are not judged.",
			value:       cpus,
			nullable:    true,
		},
		{
			name: "organizations", typ: "number",
			description: "Organisations that get runners of their own.",
			value:       strconv.Itoa(k.Organizations),
			validations: []validation{
				wholeNumber("organizations", 1, 0),
			},
		},
		{
			name: "replicas", typ: "number",
			description: "Runners of each organisation. Null: as many as can all be at their memory limit at once.",
			value:       "null",
			nullable:    true,
			validations: []validation{
				{"var.replicas == null ? true : var.replicas >= 1 && floor(var.replicas) == var.replicas", "Write a whole number of 1 or more."},
			},
		},
		{
			name: "memory_limit_gib", typ: "number",
			description: "Memory limit of one runner in GiB: the peak of your heaviest job.",
			value:       figure(k.MemoryLimitGiB),
		},
		{
			name: "tmpfs_mib", typ: "number",
			description: "Memory for temporary files of one runner in MiB, inside its limit.",
			value:       "768",
		},
		{
			name: "check_minutes", typ: "number",
			description: "Minutes after which launchd starts what has stopped.",
			value:       "5",
			validations: []validation{
				wholeNumber("check_minutes", 1, 0),
			},
		},
		{
			name: "allow_overcommit", typ: "bool",
			description: "Whether the limits of all runners may add up to more than the VM has. Then it runs out of memory when enough of them are at their peak.",
			value:       "false",
		},
	}
}

func (*DockerMac) outputs() []result {
	return []result{
		{"runners", "Runners in all.", "data.runnerfit_docker_runners.mac.total_runners"},
		{"replicas_per_organization", "Runners of each organisation.", "local.replicas"},
		{"overcommit_ratio", "Limits of all runners over the memory that the VM leaves to them; above 1 they can run it out of memory.", "data.runnerfit_docker_runners.mac.overcommit_ratio"},
		{"node_heap_mib", "Node's heap in each runner, in MiB.", "data.runnerfit_docker_runners.mac.node_heap_mib"},
		{"env_files", "Files that you write: what the runners of each organisation register with.", `[for i in range(var.organizations) : "${local.directory}/org${i + 1}.env"]`},
		{"files", "The files that were written, by their paths.", "{ for f in local.files : f.path => f.content }"},
		{"load_command", "Loads the launchd unit without logging in again.", `"launchctl bootstrap gui/$(id -u) '${local.files.launchd.path}'"`},
		{"findings", "What the rules found, advice included: rule, severity, path, message, fix.", "data.runnerfit_docker_runners.mac.findings"},
	}
}
