#!/usr/bin/env bash
# Writes the file system of Crossplane's image as one layer. Upstream's
# nix/build.nix is the model:
#
#   test/images/crossplane.sh OUT.tar.zst
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$(realpath -m "$1")
source=$(go list -C "$root/tools/crossplane" -m -f '{{.Dir}}' github.com/crossplane/crossplane/v2)

tmp=$(mktemp -d "$out.tmp.XXXXXX")
trap 'rm -rf "$tmp"*' EXIT
trap 'exit 1' HUP INT TERM

chmod 755 "$tmp"
cd "$tmp"
mkdir -p crds home/nonroot webhookconfigurations
mkdir -m 1777 tmp
install -D "$root/.cache/bin/crossplane-core" usr/local/bin/crossplane
install -D -m 644 /etc/ssl/certs/ca-certificates.crt etc/ssl/certs/ca-certificates.crt
install -m 644 -t crds "$source"/cluster/crds/*
install -m 644 -t webhookconfigurations "$source"/cluster/webhookconfigurations/*
echo 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' >etc/passwd
echo 'nonroot:x:65532:' >etc/group
echo 'hosts: files dns' >etc/nsswitch.conf
chown 65532:65532 home/nonroot

tar --create --zstd --file="$tmp.layer" --numeric-owner --sort=name --mtime=@0 .
mv "$tmp.layer" "$out"
