#!/bin/bash
# Stands for the commands of a Mac and for AWS in tests of host.sh: it is called by
# the name of each. $STATE has what the machine is like:
#   disks             a line for each disk: DISK VOLUME-ID (disk0 is the root's)
#   attached          id of the volume that is attached as VMData
#   volumes/ID        apfs or foreign; an empty volume has no file
#   bucket/FILE       objects
#   failing/FILE      how often fetching the object fails
#   lifecycle         the instance's state in its group
#   elsewhere         where VMData is mounted instead
# Calls that change something are written to $STATE/calls.
set -euo pipefail
name=$(basename "$0")
called() { printf '%s %s\n' "$name" "$*" >> "$STATE/calls"; }
volume_of() { awk -v d="$1" '$1 == d { print $2 }' "$STATE/disks"; }
object() {
  local file left
  file=$(basename "${1%%\?*}")
  left=$(cat "$STATE/failing/$file" 2> /dev/null || echo 0)
  if [ "$left" -gt 0 ]; then
    echo $((left - 1)) > "$STATE/failing/$file"
    head -c 100 "$STATE/bucket/$file" # a connection that breaks
    exit 1
  fi
  cat "$STATE/bucket/$file"
}

case "$name $*" in
  'system_profiler SPNVMeDataType')
    while read -r disk volume; do
      printf '        Amazon Elastic Block Store:\n\n          Capacity: 107,37 GB\n          Model: Amazon Elastic Block Store\n          Serial Number: %s\n          BSD Name: %s\n          Volumes:\n            EFI:\n              BSD Name: %ss1\n' "${volume/-/}" "$disk" "$disk"
    done < "$STATE/disks"
    ;;
  'diskutil info /') printf '   Device Node:               /dev/disk3s1s1\n   APFS Physical Store:       disk0s2\n' ;;
  'diskutil info disk9'*) printf '   Mounted:                   Yes\n   Mount Point:               %s\n' "$(cat "$STATE/elsewhere" 2> /dev/null || echo "$ROOT/Volumes/VMData")" ;;
  # disk90 is the container on disk0, and so on.
  'diskutil list disk9'*)
    printf '/dev/%s (synthesized):\n   #:   TYPE NAME   SIZE   IDENTIFIER\n   0:   APFS Container Scheme -   +805.1 GB   %s\n        Physical Store disk%ss2\n   1:   APFS Volume VMData   1.1 MB   %ss1\n' "$2" "$2" "${2#disk9}" "$2"
    ;;
  'diskutil list '*)
    printf '/dev/%s (external, physical):\n   #:   TYPE NAME   SIZE   IDENTIFIER\n' "$2"
    case $(cat "$STATE/volumes/$(volume_of "$2")" 2> /dev/null || true) in
      apfs) printf '   0:   GUID_partition_scheme   *805.3 GB   %s\n   1:   EFI EFI   209.7 MB   %ss1\n   2:   Apple_APFS Container disk9%s   805.1 GB   %ss2\n' "$2" "$2" "${2#disk}" "$2" ;;
      foreign) printf '   0:   FDisk_partition_scheme   *805.3 GB   %s\n   1:   Windows_NTFS Backup   805.1 GB   %ss1\n' "$2" "$2" ;;
      *) printf '   0:                            *805.3 GB   %s\n' "$2" ;;
    esac
    ;;
  'diskutil eraseDisk APFS VMData GPT '*)
    called "$@"
    echo apfs > "$STATE/volumes/$(volume_of "$5")"
    ;;
  'diskutil mount '*)
    called "$@"
    mkdir -p "$ROOT/Volumes/VMData"
    ;;
  'diskutil repairDisk '*)
    read -r answer
    [ "$answer" = y ]
    called "$@"
    ;;
  'diskutil apfs resizeContainer '*) called "$@" ;;
  'aws ec2 describe-volumes '*'Values=i-0123456789abcdef0 Name=attachment.device,Values=/dev/sdf') cat "$STATE/attached" ;;
  'aws s3 cp --only-show-errors s3://'*' -') object "$4" ;;
  'curl '*api/token*) echo secret-token ;;
  'curl '*secret-token*meta-data/instance-id) printf i-0123456789abcdef0 ;;
  'curl '*https://*) object "${!#}" ;;
  'aws autoscaling describe-auto-scaling-instances '*) cat "$STATE/lifecycle" ;;
  'aws autoscaling complete-lifecycle-action '*)
    called "$@"
    echo InService > "$STATE/lifecycle"
    ;;
  'aws resource-groups list-group-resources '*) echo 5 ;;
  'aws cloudwatch put-metric-data '*) called "$@" ;;
  'zstd -dc') cat ;;
  'launchctl '* | 'mdutil '*) ;;
  'sleep '*) called "$@" ;;
  *)
    echo "not known here: $name $*" >&2
    exit 64
    ;;
esac
