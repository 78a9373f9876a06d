#!/bin/sh
# Build a release of the last commit as a snapshot into dist and look at every
# file of it. Nothing is published, and no network is needed once the tools are
# built.
# Usage: tools/release-check.sh [--all]
#
# Without --all only this machine's platform is built, which takes a minute or
# two; with it all platforms are, as in a release. The checksums are signed with
# a key that is made for this run and thrown away, where there is a gpg.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
all=
[ "${1:-}" != --all ] || all=yes
tmp=$(mktemp -d)
stop() {
  [ ! -d "$tmp/gpg" ] || GNUPGHOME=$tmp/gpg gpgconf --kill all > /dev/null 2>&1 || true
  rm -rf "$tmp"
}
trap stop EXIT
trap 'exit 130' HUP INT TERM

# quietly COMMAND... shows what the command said only when it failed.
quietly() {
  "$@" > "$tmp/log" 2>&1 || {
    cat "$tmp/log" >&2
    exit 1
  }
}

goreleaser=$(tools/install-tool.sh goreleaser)
PATH=$(dirname "$(tools/install-tool.sh cyclonedx-gomod)"):$PATH
export PATH HOMEBREW_TAP_TOKEN=none

# A clone has the tag and the remote that a release has, whatever is here.
[ -z "$(git status --porcelain)" ] || echo 'Changes that are not committed are not in the release.'
git -c advice.detachedHead=false clone --quiet . "$tmp/source"
cd "$tmp/source"
version=$(cat tools/version.txt)
git remote set-url origin https://github.com/runnerfit/terraform-provider-runnerfit.git
git tag "v$version"

config=.goreleaser.yml
if [ -z "$all" ]; then
  config=$tmp/goreleaser.yml
  sed -e "s/goos: \[.*\]/goos: [$(go env GOOS)]/" -e "s/goarch: \[.*\]/goarch: [\"$(go env GOARCH)\"]/" \
    .goreleaser.yml > "$config"
fi
skip=publish
if command -v gpg > /dev/null; then
  mkdir -m 700 "$tmp/gpg"
  export GNUPGHOME="$tmp/gpg"
  quietly gpg --batch --passphrase '' --quick-generate-key 'release check <nobody@example.com>' rsa2048 sign 1d
  GPG_FINGERPRINT=$(gpg --batch --list-keys --with-colons 2> /dev/null | sed -n 's/^fpr:*\([0-9A-F]*\):$/\1/p' | head -n 1)
  export GPG_FINGERPRINT
else
  skip=publish,sign
  echo 'There is no gpg here: the signature is not checked.'
fi

quietly "$goreleaser" check "$config"
quietly "$goreleaser" release --snapshot --clean --skip="$skip" --config "$config"

sums=dist/terraform-provider-runnerfit_${version}_SHA256SUMS
[ "$skip" != publish ] || quietly gpg --batch --verify "$sums.sig" "$sums"
go run ./internal/tools/releasecheck -version "$version" ${all:+-all} dist

# The same commit gives the same bytes in another folder, built without GoReleaser.
mkdir "$tmp/again"
git archive HEAD | tar -x -C "$tmp/again"
(cd "$tmp/again" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w -X main.version=$version" -o "$tmp/provider" .)
cmp "$tmp/provider" dist/provider_"$(go env GOOS)_$(go env GOARCH)"*/terraform-provider-runnerfit_v* || {
  echo 'release-check: the same source gave another binary.' >&2
  exit 1
}
echo 'ok: the binary is reproducible.'

rm -rf "$root/dist"
mv dist "$root/dist"
