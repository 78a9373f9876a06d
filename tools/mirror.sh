#!/bin/sh
# Build the provider into a filesystem mirror, with a CLI configuration that
# installs it from there. A mirror, unlike dev_overrides, works with
# `terraform init`, with modules and with `terraform test`.
# Usage: tools/mirror.sh DIR [VERSION]
#
# Afterwards, for Terraform and OpenTofu alike:
#   export TF_CLI_CONFIG_FILE=DIR/terraformrc
#
# MIRROR_EXTRA adds further providers from this module, as a list of
# NAMESPACE/NAME:VERSION:PACKAGE separated by spaces. Any other provider found
# in the folder, laid out the same way, is used as well.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dir=${1:?usage: tools/mirror.sh DIR [VERSION]}
version=${2:-$(cat "$root/tools/version.txt")}
version=${version#v}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
cd "$root"
platform=$(go env GOOS)_$(go env GOARCH)
exe=$(go env GOEXE)

# build PACKAGE VERSION FILE
build() {
  CGO_ENABLED=0 go build -trimpath -buildvcs=false \
    -ldflags="-s -w -X main.version=$2" -o "$3" "$1"
}

# install_provider NAMESPACE/NAME VERSION BINARY
# puts a provider under both registries' names, because each tool looks a
# source without a host up under its own.
install_provider() {
  for host in registry.terraform.io registry.opentofu.org; do
    target=$dir/$host/$1/$2/$platform
    rm -rf "$target"
    mkdir -p "$target"
    file=$target/terraform-provider-${1#*/}_v$2$exe
    ln "$3" "$file" 2>/dev/null || cp "$3" "$file"
  done
}

scratch=$dir/.build
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM
mkdir -p "$scratch"

build . "$version" "$scratch/provider"
install_provider runnerfit/runnerfit "$version" "$scratch/provider"
for extra in ${MIRROR_EXTRA:-}; do
  address=${extra%%:*} rest=${extra#*:}
  rm -f "$scratch/provider"
  build "${rest#*:}" "${rest%%:*}" "$scratch/provider"
  install_provider "$address" "${rest%%:*}" "$scratch/provider"
done

# What is in the mirror comes from the mirror only; everything else from the
# registries as usual.
addresses=
for path in "$dir"/registry.*/*/*; do
  addresses="$addresses${addresses:+, }\"${path#"$dir/"}\""
done
cat > "$dir/terraformrc" <<EOF
provider_installation {
  filesystem_mirror {
    path    = "$dir"
    include = [$addresses]
  }
  direct {
    exclude = [$addresses]
  }
}
EOF
