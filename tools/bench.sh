#!/bin/sh
# Measure the provider and the command line beside what else people run, and
# print a table. BENCHMARKS.md says what it holds.
# Usage: tools/bench.sh [FLAG...]      (tools/bench.sh -help lists the flags)
#
# Everything that is compared with is built from pinned versions.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
terraform=$("$root/tools/find-terraform.sh")
time=$("$root/tools/install-tool.sh" terraform-provider-time)
opa=$("$root/tools/install-tool.sh" opa)
# Settings of the caller's Terraform, log levels above all, would be measured.
for name in $(env | sed -n 's/^\(TF_[A-Za-z0-9_]*\)=.*/\1/p'); do
  unset "$name"
done
cd "$root"
mkdir -p bin
exe=$root/bin/bench$(go env GOEXE)
CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags='-s -w' -o "$exe" ./internal/tools/bench
exec "$exe" -terraform "$terraform" -time "$time" -opa "$opa" -json bin/bench.json "$@"
