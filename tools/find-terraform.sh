#!/bin/sh
# Print the path of the Terraform-compatible binary to use: the one that
# TF_ACC_TERRAFORM_PATH names, else terraform on PATH, else tofu on PATH, else
# an OpenTofu built from source into .cache/bin.
set -eu

# Provider functions, which the examples call, came with Terraform 1.8 and
# OpenTofu 1.7; an older binary fails later with a message that does not say so.
new_enough() {
  version=$(CHECKPOINT_DISABLE=1 "$1" version -json 2>/dev/null |
    sed -n 's/.*"terraform_version": *"\([0-9]*\)\.\([0-9]*\)\..*/\1 \2/p')
  major=${version% *} minor=${version#* }
  if [ -z "$version" ]; then
    echo "$1 does not tell its version; not using it." >&2
    return 1
  fi
  if [ "$major" -gt 1 ] || { [ "$major" -eq 1 ] && [ "$minor" -ge "$2" ]; }; then
    return 0
  fi
  echo "$1 is version $major.$minor, too old for provider functions (1.$2 is needed); not using it." >&2
  return 1
}

# A choice made by hand is kept as it is, never replaced by a guess.
if [ -n "${TF_ACC_TERRAFORM_PATH:-}" ]; then
  if ! command -v "$TF_ACC_TERRAFORM_PATH"; then
    echo "TF_ACC_TERRAFORM_PATH is $TF_ACC_TERRAFORM_PATH, which cannot be run." >&2
    exit 1
  fi
  exit 0
fi
if path=$(command -v terraform) && new_enough "$path" 8; then
  echo "$path"
elif path=$(command -v tofu) && new_enough "$path" 7; then
  echo "$path"
else
  exec "$(dirname "$0")/install-tool.sh" tofu
fi
