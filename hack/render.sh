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

# copy copies the file that a variable names, without what Windows adds to text.
copy() {
  local variable=$1 from=$2 to=$3 instead=$4
  [[ -r $from && ! -d $from ]] || fail "$variable=$from is not a file that can be read."
  LC_ALL=C sed -e $'1s/^\xef\xbb\xbf//' -e $'s/\r$//' <"$from" >"$to"
  ! LC_ALL=C grep -aq $'\xff' "$to" || fail "$variable=$from is not UTF-8 text: $instead"
  ! awk 'NF && !/^ *#/ { json = /^ *[{[]/; exit } END { exit !json }' "$to" || fail "$variable=$from is JSON: $instead"
}

# objects copies a file as a stream of YAML documents, one for each object. In
# the List that kubectl prints, the objects are under items, indented by two, and
# the rest is the List's own. What is not understood fails: it would be ignored.
objects() {
  local variable=$1 from=$2 to=$3 instead="write it with kubectl get -o yaml."
  copy "$variable" "$from" "$to.copy" "$instead"
  awk '
    function clear() { text = ""; used = kinds = versions = 0 }
    function object() {
      if (used) { objects++; printf "---\n%s", text }
      if (used && (kinds != 1 || versions != 1)) bad = 1
      clear()
    }
    function add(line) {
      text = text line "\n"
      if (line ~ /^ *[^ #]/) used = 1
      if (line ~ /^kind: *[^ ]/ && line !~ /List"? *$/) kinds++
      if (line ~ /^apiVersion: *[^ ]/) versions++
    }
    /^---/ { object(); list = items = 0; sub(/^--- */, "") }
    /^items:/ { clear(); list = items = 1; next }
    /^[^ #-]/ { items = 0 }
    items && /^-/ { object() }
    items { add(substr($0, 3)) }
    !list { add($0) }
    END { object(); exit bad || !objects }' "$to.copy" >"$to" ||
    fail "$variable=$from does not hold objects with apiVersion and kind: $instead"
}

# notebook copies the claim.
notebook() {
  local instead="write one notebook in YAML."
  copy CLAIM "$claim" "$tmp/claim.copy" "$instead"
  ! grep -Eq '^(items:|kind: *"?[A-Za-z]*List"? *$)' "$tmp/claim.copy" || fail "CLAIM=$claim is a List: $instead"
  [[ $(grep -c '^kind:' "$tmp/claim.copy") -le 1 ]] || fail "CLAIM=$claim holds several objects: $instead"
  if ! grep -Eq '^apiVersion: *"?mlops\.function-jupyter\.dev/v1"?([[:space:]]|$)' "$tmp/claim.copy" ||
    ! grep -Eq '^kind: *"?JupyterNotebook"?([[:space:]]|$)' "$tmp/claim.copy"; then
    fail "CLAIM=$claim is not a JupyterNotebook of mlops.function-jupyter.dev/v1."
  fi
}

# normalize has crossplane write the claim: then each thing is written in one way
# only. A namespace that is empty is none.
normalize() {
  "$bin/crossplane" xr patch "$tmp/claim.copy" --xrd="$definition" |
    sed -E '/^  namespace: (""|null)$/d' >"$tmp/claim.yaml" ||
    fail "CLAIM=$claim cannot be read: write one notebook in YAML."
}

# is_name tells whether a field of the claim's metadata can be a name, of parts
# with a separator between. Text that looks like something else has quotes.
is_name() {
  local LC_ALL=C value part='[a-z0-9]([-a-z0-9]*[a-z0-9])?' separator=$2
  value=$(awk -v field="  $1:" '/^[^ ]/ { on = /^metadata:/ } on && index($0, field) == 1 { print substr($0, length(field) + 2) }' "$tmp/claim.yaml")
  [[ ! $value =~ ^(null|true|false|[0-9]+(\.[0-9]+)?)$ ]] || return 1
  value=${value//\"/}
  [[ ${#value} -le 63 && $value =~ ^$part($separator$part)*$ ]]
}

# refuse fails where neither the API server nor the engine would look further.
refuse() {
  local rule="a letter or digit at both ends, and at most 63 characters."
  is_name name '\.' || fail "CLAIM=$claim needs a metadata.name that is text: lower-case letters, digits, - and ., $rule"
  ! grep -q '^  namespace:' "$tmp/claim.yaml" || is_name namespace - ||
    fail "CLAIM=$claim needs a metadata.namespace that is text, or none: lower-case letters, digits and -, $rule"
  awk '/^spec: {}$/ || (spec && /^ /) { ok = 1 } { spec = /^spec:$/ } END { exit !ok }' "$tmp/claim.yaml" ||
    fail "CLAIM=$claim has no spec: write at least spec.image."
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
    cat "$tmp/claim.yaml"
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
# on, because the function has to cope with such a claim, too. The API server
# drops nulls, but for those in lists, before it looks.
check() {
  sed -E '/^ +[A-Za-z]+: null$/d' "$tmp/claim.yaml" |
    timeout -k 1 20 "$bin/crossplane" resource validate "$definition" - \
      --crossplane-image="" --cache-dir="$root/.cache/schemas" 2>/dev/null |
    sed -n -e '/[^]]: Invalid value: "null"/d' \
      -e 's/^\[x\].*Kind=JupyterNotebook, [^ ]* : /render: the API server would refuse this claim: /p' >&2
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
notebook

arguments=(--include-full-xr --include-function-results)
if [[ -n ${OBSERVED:-} ]]; then
  objects OBSERVED "$OBSERVED" "$tmp/observed.yaml"
  arguments+=(--observed-resources="$tmp/observed.yaml")
fi
if [[ -n ${REQUIRED:-} ]]; then
  objects REQUIRED "$REQUIRED" "$tmp/required.yaml"
  arguments+=(--required-resources="$tmp/required.yaml")
fi

make --no-print-directory --silent -C "$root" .cache/bin/crossplane .cache/bin/crossplane-core >&2

normalize
refuse
composite >"$tmp/xr.yaml"
[[ $variant == claim ]] || complete namespace default
[[ -z ${OBSERVED:-} ]] || [[ -z $(owner) ]] || complete uid "$(owner)"

check &
start
"$bin/crossplane" composition render "$tmp/xr.yaml" "$package/composition.yaml" "$root/example/functions.yaml" \
  --xrd="$definition" --crossplane-binary="$bin/crossplane-core" \
  --function-annotations="render.crossplane.io/runtime-development-target=unix://$tmp/function.sock" \
  "${arguments[@]}"
