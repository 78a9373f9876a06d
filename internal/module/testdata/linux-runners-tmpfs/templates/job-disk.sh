#!/bin/bash
# Moves the directories that a job writes to into memory: a tmpfs that may grow
# beyond the memory, with swap that is compressed in memory for what is cold.
#
#   JOB_DISK_DIRECTORIES    directories, separated by spaces
#   JOB_DISK_LIMIT_PERCENT  what the tmpfs may hold, in percent of the memory
#   JOB_DISK_ZRAM_PERCENT   size of the swap before compression, likewise; 0: none
#
# It runs at first boot, before the runner starts. Run again, it changes nothing.
# If it fails, the directories are where they were.
set -euo pipefail

directories=${JOB_DISK_DIRECTORIES:-/home/runner /tmp /var/lib/docker /var/lib/containerd}
limit_percent=${JOB_DISK_LIMIT_PERCENT:-150}
zram_percent=${JOB_DISK_ZRAM_PERCENT:-100}
meminfo=${JOB_DISK_MEMINFO:-/proc/meminfo}
mount_point=${JOB_DISK_MOUNT_POINT:-/mnt/tmpfs}

say() { echo "job-disk: $*" >&2; }

memory_kib=$(awk '$1 == "MemTotal:" { print $2 }' "$meminfo")
if [ -z "$memory_kib" ]; then
  say "there is no MemTotal in $meminfo"
  exit 1
fi

# Cold pages of the tmpfs go to the swap. Its reads are single pages: reading
# ahead, made for disks, would only decompress what nobody asked for.
start_swap() {
  local device
  if grep -q '^/dev/zram' "${JOB_DISK_SWAPS:-/proc/swaps}"; then
    return
  fi
  modprobe zram
  device=$(zramctl --find --size "$((memory_kib * zram_percent / 100))KiB" --algorithm zstd)
  mkswap "$device" >/dev/null
  swapon --priority 100 "$device"
  sysctl -q -w vm.swappiness=150 vm.page-cluster=0
}

moved=()
stopped=()

# undo brings everything back to the disk, last first.
undo() {
  local status=$? i
  trap - EXIT
  if [ "$status" -ne 0 ]; then
    say "failed; the job's files stay on the disk"
    for ((i = ${#moved[@]} - 1; i >= 0; i--)); do
      umount "${moved[i]}" || true
    done
    if mountpoint -q "$mount_point"; then
      umount "$mount_point" || true
    fi
  fi
  if [ "${#stopped[@]}" -gt 0 ]; then
    systemctl start "${stopped[@]}" || status=1
  fi
  exit "$status"
}

if mountpoint -q "$mount_point"; then
  say "$mount_point is there already"
  exit 0
fi
trap undo EXIT

if [ "$zram_percent" -gt 0 ]; then
  start_swap
fi

# Nothing may write to a directory while it is copied. Their sockets would start
# the services again.
for unit in docker.socket docker.service containerd.service; do
  if systemctl is-active --quiet "$unit"; then
    systemctl stop "$unit"
    stopped=("$unit" ${stopped[@]+"${stopped[@]}"})
  fi
done

mkdir -p "$mount_point"
mount -t tmpfs -o "size=$((memory_kib * limit_percent / 100))k,mode=0755" job-disk "$mount_point"

for directory in $directories; do
  copy=$mount_point/$(echo "${directory#/}" | tr / -)
  mkdir -p "$directory" "$copy"
  # Owner, mode and extended attributes of the directory itself go along.
  cp -a "$directory/." "$copy/"
  mount --bind "$copy" "$directory"
  moved+=("$directory")
done

say "in memory: $directories; at most $((memory_kib * limit_percent / 100 / 1024)) MiB, swap $((memory_kib * zram_percent / 100 / 1024)) MiB before compression"
