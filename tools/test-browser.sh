#!/bin/sh
# Look at the pages of `runnerfit report` in a real browser, headless: Chromium
# or Chrome, the one that CHROMIUM names or that is there. Where there is none and
# apt-get may install it, that is done. No network is needed for the test itself.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

find_browser() {
  for name in ${CHROMIUM:-} chromium chromium-browser google-chrome-stable google-chrome; do
    command -v "$name" 2> /dev/null && return
  done
  return 1
}

browser=$(find_browser) || {
  if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo 'Installing Chromium with apt-get.'
    log=$(mktemp)
    apt-get update > "$log" 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium fonts-dejavu-core >> "$log" 2>&1 || {
      tail -20 "$log" >&2
    }
    rm -f "$log"
  fi
  browser=$(find_browser)
} || {
  echo 'test-browser: there is no Chromium. Install it (on Debian: apt-get install chromium), or name a Chrome in CHROMIUM.' >&2
  exit 1
}

CHROMIUM=$browser go test -count=1 -tags browser -run Browser\|TheCheck ./internal/report
