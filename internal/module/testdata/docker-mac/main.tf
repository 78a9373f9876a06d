locals {
  # Runners of each organisation, all of which can be at their limit at once.
  fitting  = floor(data.runnerfit_docker_runners.capacity.runners_without_overcommit / var.organizations)
  replicas = var.replicas != null ? var.replicas : max(local.fitting, 1)

  directory = pathexpand(var.directory)
  label     = "runnerfit.${var.name}"

  files = {
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
  }
}

# A file each. Terraform writes it when it is new or changes, and removes it on
# destroy; what somebody else wrote or changed is never overwritten or removed.
resource "terraform_data" "file" {
  for_each = local.files

  input            = merge(each.value, { script = file("${path.module}/templates/place.sh") })
  triggers_replace = [each.value.path, each.value.mode, sha256(each.value.content)]

  provisioner "local-exec" {
    command = self.input.script
    environment = {
      PLACE_ACTION  = "write"
      PLACE_PATH    = self.input.path
      PLACE_MODE    = self.input.mode
      PLACE_CONTENT = self.input.content
    }
  }

  provisioner "local-exec" {
    when    = destroy
    command = self.input.script
    environment = {
      PLACE_ACTION  = "remove"
      PLACE_PATH    = self.input.path
      PLACE_CONTENT = self.input.content
    }
  }
}
