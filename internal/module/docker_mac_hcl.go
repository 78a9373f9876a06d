package module

import (
	"fmt"
	"strconv"
)

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
      content = file("${path.module}/templates/start.sh")
    }
    check = {
      path    = "${local.directory}/check.sh"
      mode    = "0755"
      content = file("${path.module}/templates/check.sh")
    }
    launchd = {
      path = "${pathexpand(var.launch_agents_directory)}/${local.label}.plist"
      mode = "0644"
      content = templatefile("${path.module}/templates/launchd.plist.tftpl", {
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
	b.set("input", `merge(each.value, { script = file("${path.module}/templates/place.sh") })`)
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
