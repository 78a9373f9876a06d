# shellcheck shell=bash
# What a host does at every boot: it grows the root volume, finds and mounts
# VMData, pulls the images that are missing, and tells the group that it is ready.
# The settings stand above; Terraform writes them.
#
# macOS runs user data once in an instance's life, so the first run installs this
# file as a launch daemon. Everything in it can run again: a volume that has a file
# system is never formatted, an image that is complete is not pulled again.
#
# If something cannot be done, the host does not signal. The group then replaces it
# when the allowed time is over, which leaves time to look: /var/log/$FLEET_NAME.log.
#
# It is written for bash 3.2, which macOS has.
set -euo pipefail

# STUBS and ROOT are for tests: commands in place of the system's, a folder in place of /.
PATH=${STUBS:+$STUBS:}/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
ROOT=${ROOT:-}
LABEL=com.runnerfit.$FLEET_NAME
INSTALLED=$ROOT/usr/local/libexec/$FLEET_NAME/host.sh
DAEMONS=$ROOT/Library/LaunchDaemons
VMDATA=$ROOT/Volumes/VMData
TRIES=${TRIES:-5}
PAUSE_SECONDS=${PAUSE_SECONDS:-5}
export AWS_DEFAULT_REGION=$REGION

log() { printf '%s %s\n' "$(date -u +%FT%TZ)" "$*" >&2; }

fail() {
  log "failed: $*"
  exit 1
}

# retry WHAT COMMAND... runs a command until it works, with longer and longer pauses.
retry() {
  local what=$1 try=1 pause=$PAUSE_SECONDS
  shift
  until "$@"; do
    [ "$try" -lt "$TRIES" ] || {
      log "$what: given up after $try tries"
      return 1
    }
    log "$what: try $try did not work, again in $pause s"
    sleep "$pause"
    try=$((try + 1)) pause=$((pause * 2))
  done
}

metadata() {
  local token
  token=$(curl -fsS -m 5 -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 300' http://169.254.169.254/latest/api/token) || return 1
  curl -fsS -m 5 -H "X-aws-ec2-metadata-token: $token" "http://169.254.169.254/latest/meta-data/$1"
}

# launch_daemon NAME ARGUMENT KEYS writes a daemon that starts this file.
launch_daemon() {
  local plist=$DAEMONS/$LABEL.$1.plist
  cat > "$plist.new" << PLIST
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>$LABEL.$1</string>
  <key>ProgramArguments</key>
  <array><string>/bin/bash</string><string>$INSTALLED</string><string>$2</string></array>
  $3
  <key>StandardErrorPath</key><string>/var/log/$FLEET_NAME.log</string>
  <key>StandardOutPath</key><string>/var/log/$FLEET_NAME.log</string>
</dict>
</plist>
PLIST
  chmod 644 "$plist.new"
  mv "$plist.new" "$plist"
}

# install makes the next boot run this file, too.
install_daemons() {
  mkdir -p "$(dirname "$INSTALLED")" "$DAEMONS"
  cp "$0" "$INSTALLED.new"
  chmod 755 "$INSTALLED.new"
  mv "$INSTALLED.new" "$INSTALLED"
  launch_daemon prepare prepare '<key>RunAtLoad</key><true/>'
  launch_daemon report report '<key>StartInterval</key><integer>300</integer>'
  # The prepare daemon is loaded by the next boot; this run does its work now.
  launchctl bootstrap system "$DAEMONS/$LABEL.report.plist" || log 'the reporting daemon is loaded already'
}

# grow_root gives the root file system all of its volume. A file system that has it
# already is no failure, and neither is a boot with less room.
grow_root() {
  local store
  store=$(diskutil info / | awk -F': *' '/APFS Physical Store:/ { print $2; exit }')
  [ -n "$store" ] || {
    log 'root: no APFS store found; it keeps its size'
    return 0
  }
  diskutil repairDisk "$(whole_disk "$store")" > /dev/null <<< y || log 'root: the partition map could not be repaired'
  diskutil apfs resizeContainer "$store" 0 > /dev/null || log 'root: not grown; it may have its full size already'
}

# whole_disk disk0s2 is disk0.
whole_disk() { printf '%s\n' "$1" | sed -E 's/s[0-9]+$//'; }

# vmdata_volume prints the id of the volume that is attached as VMData.
vmdata_volume() {
  local id
  id=$(aws ec2 describe-volumes --output text --query 'Volumes[0].VolumeId' \
    --filters "Name=attachment.instance-id,Values=$INSTANCE_ID" "Name=attachment.device,Values=$VMDATA_DEVICE") || return 1
  case $id in vol-*) printf '%s\n' "$id" ;; *) return 1 ;; esac
}

# disk_of VOLUME prints the disk of an EBS volume. Disks are numbered anew at every
# boot; what stays is the serial number, which is the volume's id without its hyphen.
disk_of() {
  local disk
  disk=$(system_profiler SPNVMeDataType | awk -v want="${1/-/}" '
    /Serial Number:/ { serial = $NF }
    /BSD Name:/ && serial == want { print $NF; exit }')
  [ -n "$disk" ] && printf '%s\n' "$disk"
}

# vmdata_slice DISK prints the APFS volume VMData on a disk, if there is one.
vmdata_slice() {
  local container
  container=$(diskutil list "$1" | awk '/Apple_APFS/ { for (i = 1; i < NF; i++) if ($i == "Container") { print $(i + 1); exit } }')
  [ -n "$container" ] || return 1
  diskutil list "$container" | awk '/APFS Volume VMData / { print $NF; found = 1; exit } END { exit !found }'
}

# empty_disk DISK says whether nothing was ever put on a disk: its list has the line
# of the disk alone.
empty_disk() {
  local lines
  lines=$(diskutil list "$1" | grep -cE '^ +[0-9]+:') || return 1
  [ "$lines" -eq 1 ] && ! diskutil list "$1" | grep -qE 'GUID_partition_scheme|Apple_|Container|Volume'
}

mount_vmdata() {
  local volume disk slice where
  volume=$(retry 'looking up the VMData volume' vmdata_volume) || fail "no volume is attached as $VMDATA_DEVICE"
  disk=$(retry "looking for the disk of $volume" disk_of "$volume") || fail "no disk has the serial number of $volume"
  if ! slice=$(vmdata_slice "$disk"); then
    empty_disk "$disk" || fail "$disk ($volume) has something on it that is not VMData; it is not formatted"
    log "VMData: formatting $disk ($volume)"
    diskutil eraseDisk APFS VMData GPT "$disk" > /dev/null || fail "$disk could not be formatted"
    slice=$(vmdata_slice "$disk") || fail "$disk has no volume VMData after formatting"
  fi
  diskutil mount "$slice" > /dev/null || log "VMData: $slice was not mounted now"
  # Where a folder is in its place, macOS mounts a volume under another name.
  where=$(diskutil info "$slice" | awk -F': +' '/Mount Point:/ { print $2; exit }')
  [ "$where" = "$VMDATA" ] || fail "$slice is mounted at '$where' and not at $VMDATA"
  # Spotlight would read every image from end to end.
  mdutil -i off "$VMDATA" > /dev/null 2>&1 || log 'VMData: Spotlight could not be switched off'
  log "VMData: $volume is $disk, mounted from $slice"
}

# fetch URL writes the object to standard output.
fetch() {
  case $1 in
    s3://*) aws s3 cp --only-show-errors "$1" - ;;
    *) curl -fsSL --connect-timeout 10 --speed-limit 1048576 --speed-time 60 "$1" ;;
  esac
}

# image_name URL is the name of an image's folder: the file without .tar.zst.
image_name() { basename "${1%%\?*}" | sed -E 's/\.(tar\.zst|tzst)$//'; }

# unpack URL FOLDER is one pipeline: download, decompress, unpack.
unpack() {
  rm -rf "$2" && mkdir -p "$2" || return 1
  fetch "$1" | zstd -dc | tar -xf - -C "$2"
}

pull() {
  local images=$VMDATA/images name
  name=$(image_name "$1")
  [ ! -d "$images/$name" ] || {
    log "$name: is there already"
    return 0
  }
  # An image appears under its name when it is complete, not before.
  retry "pulling $name" unpack "$1" "$images/.$name.partial" || return 1
  mv "$images/.$name.partial" "$images/$name"
  log "$name: pulled"
}

# pull_images pulls all at the same time: one pipeline alone does not use the volume.
pull_images() {
  local url pids='' pid failed=0
  mkdir -p "$VMDATA/images"
  while IFS= read -r url; do
    [ -n "$url" ] || continue
    pull "$url" &
    pids="$pids $!"
  done << URLS
$IMAGE_URLS
URLS
  for pid in $pids; do wait "$pid" || failed=$((failed + 1)); done
  [ "$failed" -eq 0 ] || fail "images that could not be pulled: $failed"
}

lifecycle_state() {
  aws autoscaling describe-auto-scaling-instances --instance-ids "$INSTANCE_ID" --output text --query 'AutoScalingInstances[0].LifecycleState'
}

complete() {
  aws autoscaling complete-lifecycle-action --lifecycle-hook-name "$LIFECYCLE_HOOK" --auto-scaling-group-name "$FLEET_NAME" \
    --instance-id "$INSTANCE_ID" --lifecycle-action-result CONTINUE
}

# signal_ready tells the group, if it waits; after a reboot it does not.
signal_ready() {
  local state
  state=$(retry 'asking for the state in the group' lifecycle_state) || fail 'the group does not answer'
  case $state in
    Pending*) retry 'signalling readiness' complete || fail 'readiness could not be signalled' ;;
    *) log "the group does not wait ($state)" ;;
  esac
  log 'ready'
}

# report publishes how many hosts are allocated, which CloudWatch does not count:
# hosts that scrub or wait to be released are billed and run nothing.
report() {
  local hosts
  hosts=$(aws resource-groups list-group-resources --group "$HOST_GROUP_ARN" --output text --query 'length(ResourceIdentifiers)')
  aws cloudwatch put-metric-data --namespace "$METRIC_NAMESPACE" \
    --metric-data "MetricName=AllocatedHosts,Dimensions=[{Name=AutoScalingGroupName,Value=$FLEET_NAME}],Value=$hosts,Unit=Count"
}

# prepare does the work, one run at a time: an image that was made of a host has
# the daemon already. macOS empties /var/run at every boot.
prepare() {
  local lock=$ROOT/var/run/$LABEL.lock
  mkdir -p "$ROOT/var/run"
  mkdir "$lock" 2> /dev/null || {
    log 'another run is at work'
    return 0
  }
  # shellcheck disable=SC2064 # The name as it is now.
  trap "rmdir '$lock'" EXIT
  grow_root
  mount_vmdata
  pull_images
  signal_ready
}

INSTANCE_ID=$(retry 'asking for the instance id' metadata instance-id) || fail 'the instance metadata do not answer'
case ${1:-first-boot} in
  first-boot)
    install_daemons
    prepare
    ;;
  prepare) prepare ;;
  report) report ;;
  *) fail "no such command: $1" ;;
esac
