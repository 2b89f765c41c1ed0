#!/usr/bin/env bash
# Generates all that is made of the Go types in api/v1 and input/v1beta1: their
# deepcopy functions, both CompositeResourceDefinitions, the input's
# CustomResourceDefinition and the field reference.
#
#   hack/generate.sh           writes the files
#   hack/generate.sh --check   writes nothing, and fails when one of them is stale
set -euo pipefail
cd "$(dirname "$0")/.."

controller_gen=$PWD/.cache/bin/controller-gen
[[ -x $controller_gen ]] || hack/build-tool.sh .cache/bin/controller-gen tools/controller-gen '1 minute'

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Writes every generated file below the folder $1.
generate() {
  "$controller_gen" object paths=./api/v1 output:object:dir="$1/api/v1"
  "$controller_gen" object paths=./input/v1beta1 output:object:dir="$1/input/v1beta1"
  "$controller_gen" crd paths=./input/v1beta1 output:crd:dir="$1/package/input"
  "$controller_gen" crd paths=./api/v1 output:crd:dir="$tmp/crd"
  (cd tools/xrdgen && go run . -crd "$tmp"/crd/*_jupyternotebooks.yaml -types ../../api/v1 -out "$1")
}

if [[ ${1:-} != --check ]]; then
  generate "$PWD"
  exit
fi

generate "$tmp/fresh"
stale=()
while IFS= read -r file; do
  cmp -s "$tmp/fresh/$file" "$file" || stale+=("$file")
done < <(cd "$tmp/fresh" && find . -type f | sed 's|^\./||' | sort)

if ((${#stale[@]})); then
  echo "These generated files are not what the types in api/v1 and input/v1beta1 make of them: run make generate, and commit them." >&2
  printf '  %s\n' "${stale[@]}" >&2
  exit 1
fi
