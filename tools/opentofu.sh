#!/bin/sh
# Print the path of an OpenTofu binary: tofu on PATH, else one built from
# source into .cache/bin.
set -eu
command -v tofu || exec "$(dirname "$0")/install-tool.sh" tofu
