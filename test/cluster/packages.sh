#!/usr/bin/env bash
# Installs the Debian packages that the cluster and its images need.
source "$(dirname "$0")/lib.sh"

exec "$root/hack/apt.sh" ca-certificates containerd containernetworking-plugins debootstrap iproute2 nftables openssl procps runc zstd
