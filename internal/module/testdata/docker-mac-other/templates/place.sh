#!/bin/sh
# Writes a file for Terraform, or removes it again. What is there and is not
# what Terraform wrote stays as it is.
#
#   PLACE_ACTION   write or remove
#   PLACE_PATH     the file
#   PLACE_MODE     its mode, when it is written
#   PLACE_CONTENT  its content, as it is or was written
set -eu

same() { printf '%s' "$PLACE_CONTENT" | cmp -s - "$PLACE_PATH"; }

case $PLACE_ACTION in
write)
  if { [ -e "$PLACE_PATH" ] || [ -L "$PLACE_PATH" ]; } && ! same; then
    echo "$PLACE_PATH: this file was there before or has been changed by hand; move it away and apply again" >&2
    exit 1
  fi
  mkdir -p "$(dirname "$PLACE_PATH")"
  new=$PLACE_PATH.new.$$
  trap 'rm -f "$new"' EXIT
  printf '%s' "$PLACE_CONTENT" >"$new"
  chmod "$PLACE_MODE" "$new"
  mv "$new" "$PLACE_PATH"
  ;;
remove)
  if [ ! -e "$PLACE_PATH" ]; then
    exit 0
  fi
  if ! same; then
    echo "$PLACE_PATH: changed by hand, so it stays" >&2
    exit 0
  fi
  rm "$PLACE_PATH"
  ;;
*)
  echo "place.sh: no such action" >&2
  exit 1
  ;;
esac
