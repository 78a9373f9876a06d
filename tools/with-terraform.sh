#!/bin/sh
# Run a command with the environment that the tests which start Terraform need.
# Usage: tools/with-terraform.sh [--opentofu] COMMAND [ARGUMENT...]
#
# TF_ACC_TERRAFORM_PATH is always set: without it the test framework tries to
# download a Terraform.
set -eu
tools=$(dirname "$0")
if [ "${1:-}" = --opentofu ]; then
  shift
  TF_ACC_TERRAFORM_PATH=$("$tools/opentofu.sh")
else
  TF_ACC_TERRAFORM_PATH=$("$tools/find-terraform.sh")
fi
# The tests bring their own providers and want nothing of the user's CLI
# configuration; one that cannot be read puts a warning into every output.
unset TF_CLI_CONFIG_FILE
# OpenTofu looks a provider without a host up in its own registry's namespace,
# so the provider under test has to be announced under that host.
case $(CHECKPOINT_DISABLE=1 "$TF_ACC_TERRAFORM_PATH" version 2>/dev/null) in
  # Not only at the start: warnings about the CLI configuration come first.
  *'OpenTofu v'*) export TF_ACC_PROVIDER_HOST=registry.opentofu.org ;;
  *) unset TF_ACC_PROVIDER_HOST ;;
esac
export TF_ACC_TERRAFORM_PATH CHECKPOINT_DISABLE=1
exec "$@"
