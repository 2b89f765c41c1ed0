#!/usr/bin/env bash
# Builds a tool of one module under tools/ and says so while it lasts. Of several
# tools of the module it is the one with the name of the output.
#
#   hack/build-tool.sh .cache/bin/crossplane tools/crossplane-cli "3 minutes"
#
# The version is the one that the module's go.mod pins.
set -euo pipefail

out=$PWD/$1
module=$2
duration=$3

cd "$module"
package=$(go list tool 2>/dev/null)
package=${package:-.} # a tool of our own
[[ $package != *$'\n'* ]] || package=$(grep "/$(basename "$out")\$" <<<"$package")
version=$(go list -f '{{.Module.Version}}' "$package")

# Where tools take their own version from. Packages that state the versions of
# Crossplane they work with are refused by a core that has none; a kubelet that
# has none is told apart from the API server's.
ldflags="-s -w -X=github.com/crossplane/crossplane-runtime/v2/pkg/version.version=$version"
[[ $package != k8s.io/kubernetes/* ]] || ldflags+=" -X=k8s.io/component-base/version.gitVersion=$version"

mkdir -p "$(dirname "$out")"
echo "Building $(basename "$out")${version:+ $version}, once: about $duration on two cores when nothing is cached." >&2

# A temporary directory beside the output lets go build put it in place with one
# rename, so that another build or a running tool never sees half a file.
GOTMPDIR=$(dirname "$out") CGO_ENABLED=0 go build -ldflags "$ldflags" -o "$out" "$package" &
build=$!
trap 'kill "$build" 2>/dev/null || true' EXIT

SECONDS=0
next=15
while kill -0 "$build" 2>/dev/null; do
  if ((SECONDS >= next)); then
    echo "  still building $(basename "$out"), ${SECONDS} s" >&2
    ((next += 15))
  fi
  sleep 0.2
done
wait "$build"
touch "$out"
