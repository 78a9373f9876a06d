#!/bin/sh
# Starts the runners that are not running, and leaves those alone that are, for
# they may have a job. launchd calls it at log-in and every few minutes.
#
#   start.sh        starts what is not running
#   start.sh apply  makes all runners what compose.yaml says, which ends their jobs
#
# Exit status: 0 they run, 1 Docker or Compose failed.
set -eu

case ${1:-} in
"") how=--no-recreate ;;
apply) how=--remove-orphans ;;
*)
  echo "start.sh: no such argument: $1" >&2
  exit 1
  ;;
esac

cd "$(dirname "$0")"
wait_seconds=${START_WAIT_SECONDS:-300}

if ! docker info >/dev/null 2>&1; then
  # Docker Desktop starts with the desktop, or here.
  open -g -a Docker || true
  waited=0
  until docker info >/dev/null 2>&1; do
    if [ "$waited" -ge "$wait_seconds" ]; then
      echo "start.sh: Docker does not answer after $wait_seconds seconds" >&2
      exit 1
    fi
    sleep 5
    waited=$((waited + 5))
  done
fi

exec docker compose up --detach "$how"
