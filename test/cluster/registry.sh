#!/usr/bin/env bash
# The registry for packages and images, over plain HTTP.
source "$(dirname "$0")/lib.sh"

mkdir -p "$state/registry"
start registry crane registry serve --disk "$state/registry" --address "$registry"
await registry listens "${registry%:*}" "${registry#*:}"
