#!/bin/bash
# Finds the volume of the cache server's index, makes a file system on it if it
# is empty, mounts it, and only then lets ECS start the server.
#
#   INDEX_VOLUME_ID  volume, such as vol-0123456789abcdef0
#   INDEX_DIRECTORY  where it is mounted
#   INDEX_CLUSTER    ECS cluster
#
# It runs at first boot; later boots mount by fstab. Run again, it changes
# nothing. A volume with anything but this file system on it is left alone.
set -euo pipefail

wait_seconds=${INDEX_WAIT_SECONDS:-600}
by_id=${INDEX_BY_ID:-/dev/disk/by-id}
fstab=${INDEX_FSTAB:-/etc/fstab}
ecs_config=${INDEX_ECS_CONFIG:-/etc/ecs/ecs.config}

say() { echo "index-volume: $*" >&2; }

# Device names change from boot to boot; the id in the name of this link does
# not. The volume is attached after the instance was made.
device=$by_id/nvme-Amazon_Elastic_Block_Store_${INDEX_VOLUME_ID/-/}
waited=0
until [ -e "$device" ]; do
  if [ "$waited" -ge "$wait_seconds" ]; then
    say "$INDEX_VOLUME_ID is not attached after $wait_seconds seconds; the server is not started"
    exit 1
  fi
  sleep 5
  waited=$((waited + 5))
done

# blkid answers 2 where it finds nothing at all; any other failure is no leave
# to format.
status=0
type=$(blkid -p -s TYPE -o value "$device") || status=$?
if [ "$status" -eq 2 ]; then
  say "making a file system on $INDEX_VOLUME_ID"
  mkfs.xfs -q "$device"
elif [ "$status" -ne 0 ] || [ "$type" != xfs ]; then
  say "$INDEX_VOLUME_ID has something else than XFS on it; the server is not started"
  exit 1
fi

mkdir -p "$INDEX_DIRECTORY"
uuid=$(blkid -p -s UUID -o value "$device")
if ! grep -q "^UUID=$uuid " "$fstab"; then
  echo "UUID=$uuid $INDEX_DIRECTORY xfs defaults,nofail,noatime 0 2" >>"$fstab"
fi
if ! mountpoint -q "$INDEX_DIRECTORY"; then
  mount "$INDEX_DIRECTORY"
fi
chown 1000:1000 "$INDEX_DIRECTORY"

# Written last: without a cluster the agent starts nothing. Tasks do not reach
# the instance's metadata and with it its role.
mkdir -p "$(dirname "$ecs_config")"
cat >"$ecs_config" <<EOF
ECS_CLUSTER=$INDEX_CLUSTER
ECS_AWSVPC_BLOCK_IMDS=true
EOF
