terraform {
  required_version = ">= 1.8"

  required_providers {
    runnerfit = {
      source  = "runnerfit/runnerfit"
      version = ">= 0.1"
    }
  }
}
