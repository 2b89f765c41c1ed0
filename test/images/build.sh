#!/usr/bin/env bash
# Builds the layers of the images that the end-to-end test runs, without a
# container engine, into .cache/images/:
#
#   test/images/build.sh
#
# Each is built once, and again when something that it is made of changes. Needs
# root, debootstrap, zstd and .cache/bin/crossplane-core, and takes about two
# minutes at first. push.sh makes images of the layers.
set -euo pipefail
set -m # each build is a process group, so that it can be ended with all it started

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
layers=$PWD/.cache/images

# build writes the layer $1 with the command $2, unless it was written with the
# same one from the same files, which are all other arguments.
build() {
  local out=$layers/$1.tar.zst command inputs
  read -ra command <<<"$2"
  inputs=$(sha256sum "${command[0]}" "${@:3}")
  [[ ! -e $out || $(cat "$out.inputs" 2>/dev/null) != "$inputs" ]] || return 0

  echo "images: building $1" >&2
  "${command[@]}" "$out"
  echo "$inputs" >"$out.inputs"
}

# start does so in the background, and ends only after what it runs.
start() {
  (
    trap 'exit 1' TERM
    build "$@"
  ) &
  jobs+=($!)
}

stop() {
  trap '' EXIT HUP INT TERM
  for job in "${jobs[@]}"; do
    kill -- "-$job" 2>/dev/null || true
  done
  wait
}

[[ $(id -u) == 0 ]] || {
  echo "images: root is needed, to install Debian into a folder." >&2
  exit 1
}
for tool in debootstrap zstd; do
  command -v "$tool" >/dev/null || {
    echo "images: $tool is missing: apt-get install $tool" >&2
    exit 1
  }
done

jobs=()
trap stop EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$layers"
exec {lock}>"$layers/lock"
flock --timeout 900 "$lock" || {
  echo "images: another build has not ended in 15 minutes." >&2
  exit 1
}
rm -rf "$layers"/*.tmp.* # of a build that was killed

mapfile -t jupyter < <(find test/images/debian.sh test/images/rootfs -type f | sort)
start notebook-bookworm "test/images/jupyter.sh bookworm" "${jupyter[@]}"
start notebook-trixie "test/images/jupyter.sh trixie" "${jupyter[@]}"
start crossplane test/images/crossplane.sh tools/crossplane/go.mod .cache/bin/crossplane-core
start pause test/images/pause.sh test/images/pause/main.go

failed=0
for job in "${jobs[@]}"; do
  wait "$job" || failed=1
done
((!failed))
