#!/bin/sh
# Run the tests that need an AWS emulator: make a Python virtual environment
# with moto's server in .cache, start the server on loopback, test, stop it.
# Needs Python 3.9 or newer with venv. No AWS account and no credentials.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

# The extras are the services that the tests talk to; moto has no price list.
moto='moto[server,ec2,cloudwatch,autoscaling]==5.2.5'
python=${PYTHON:-python3}
command -v "$python" > /dev/null || {
  echo "test-aws: $python is not there. Install Python 3 with venv, or name another in PYTHON." >&2
  exit 1
}

venv=$root/.cache/moto
want="$moto $("$python" --version 2>&1)"
if [ "$(cat "$venv/.stamp" 2> /dev/null)" != "$want" ]; then
  echo "Installing $moto into .cache/moto."
  rm -rf "$venv"
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$moto"
  # An interrupted installation has no stamp and is made anew.
  echo "$want" > "$venv/.stamp"
fi

tmp=$(mktemp -d)
server=
stop() {
  [ -z "$server" ] || kill "$server" 2> /dev/null || true
  [ -z "$server" ] || wait "$server" 2> /dev/null || true
  rm -rf "$tmp"
}
trap stop EXIT
trap 'exit 130' HUP INT TERM

# Nothing of a developer's own AWS settings may matter, to the server either, and
# no proxy stands between the tests and loopback.
for name in $(env | sed -n 's/^\(AWS_[A-Za-z0-9_]*\)=.*/\1/p'); do
  unset "$name"
done
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1 AWS_EC2_METADATA_DISABLED=true

# The server is asked to take any free port, so that nothing else is in the way.
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$venv/bin/moto_server" -H 127.0.0.1 -p "$port" > "$tmp/moto.log" 2>&1 &
server=$!
tries=0
until "$python" -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/moto-api/', timeout=2)" > /dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -gt 60 ] || ! kill -0 "$server" 2> /dev/null; then
    cat "$tmp/moto.log" >&2
    echo 'test-aws: the server did not start.' >&2
    exit 1
  fi
  sleep 0.5
done

export RUNNERFIT_TEST_AWS="http://127.0.0.1:$port"
packages='./internal/awslive ./internal/provider ./internal/cli'
for package in $packages; do
  # go test is content with a package none of whose tests match.
  go test -tags moto -list Moto "$package" | grep '^Test' > /dev/null || {
    echo "test-aws: $package has no tests against the emulator." >&2
    exit 1
  }
done
# shellcheck disable=SC2086 # Several packages.
go test -count=1 -tags moto -run Moto $packages
