#!/usr/bin/env bash
# Installs Debian and Jupyter into an empty folder:
#
#   unshare --mount --pid --fork test/images/debian.sh bookworm|trixie ROOT MIRROR
#
# What is mounted in ROOT goes away with the mount namespace.
set -euo pipefail

suite=$1
root=$2
mirror=$3

case $suite in
  bookworm) packages=(jupyter-notebook) without_dependencies=() ;;
  # Debian's JupyterLab depends on all that its extensions are built with, 400
  # packages. To run, it needs only these.
  trixie)
    packages=(python3-async-lru python3-jupyterlab-server python3-notebook-shim)
    without_dependencies=(jupyterlab)
    ;;
  *)
    echo "No image is made of the suite \"$suite\": only of bookworm and trixie." >&2
    exit 1
    ;;
esac
packages+=(jupyter-core python3-ipykernel tini)

# inside runs a command in the new Debian.
inside() {
  env -i DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$root" "$@"
}

# debootstrap overlooks some dependencies, those on virtual packages for example:
# only the base is left to it, and what apt needs for a mirror over HTTPS. The
# lists of packages that it leaves behind are apt's.
debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror"

mount -t proc proc "$root/proc"
inside apt-get install --yes --no-install-recommends \
  -o Dpkg::Options::=--force-unsafe-io "${packages[@]}"
for package in "${without_dependencies[@]}"; do
  # shellcheck disable=SC2016 # it is for the inner shell to expand
  inside sh -c 'cd /tmp && apt-get download "$0" && dpkg --install --force-depends "$0"_*.deb' "$package"
done
