#!/bin/sh
# Compares Docker and its runners with what was planned (.env beside this file).
#
# Exit status: 0 all is well, 2 something is not, 1 Docker does not answer.
set -eu

cd "$(dirname "$0")"
faults=0

fault() {
  echo "check.sh: $*"
  faults=$((faults + 1))
}

# planned NAME is a setting of .env; empty if there is none.
planned() { sed -n "s/^$1=//p" .env; }

if ! facts=$(docker info --format '{{.MemTotal}} {{.NCPU}}' 2>/dev/null); then
  echo "check.sh: Docker does not answer; start it, or run start.sh" >&2
  exit 1
fi
memory_bytes=${facts% *}
cpus=${facts#* }

# The VM's kernel keeps a little of its memory for itself.
memory_mib=$((memory_bytes / 1048576))
want_mib=$(planned VM_MEMORY_GIB | awk '{ printf "%d", $1 * 1024 }')
if [ "$((memory_mib * 100))" -lt "$((want_mib * 95))" ]; then
  fault "Docker's VM has $memory_mib MiB of memory, and the runners are planned for $want_mib: set it in Docker Desktop (Settings, Resources) and restart Docker"
fi

want_cpus=$(planned VM_CPUS)
if [ -n "$want_cpus" ] && [ "$cpus" -lt "${want_cpus%.*}" ]; then
  fault "Docker's VM has $cpus CPUs, and the runners are planned for $want_cpus: set it in Docker Desktop (Settings, Resources)"
fi

containers=$(docker compose ps --all --quiet)
running=0
for id in $containers; do
  state=$(docker inspect --format '{{.Name}} {{.State.Running}} {{.HostConfig.Memory}} {{.State.OOMKilled}} {{.RestartCount}}' "$id")
  # shellcheck disable=SC2086 # Five words without spaces in them.
  set -- $state
  if [ "$2" = true ]; then
    running=$((running + 1))
  fi
  if [ "$3" = 0 ]; then
    fault "${1#/} has no memory limit: it was not started from this Compose file; run start.sh"
  fi
  if [ "$4" = true ]; then
    fault "${1#/} was ended because it reached its memory limit: raise memory_limit_gib, or give the job less to do at once"
  fi
  if [ "$5" -gt 10 ]; then
    fault "${1#/} was restarted $5 times: see docker logs ${1#/}"
  fi
done

want=$(planned RUNNERS)
if [ "$running" -ne "$want" ]; then
  fault "$running of $want runners run: run start.sh, and see docker compose logs"
fi

if [ "$faults" -gt 0 ]; then
  exit 2
fi
echo "check.sh: $running runners in $memory_mib MiB"
