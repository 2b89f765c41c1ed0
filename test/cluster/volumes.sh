#!/usr/bin/env bash
# The storage class, and what provisions and grows their volumes.
source "$(dirname "$0")/lib.sh"

start local-volumes local-volumes --kubeconfig="$KUBECONFIG" --directory="$state/volumes" --node="$node"
await local-volumes grep -q "Started provisioner controller" "$state/log/local-volumes.log"
kubectl apply -f "$root/test/cluster/storage.yaml" >/dev/null
