#!/bin/sh
# Rebuild everything in the repository that is generated. Running it on an
# unchanged tree changes nothing; .ci/run relies on that.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' HUP INT TERM

terraform=$(tools/find-terraform.sh)
tfplugindocs=$(tools/install-tool.sh tfplugindocs)
unset TF_CLI_ARGS TF_CLI_CONFIG_FILE TF_DATA_DIR TF_WORKSPACE TF_LOG TF_REATTACH_PROVIDERS
export CHECKPOINT_DISABLE=1

echo 'The embedded catalogue'
go generate ./...

echo 'The format of the examples'
"$terraform" fmt -recursive examples

echo "The provider's schema"
tools/mirror.sh "$tmp/mirror"
mkdir "$tmp/schema"
cat > "$tmp/schema/main.tf" <<'EOF'
terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}
EOF
export TF_CLI_CONFIG_FILE="$tmp/mirror/terraformrc"
"$terraform" -chdir="$tmp/schema" init -no-color > "$tmp/init.log" 2>&1 || {
  cat "$tmp/init.log" >&2
  exit 1
}
"$terraform" -chdir="$tmp/schema" providers schema -json > "$tmp/schema.json"
# tfplugindocs looks for a provider under the hashicorp namespace or under its
# bare name, never under its own namespace; and OpenTofu writes its own host.
sed 's#"registry\.[a-z]*\.[a-z]*/runnerfit/runnerfit"#"runnerfit"#' "$tmp/schema.json" > "$tmp/providers-schema.json"

echo 'The reference pages'
# This deletes docs/ and writes it anew from templates/ and examples/.
"$tfplugindocs" generate --provider-name runnerfit --rendered-provider-name runnerfit \
  --providers-schema "$tmp/providers-schema.json" > "$tmp/docs.log" 2>&1 || {
  cat "$tmp/docs.log" >&2
  exit 1
}

# Pages written by our own programs come last, because the step above has just
# deleted them.
if [ -d internal/tools/rulepages ]; then
  echo 'The pages of the rules'
  go run ./internal/tools/rulepages
fi
if [ -d internal/tools/docpictures ]; then
  echo 'The pictures'
  go run ./internal/tools/docpictures
fi
