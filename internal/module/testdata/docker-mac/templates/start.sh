#!/bin/sh
# Starts the runners that are not running. launchd calls it at log-in and every
# few minutes; it may be called by hand at any time.
#
# Exit status: 0 they run, 1 Docker or Compose failed.
set -eu

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

exec docker compose up --detach --remove-orphans
