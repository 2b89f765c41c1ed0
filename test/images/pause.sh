#!/usr/bin/env bash
# Writes the file system of the image for pods' sandboxes as one layer: a program
# that waits.
#
#   test/images/pause.sh OUT.tar.zst
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$(realpath -m "$1")

tmp=$(mktemp -d "$out.tmp.XXXXXX")
trap 'rm -rf "$tmp"*' EXIT
trap 'exit 1' HUP INT TERM

CGO_ENABLED=0 go build -C "$root" -trimpath -buildvcs=false -ldflags '-s -w' -o "$tmp/pause" ./test/images/pause
tar --create --zstd --file="$tmp.layer" --directory="$tmp" --owner=0 --group=0 --numeric-owner --mtime=@0 pause
mv "$tmp.layer" "$out"
