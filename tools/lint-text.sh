#!/bin/sh
# Check what golangci-lint does not read: the spelling of the pages, and the
# workflows.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
misspell=$(tools/install-tool.sh misspell)
actionlint=$(tools/install-tool.sh actionlint)

# British, with -ize; names of APIs and of attributes keep their spelling. What
# is in docs is made of these.
git ls-files -z -- '*.md' '*.md.tmpl' ':!docs' |
  xargs -0 "$misspell" -error -locale UK \
    -i artifact,artifacts,optimized,optimize,organization,organizations,utilization,virtualization,initialize
# Shell scripts in workflows are checked where there is a shellcheck.
"$actionlint"
