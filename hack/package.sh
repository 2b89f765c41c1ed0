#!/usr/bin/env bash
# Writes the Crossplane packages to dist/, without Docker: the function for each
# architecture, with its runtime image embedded, and both configurations.
#
# Environment, all optional:
#
#   VERSION   version of the function's image, under which it will be pushed
#             (default: v0.1.0)
#   DIST      folder to write to, as seen from the repository (default: dist)
#   REGISTRY  where the packages will be pushed to: a host, and the path below it
#             if there is one. The configurations find the function there
#             (default: xpkg.crossplane.io/function-jupyter)
#   ONLY      "configurations" leaves out the function, which is the same for
#             every registry (default: everything)
#
# The same sources give the same packages, byte for byte.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

VERSION=${VERSION:-v0.1.0}
dist=${DIST:-dist}
registry=${REGISTRY:-xpkg.crossplane.io/function-jupyter}
registry=${registry%/}
only=${ONLY:-}
crossplane=.cache/bin/crossplane

say() {
  echo "package: $*" >&2
}

# compile builds the function for one architecture, as the Dockerfile does.
compile() {
  CGO_ENABLED=0 GOOS=linux GOARCH=$1 \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X github.com/function-jupyter/function-jupyter/fn.release=${VERSION}" -o "$tmp/function-$1" .
}

# wrap makes a package of the function for one architecture.
wrap() {
  "$tmp/runtime-image" -binary "$tmp/function-$1" -output "$tmp/runtime-$1.tar" \
    -version "$VERSION" -revision "$revision"
  xpkg package "function-jupyter-linux-$1" --embed-runtime-image-tarball="$tmp/runtime-$1.tar"
}

# xpkg makes a package of a folder. The rename at its end never leaves half a
# package in dist/.
xpkg() {
  local root=$1 name=$2
  shift 2
  "$crossplane" xpkg build --package-root="$root" --examples-root="$tmp/examples" \
    --package-file="$tmp/$name.xpkg" "$@" >/dev/null
  mv "$tmp/$name.xpkg" "$dist/$name.xpkg"
}

# installed prints what Crossplane calls a package that it installs as a
# dependency, and a Composition must call it: the repository's whole path, without
# the host, as a DNS label.
installed() {
  sed -E 's#^[^/]*/##; s/^(.{63}).*/\1/; s/[^a-z0-9./-]//g; s#[./]#-#g; s/^-+|-+$//g' <<<"$1"
}

# configure makes a package of a configuration that depends on the function in
# the registry.
configure() {
  local root=$1 name=$2 function=$registry/function-jupyter
  cp -r "$root" "$tmp/$root"
  sed -i "s#xpkg.crossplane.io/function-jupyter/function-jupyter#$function#" "$tmp/$root/crossplane.yaml"
  sed -i -e "s#name: function-jupyter-function-jupyter#name: $(installed "$function")#" \
    -e "s#image: xpkg.crossplane.io/function-jupyter/function-jupyter:.*#image: $function:$VERSION#" "$tmp/$root/composition.yaml"
  xpkg "$tmp/$root" "$name"
}

[[ -x $crossplane ]] || {
  say "the Crossplane CLI is missing: run make tools"
  exit 1
}

mkdir -p "$dist" .cache
tmp=$(mktemp -d .cache/package.XXXXXX)
trap 'wait; rm -rf "$tmp"' EXIT

# The examples of a package are the notebooks in example/, and not the files
# beside them that only `make render` needs.
mkdir "$tmp/examples"
grep -l '^kind: JupyterNotebook$' example/*.yaml | xargs -I{} cp {} "$tmp/examples"

# Empty where there is no git, as in an unpacked release.
revision=$(git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null || true)

if [[ $only != configurations ]]; then
  say "building the function for amd64 and arm64, about 3 minutes on two cores when nothing is cached"
  go build -C tools/runtime-image -o "$PWD/$tmp/runtime-image" .
  compile amd64
  compile arm64

  # Compressing the images is what takes long, and takes one core each.
  wrap amd64 & amd64=$!
  wrap arm64 & arm64=$!
  wait "$amd64"
  wait "$arm64"
fi
configure configuration configuration-jupyter
configure configuration-namespaced configuration-jupyter-namespaced

say "wrote"
du -h "$dist"/*.xpkg >&2
cat >&2 <<EOF
Next: push them (REGISTRY= chooses where to; log in first):
  $crossplane xpkg push -f $dist/function-jupyter-linux-amd64.xpkg,$dist/function-jupyter-linux-arm64.xpkg $registry/function-jupyter:$VERSION
  $crossplane xpkg push -f $dist/configuration-jupyter.xpkg $registry/configuration-jupyter:$VERSION
  $crossplane xpkg push -f $dist/configuration-jupyter-namespaced.xpkg $registry/configuration-jupyter-namespaced:$VERSION
EOF
