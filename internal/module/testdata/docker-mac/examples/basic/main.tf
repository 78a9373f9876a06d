# The runners of this Mac. Write org1.env beside the Compose file, apply, and run
# the load_command.

terraform {
  required_version = ">= 1.8"

  required_providers {
    runnerfit = {
      source  = "runnerfit/runnerfit"
      version = ">= 0.1"
    }
  }
}

module "runners" {
  source = "../.."

  directory  = "~/ci-runners"
  memory_gib = 20
}

output "runners" {
  value = module.runners.runners
}

output "env_files" {
  value = module.runners.env_files
}

output "load_command" {
  value = module.runners.load_command
}
