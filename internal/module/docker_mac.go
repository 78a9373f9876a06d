package module

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerhost"
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
var directoryPattern = regexp.MustCompile(`^(~/|/)[A-Za-z0-9 ._/-]+$`)

// Check checks the settings.
func (k *DockerMac) Check() error {
	if err := checkName("name", k.Name); err != nil {
		return err
	}
	if err := checkNumber("memory-gib", k.MemoryGiB, 0, mostGiB); err != nil {
		return err
	}
	if err := checkNumber("memory-limit-gib", k.MemoryLimitGiB, 0, mostGiB); err != nil {
		return err
	}
	if err := checkRange("cpus", k.CPUs, 0, 1024); err != nil {
		return err
	}
	if err := checkRange("organizations", k.Organizations, 1, math.MaxInt); err != nil {
		return err
	}
	if !directoryPattern.MatchString(k.Directory) {
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
		outputs("", rs),
		k.example(),
		k.tests(),
		script(k.Kind(), "check.sh"),
		script(k.Kind(), "place.sh"),
		script(k.Kind(), "start.sh"),
		{Name: "files/launchd.plist.tftpl", Content: text(k.Kind() + "/launchd.plist.tftpl")},
	}, nil
}

func (k *DockerMac) example() File {
	d := exampleHead("The runners of this Mac. Write org1.env beside the Compose file, apply, and run\nthe load_command.", false)
	b := d.block("module", "runners")
	b.text("source", "../..")
	b.gap()
	b.text("directory", k.Directory)
	b.set("memory_gib", figure(k.MemoryGiB))
	d.gap()
	for i, name := range []string{"runners", "env_files", "load_command"} {
		if i > 0 {
			d.gap()
		}
		d.block("output", name).set("value", "module.runners."+name)
	}
	return d.as("examples/basic/main.tf")
}

func (k *DockerMac) tests() File {
	d := newDocument("terraform init && terraform test: plans only, so that nothing is written.")
	for i, p := range []planned{
		{
			name: "all_can_peak_at_once",
			asserts: []assertion{
				{fmt.Sprintf("output.replicas_per_organization == %d", k.replicas()), "There are not as many runners as fit."},
				{"output.overcommit_ratio <= 1", "The limits are more than the memory."},
				{fmt.Sprintf("length(output.env_files) == %d", k.Organizations), "An organisation has no env file."},
			},
		},
		{name: "no_runners", variables: [][2]string{{"replicas", "0"}}, refused: []string{"var.replicas"}},
		{name: "no_organization", variables: [][2]string{{"organizations", "0"}}, refused: []string{"var.organizations"}},
		{name: "overcommit", variables: [][2]string{{"replicas", strconv.FormatInt(k.runners()+1, 10)}}, refused: []string{"data.runnerfit_docker_runners.mac"}},
	} {
		if i > 0 {
			d.gap()
		}
		p.addTo(d.body)
	}
	return d.as("tests/plan.tftest.hcl")
}

func (*DockerMac) guard() File {
	d := newDocument("")
	d.comment("What the VM holds, whoever uses it.")
	b := d.block("data", "runnerfit_docker_runners", "capacity")
	b.set("memory_gib", "var.memory_gib")
	b.set("memory_limit_gib", "var.memory_limit_gib")
	b.set("tmpfs_mib", "var.tmpfs_mib")
	d.gap()
	d.comment(`The runners as they are started, and their Compose file. The plan stops here
if nothing fits or, unless you allow it, if the limits add up to more than the
VM has.`)
	b = d.block("data", "runnerfit_docker_runners", "mac")
	b.set("memory_gib", "var.memory_gib")
	b.set("cpus", "var.cpus")
	b.set("organizations", "var.organizations")
	b.set("replicas", "local.replicas")
	b.set("memory_limit_gib", "var.memory_limit_gib")
	b.set("tmpfs_mib", "var.tmpfs_mib")
	b.gap()
	lifecycle := b.block("lifecycle")
	precondition := lifecycle.block("precondition")
	precondition.set("condition", "local.fitting >= 1 || var.replicas != null")
	precondition.text("error_message", "Docker's VM has no room for one runner of each organisation at its limit: give it more memory (memory_gib, and Docker Desktop's settings), lower memory_limit_gib, or write replicas and allow_overcommit = true.")
	postcondition := lifecycle.block("postcondition")
	postcondition.set("condition", "var.allow_overcommit || try(self.overcommit_ratio <= 1, false)")
	postcondition.text("error_message", "The limits of all runners are more than Docker's VM has: leave replicas out, lower memory_limit_gib, or write allow_overcommit = true.")
	return d.as("guard.tf")
}

func (*DockerMac) main() File {
	d := newDocument("")
	b := d.block("locals")
	b.comment("Runners of each organisation, all of which can be at their limit at once.")
	b.set("fitting", "floor(data.runnerfit_docker_runners.capacity.runners_without_overcommit / var.organizations)")
	b.set("replicas", "var.replicas != null ? var.replicas : max(local.fitting, 1)")
	b.gap()
	b.set("directory", "pathexpand(var.directory)")
	b.set("label", `"runnerfit.${var.name}"`)
	b.gap()
	b.set("files", `{
    compose = {
      path    = "${local.directory}/compose.yaml"
      mode    = "0644"
      content = data.runnerfit_docker_runners.mac.compose_yaml
    }
    dotenv = {
      path = "${local.directory}/.env"
      mode = "0644"
      content = join("\n", concat(
        [
          "COMPOSE_PROJECT_NAME=${var.name}",
          "REPLICAS=${local.replicas}",
          "RUNNER_IMAGE=${var.runner_image}",
          "# What check.sh compares Docker with.",
          "VM_MEMORY_GIB=${var.memory_gib}",
          "RUNNERS=${data.runnerfit_docker_runners.mac.total_runners}",
        ],
        var.cpus == null ? [] : ["VM_CPUS=${var.cpus}"],
        [""],
      ))
    }
    start = {
      path    = "${local.directory}/start.sh"
      mode    = "0755"
      content = file("${path.module}/files/start.sh")
    }
    check = {
      path    = "${local.directory}/check.sh"
      mode    = "0755"
      content = file("${path.module}/files/check.sh")
    }
    launchd = {
      path = "${pathexpand(var.launch_agents_directory)}/${local.label}.plist"
      mode = "0644"
      content = templatefile("${path.module}/files/launchd.plist.tftpl", {
        label            = local.label
        directory        = local.directory
        interval_seconds = var.check_minutes * 60
      })
    }
  }`)
	d.gap()
	d.comment(`A file each. Terraform writes it when it is new or changes, and removes it on
destroy; what somebody else wrote or changed is never overwritten or removed.`)
	b = d.block("resource", "terraform_data", "file")
	b.set("for_each", "local.files")
	b.gap()
	b.set("input", `merge(each.value, { script = file("${path.module}/files/place.sh") })`)
	b.set("triggers_replace", "[each.value.path, each.value.mode, sha256(each.value.content)]")
	b.gap()
	{
		provisioner := b.block("provisioner", "local-exec")
		provisioner.set("command", "self.input.script")
		provisioner.set("environment", `{
      PLACE_ACTION  = "write"
      PLACE_PATH    = self.input.path
      PLACE_MODE    = self.input.mode
      PLACE_CONTENT = self.input.content
    }`)
	}
	b.gap()
	{
		provisioner := b.block("provisioner", "local-exec")
		provisioner.set("when", "destroy")
		provisioner.set("command", "self.input.script")
		provisioner.set("environment", `{
      PLACE_ACTION  = "remove"
      PLACE_PATH    = self.input.path
      PLACE_CONTENT = self.input.content
    }`)
	}
	return d.as("main.tf")
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
