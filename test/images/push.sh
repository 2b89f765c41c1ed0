#!/usr/bin/env bash
# Pushes the images that build.sh made the layers of:
#
#   test/images/push.sh REGISTRY
#
#   REGISTRY/notebook:classic    Notebook 6
#   REGISTRY/notebook:lab        JupyterLab 4
#   REGISTRY/crossplane:VERSION
#   REGISTRY/pause:1             for the pods' sandboxes
#
# notebook:classic-next and notebook:lab-next differ from these by a label, for
# tests that change the image. What the registry has already is not pushed again.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
layers=$root/.cache/images
registry=$1
version=$(go list -C "$root/tools/crossplane" -m -f '{{.Version}}' github.com/crossplane/crossplane/v2)

crane() {
  "$root/.cache/bin/crane" "$@"
}

# quietly runs a command and shows what it said only when it fails.
quietly() {
  local said
  said=$("$@" 2>&1) || {
    echo "$said" >&2
    return 1
  }
}

# push makes an image of one layer: arguments after its name are those of crane
# mutate. A label tells what the image was made of.
push() {
  local layer=$layers/$1.tar.zst image=$registry/$2 made_of
  shift 2
  made_of=$({ stat -c '%s %Y' "$layer" && echo "$@"; } | sha256sum | cut -c -32)
  [[ $(crane config "$image" 2>/dev/null || true) != *"$made_of"* ]] || return 0

  echo "images: pushing $image" >&2
  quietly crane append --oci-empty-base --new_layer "$layer" --new_tag "$image"
  quietly crane mutate "$image" --tag "$image" --label "made-of=$made_of" \
    --set-platform "linux/$(dpkg --print-architecture)" "$@"
}

# push_notebook makes a Jupyter image, configured as those of docker-stacks are.
push_notebook() {
  local layer=$1 image=notebook:$2
  shift 2
  push "$layer" "$image" --user 1000 --workdir /home/jovyan --exposed-ports 8888/tcp \
    --entrypoint tini,-g,--,start.sh --cmd start-notebook.sh \
    --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    --env HOME=/home/jovyan --env SHELL=/bin/bash \
    --env NB_USER=jovyan --env NB_UID=1000 --env NB_GID=100 \
    --env LANG=C.UTF-8 --env LANGUAGE=C.UTF-8 --env LC_ALL=C.UTF-8 \
    --env JUPYTER_PORT=8888 "$@"
  quietly crane mutate "$registry/$image" --tag "$registry/$image-next" --label edition=next
}

push pause pause:1 --entrypoint /pause --user 65535
push crossplane "crossplane:$version" \
  --entrypoint crossplane --user 65532 --exposed-ports 8080/tcp \
  --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --env SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
push_notebook notebook-bookworm classic --env DOCKER_STACKS_JUPYTER_CMD=notebook
push_notebook notebook-trixie lab
