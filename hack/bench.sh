#!/usr/bin/env bash
# Measures the function next to one that does nothing, both built as they are
# released. Arguments go to the measuring program: -rounds=30, -duration=1s.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=.cache/bin/bench
mkdir -p "$bin"

build() {
  CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w" -o "$bin/$1" "$2"
}

echo "bench: building both functions, and measuring for half a minute" >&2
build function .
build noop ./test/bench/noop
build bench ./test/bench

exec "$bin/bench" -function="$bin/function" -noop="$bin/noop" "$@"
