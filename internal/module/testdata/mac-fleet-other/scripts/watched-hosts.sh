#!/bin/sh
# Print the fleet's hosts and their volumes, for the variable watched_hosts: alarms
# on volumes need the volumes' ids, which Auto Scaling chooses.
# Usage: scripts/watched-hosts.sh NAME DEVICE > watched_hosts.auto.tfvars.json
#        NAME is the fleet's, DEVICE its vmdata_device (/dev/sdf)
# It needs the AWS CLI and jq, and permission to describe instances.
set -eu
name=${1:?usage: watched-hosts.sh NAME DEVICE}
device=${2:?usage: watched-hosts.sh NAME DEVICE}
aws ec2 describe-instances --output json \
  --filters "Name=tag:aws:autoscaling:groupName,Values=$name" 'Name=instance-state-name,Values=pending,running' |
  jq --arg device "$device" '{watched_hosts: (
    [.Reservations[].Instances[]
      | . as $i
      | [.BlockDeviceMappings[] | {key: .DeviceName, value: .Ebs.VolumeId}] | from_entries
      | select(.[$i.RootDeviceName] and .[$device])
      | {key: $i.InstanceId, value: {root_volume_id: .[$i.RootDeviceName], vmdata_volume_id: .[$device]}}
    ] | from_entries)}'
