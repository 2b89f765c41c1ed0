#!/usr/bin/env bash
# Installs the Debian packages that the cluster and its images need.
source "$(dirname "$0")/lib.sh"

packages=(ca-certificates containernetworking-plugins debian-archive-keyring debootstrap gpgv iproute2 nftables
  openssl procps zstd)
# Docker brings its own, which those of Debian would replace.
for command in containerd runc; do
  command -v "$command" >/dev/null || packages+=("$command")
done
exec "$root/hack/apt.sh" "${packages[@]}"
