#!/usr/bin/env bash
# Renders a notebook as Crossplane would, without a cluster: starts this
# project's function, runs the real Crossplane engine against it, and prints the
# composite resource with its status and every composed object.
#
# Environment, all optional; paths are relative to the current directory:
#
#   CLAIM     the notebook (default: example/claim.yaml)
#   OBSERVED  composed objects that exist already: a stream of YAML documents,
#             or what `kubectl get -o yaml` prints
#   REQUIRED  other objects of the cluster that the function may ask for
#   VARIANT   claim (default), or namespaced: the notebook is itself the
#             composite resource, as configuration-namespaced has it
#
# Only YAML goes to standard output. Any number of renderings may run at once.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$root/.cache/bin

# The CLI's xr commands need its alpha features: they are turned on here and not
# in the user's own configuration.
export CROSSPLANE_CONFIG=$root/hack/crossplane.yaml

fail() {
  echo "render: $*" >&2
  exit 1
}

# copy makes a stream of YAML documents of the file that a variable names. In
# the List that kubectl prints, the objects are under items, indented by two.
copy() {
  local variable=$1 from=$2 to=$3
  [[ -r $from && ! -d $from ]] || fail "$variable=$from is not a file that can be read."
  cat "$from" >"$to"
  grep -q '^kind: List$' "$to" || return 0
  awk '/^items:/ { on = 1; next } /^[^ -]/ { on = 0 } on { if (/^-/) print "---"; print substr($0, 3) }' "$to" >"$to.list"
  mv "$to.list" "$to"
}

# start builds and starts the function. It listens on a socket of its own, so
# that no port is needed.
start() {
  # The temporary directory lets go build replace the binary with one rename,
  # even while another rendering runs it.
  (cd "$root" && GOTMPDIR=$bin CGO_ENABLED=0 go build -buildvcs=false -o "$bin/function" .) || fail "the function does not build."
  "$bin/function" --insecure --network=unix --address="$tmp/function.sock" --metrics-address= >&2 &
  function=$!
  for _ in {1..1000}; do
    [[ ! -S $tmp/function.sock ]] || return 0
    kill -0 "$function" 2>/dev/null || break
    sleep 0.02
  done
  fail "the function did not start."
}

# composite prints the composite resource of the notebook.
composite() {
  if [[ $variant == namespaced ]]; then
    "$bin/crossplane" xr patch "$tmp/claim.yaml" --xrd="$definition"
    return
  fi
  # Crossplane ends the name in five random characters: they are fixed here, so
  # that the same claim always renders to the same bytes.
  "$bin/crossplane" xr generate "$tmp/claim.yaml" |
    sed -E -e 's/^(  name: .*)[a-z0-9]{5}("?)$/\1xr000\2/' \
      -e 's/^(    (crossplane.io\/claim-)?namespace:) ""$/\1 default/'
  # A claim shows its composite resource's status: here it is where the status
  # comes from.
  awk '/^status:/ { on = 1; print; next } /^[^ ]/ { on = 0 } on' "$tmp/claim.yaml"
}

# complete gives the composite resource a metadata field that it lacks.
complete() {
  ! grep -q "^  $1: " "$tmp/xr.yaml" || return 0
  awk -v field="  $1: $2" '{ print } /^metadata:/ { print field }' "$tmp/xr.yaml" >"$tmp/xr.yaml.new"
  mv "$tmp/xr.yaml.new" "$tmp/xr.yaml"
}

# owner prints the UID of the composite resource that owns the observed objects.
owner() {
  awk '/^ +(- )?kind: X?JupyterNotebook$/ { owner = 1 } owner && /^ +uid: / { print $2; exit }' "$tmp/observed.yaml"
}

# check says what the API server would have against the claim. Rendering goes
# on, because the function has to cope with such a claim, too.
check() {
  "$bin/crossplane" resource validate "$definition" "$tmp/claim.yaml" \
    --crossplane-image="" --cache-dir="$root/.cache/schemas" 2>/dev/null |
    sed -n 's/^\[x\].*Kind=JupyterNotebook, [^ ]* : /render: the API server would refuse this claim: /p' >&2
}

variant=${VARIANT:-claim}
case $variant in
claim) package=$root/configuration ;;
namespaced) package=$root/configuration-namespaced ;;
*) fail "VARIANT=$variant is unknown: write claim or namespaced." ;;
esac
definition=$package/definition.yaml

# stop ends what was started and removes what was written, however we exit.
stop() {
  trap '' HUP INT TERM
  [[ -z $function ]] || kill "$function" 2>/dev/null || true
  wait
  rm -rf "$tmp"
}
tmp="" function=""
trap stop EXIT
trap 'exit 1' HUP INT TERM
tmp=$(mktemp -d)

claim=${CLAIM:-$root/example/claim.yaml}
copy CLAIM "$claim" "$tmp/claim.yaml"
[[ $(grep -c '^kind:' "$tmp/claim.yaml") -le 1 ]] || fail "$claim holds several objects: render one notebook at a time."
if ! grep -Eq '^apiVersion: *"?mlops\.function-jupyter\.dev/v1"?([[:space:]]|$)' "$tmp/claim.yaml" ||
  ! grep -Eq '^kind: *"?JupyterNotebook"?([[:space:]]|$)' "$tmp/claim.yaml"; then
  fail "$claim is not a JupyterNotebook of mlops.function-jupyter.dev/v1."
fi

arguments=(--include-full-xr --include-function-results)
if [[ -n ${OBSERVED:-} ]]; then
  copy OBSERVED "$OBSERVED" "$tmp/observed.yaml"
  arguments+=(--observed-resources="$tmp/observed.yaml")
fi
if [[ -n ${REQUIRED:-} ]]; then
  copy REQUIRED "$REQUIRED" "$tmp/required.yaml"
  arguments+=(--required-resources="$tmp/required.yaml")
fi

make --no-print-directory --silent -C "$root" .cache/bin/crossplane .cache/bin/crossplane-core >&2

composite >"$tmp/xr.yaml"
grep -Eq '^  name: [^-]' "$tmp/xr.yaml" || fail "$claim has no metadata.name."
[[ $variant == claim ]] || complete namespace default
[[ -z ${OBSERVED:-} ]] || [[ -z $(owner) ]] || complete uid "$(owner)"

check &
start
"$bin/crossplane" composition render "$tmp/xr.yaml" "$package/composition.yaml" "$root/example/functions.yaml" \
  --xrd="$definition" --crossplane-binary="$bin/crossplane-core" \
  --function-annotations="render.crossplane.io/runtime-development-target=unix://$tmp/function.sock" \
  "${arguments[@]}"
