#!/bin/sh
# Check every shell script with shellcheck: the project's own, and those that are
# part of generated modules. Where shellcheck is missing, it is installed from
# Debian's packages, if that can be done.
set -eu
cd "$(dirname "$0")/.."
if ! command -v shellcheck > /dev/null; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get > /dev/null; then
    echo 'shellcheck is not installed; install the package shellcheck.' >&2
    exit 1
  fi
  { apt-get install -y -qq shellcheck || { apt-get update -qq && apt-get install -y -qq shellcheck; }; } > /dev/null
fi
# What stands in testdata is a copy, or stands for other commands.
git ls-files -z '*.sh' .ci/run ':!*/testdata/mac-fleet*' | xargs -0 shellcheck
