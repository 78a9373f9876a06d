#!/bin/sh
# Watch the provider refuse an undersized Mac runner volume at plan, then plan,
# apply and destroy a well-sized fleet, whose AWS resources a stand-in for
# hashicorp/aws serves. Needs no account and no credentials; with the Go modules
# at hand, no network either. Leaves nothing behind but .cache.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

rule=mac-root-throughput
# The spaces are loose because `terraform fmt` aligns the equals signs.
line='throughput_mib_per_s *= *125'

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' HUP INT TERM

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
# heading TITLE WHY: no blank line after it, the tools begin with one.
heading() { printf '\n%s== %s%s\n%s\n' "$bold" "$1" "$plain" "$2"; }
ok() { printf '\nok: %s\n' "$1"; }
fail() {
  printf '\nThe demo did not go as it should: %s\n' "$1" >&2
  exit 1
}
# quietly COMPLAINT COMMAND... shows what the command said only when it failed.
quietly() {
  complaint=$1
  shift
  "$@" > "$tmp/log" 2>&1 || {
    cat "$tmp/log" >&2
    fail "$complaint"
  }
}
# without_colour FILE
without_colour() {
  esc=$(printf '\033')
  sed "s/$esc\[[0-9;]*m//g" "$1"
}

terraform=$(tools/find-terraform.sh)
# The caller's own settings (a workspace, a data folder, extra arguments,
# variables, log levels, a debugged provider) must not change what is shown.
for name in $(env | sed -n 's/^\(TF_[A-Za-z0-9_]*\)=.*/\1/p'); do
  unset "$name"
done
export TF_CLI_CONFIG_FILE="$tmp/mirror/terraformrc" TF_IN_AUTOMATION=1 TF_INPUT=0 CHECKPOINT_DISABLE=1
[ -n "$bold" ] || export TF_CLI_ARGS=-no-color

heading 'Build the provider' \
  "It goes into a temporary local mirror, from which $(basename "$terraform") installs it without a network.
Beside it goes a stand-in for hashicorp/aws, which has the real one's schema and makes up results: no account is needed."
echo
MIRROR_EXTRA=hashicorp/aws:6.25.0:./internal/testing/awsstandin/cmd/terraform-provider-aws \
  tools/mirror.sh "$tmp/mirror"
mkdir "$tmp/examples"
for example in mac-fleet-undersized mac-fleet; do
  cp -R "examples/$example" "$tmp/examples/"
  # Left over from somebody's own run in the examples folder.
  rm -rf "$tmp/examples/$example/.terraform" "$tmp/examples/$example"/.terraform.lock.hcl \
    "$tmp/examples/$example"/terraform.tfstate*
done
# in_example NAME COMMAND...
in_example() {
  folder=$tmp/examples/$1
  shift
  "$terraform" -chdir="$folder" "$@"
}
"$terraform" version | sed -n 1p
ok "provider $(cat tools/version.txt) is built and in the mirror."

heading 'Plan an undersized fleet (examples/mac-fleet-undersized)' \
  'Its root volume is left at the 125 MiB/s of an untouched gp3, so the plan must be refused before anything costs money.'
quietly 'init failed.' in_example mac-fleet-undersized init
if in_example mac-fleet-undersized plan > "$tmp/refusal" 2>&1; then
  cat "$tmp/refusal"
  fail 'the plan of the undersized fleet was accepted.'
fi
cat "$tmp/refusal"
without_colour "$tmp/refusal" > "$tmp/refusal.txt"
grep -q -e "$rule" "$tmp/refusal.txt" || fail "the refusal does not name the rule $rule."
grep -q -e "$line" "$tmp/refusal.txt" || fail "the refusal does not point at the line 'throughput_mib_per_s = 125'."
ok "refused by rule $rule, pointing at the line 'throughput_mib_per_s = 125'."

heading 'Plan the well-sized fleet (examples/mac-fleet)' \
  'The same fleet with enough throughput, its hosts and what runs on them: the plan fills in what was left out, predicts the start-up and says what failed launches will cost.'
quietly 'init failed.' in_example mac-fleet init
in_example mac-fleet plan -out=demo.tfplan || fail 'the plan of the well-sized fleet was refused.'
ok 'the plan is accepted.'

heading 'Apply it' \
  'The launch template, the group and the hosts take their values from the guards. With the stand-in, nothing is created in any account.'
quietly 'apply failed.' in_example mac-fleet apply -auto-approve demo.tfplan
echo
in_example mac-fleet output
ok 'applied; these are the filled-in settings, the predicted start-up and the cost of failed launches.'

heading 'Plan it once more' \
  'Nothing has changed, so the second plan must be empty.'
quietly 'the second plan is not empty.' in_example mac-fleet plan -detailed-exitcode
ok 'no changes.'

heading 'Destroy it' \
  'A guard must never stand in the way of taking things down.'
quietly 'destroy failed.' in_example mac-fleet destroy -auto-approve
ok 'destroyed.'

heading 'What you saw' \
  "1. A plan refused for its undersized root volume, with the rule, the line and what to write instead.
2. The well-sized fleet planned and applied: settings filled in, start-up predicted, AWS resources that take their values from the guards.
3. A second plan without changes, and a destroy that nothing blocked.
Next: copy examples/mac-fleet, or read docs/index.md."
