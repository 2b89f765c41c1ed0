#!/usr/bin/env bash
# Storage classes, and what provisions and grows their volumes.
source "$(dirname "$0")/lib.sh"

start local-volumes local-volumes --kubeconfig="$KUBECONFIG" --directory="$state/volumes" --node="$node"
kubectl apply -f "$root/test/cluster/storage.yaml" >/dev/null
running local-volumes || fail "local-volumes did not start: $state/log/local-volumes.log says why."
