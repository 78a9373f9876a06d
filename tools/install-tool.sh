#!/bin/sh
# Build a pinned tool into .cache/bin and print its path.
# Usage: tools/install-tool.sh NAME
#
# The versions are in the go.mod files of the tools folders. A tool is built
# again only when its go.mod, its go.sum or the Go version has changed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
name=${1:?usage: tools/install-tool.sh NAME}
ldflags='-s -w'
case $name in
  golangci-lint)
    module=tools/golangci-lint package=github.com/golangci/golangci-lint/v2/cmd/golangci-lint ;;
  tofu)
    module=tools/opentofu package=github.com/opentofu/opentofu/cmd/tofu
    # Without this it calls itself a -dev version, which satisfies no
    # required_version.
    ldflags="$ldflags -X github.com/opentofu/opentofu/version.dev=no" ;;
  tfplugindocs)
    module=tools package=github.com/hashicorp/terraform-plugin-docs/cmd/tfplugindocs ;;
  govulncheck)
    module=tools package=golang.org/x/vuln/cmd/govulncheck ;;
  goreleaser)
    module=tools/goreleaser package=github.com/goreleaser/goreleaser/v2 ;;
  actionlint)
    module=tools/checks package=github.com/rhysd/actionlint/cmd/actionlint ;;
  cyclonedx-gomod)
    module=tools/checks package=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod ;;
  misspell)
    module=tools/checks package=github.com/golangci/misspell/cmd/misspell ;;
  benchstat)
    module=tools package=golang.org/x/perf/cmd/benchstat ;;
  opa)
    module=tools/bench/opa package=github.com/open-policy-agent/opa ;;
  terraform-provider-time)
    module=tools/bench/time package=github.com/hashicorp/terraform-provider-time ;;
  *)
    echo "install-tool: no tool is called $name" >&2
    exit 2 ;;
esac

bin=$root/.cache/bin/$name
stamp=$root/.cache/bin/.$name.stamp
cd "$root/$module"
# The flags are part of the stamp because they change the binary as well.
want=$({ cat go.mod go.sum; go version; echo "$ldflags"; } | cksum)
if [ -x "$bin" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then
  echo "$bin"
  exit 0
fi

case $name in
  tofu) echo "Building OpenTofu from source into .cache/bin; this takes about 4 minutes, once." >&2 ;;
  goreleaser) echo "Building GoReleaser from source into .cache/bin; this takes about 4 minutes, once." >&2 ;;
  *) echo "Building $name into .cache/bin." >&2 ;;
esac
mkdir -p "$root/.cache/bin"
# An interrupted build must not leave half a binary under the tool's name.
new=$bin.new.$$
trap 'rm -f "$new"' EXIT
trap 'exit 130' HUP INT TERM
# No version control stamp: it says nothing about a pinned tool, and git
# refuses to answer when the checkout belongs to another user.
CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="$ldflags" -o "$new" "$package" >&2
mv "$new" "$bin"
echo "$want" > "$stamp"
echo "$bin"
