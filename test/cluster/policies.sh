#!/usr/bin/env bash
# What enforces NetworkPolicies between pods.
source "$(dirname "$0")/lib.sh"

start network-policies network-policies --kubeconfig="$KUBECONFIG" --node="$node" --pods="$pods"
await network-policies nft list table ip function-jupyter-policies
