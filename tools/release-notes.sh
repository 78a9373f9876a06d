#!/bin/sh
# Print the section of CHANGELOG.md about the version in tools/version.txt: the
# notes of its release. Fails when there is none.
set -eu
cd "$(dirname "$0")/.."
version=$(cat tools/version.txt)
notes=$(awk -v heading="## [$version]" '
  index($0, heading) == 1 { inside = 1; next }
  /^## / || /^\[[^]]*\]: / { inside = 0 }
  inside { print }
' CHANGELOG.md)
[ -n "$(printf %s "$notes" | tr -d '[:space:]')" ] || {
  echo "release-notes: CHANGELOG.md has no section \"## [$version] - DATE\"." >&2
  exit 1
}
printf '%s\n' "$notes"
