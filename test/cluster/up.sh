#!/usr/bin/env bash
# Starts a real one-node Kubernetes cluster with Crossplane on this machine,
# without a container engine: a registry, etcd, the control plane, containerd,
# kubelet, kube-proxy, CoreDNS and volumes, each a process of the host. What runs
# already is left alone.
#
# `make cluster-up` builds what this needs. `make cluster-down` removes it all.
source "$(dirname "$0")/lib.sh"

mkdir -p "$state"/{log,run}
parts=(pki network ports registry images etcd control-plane containerd kubelet proxy policies dns volumes crossplane)
for part in "${parts[@]}"; do
  say "$part (${SECONDS} s)"
  "$root/test/cluster/$part.sh"
done

say "ready after ${SECONDS} s"
cat <<EOF
The cluster runs. To use it:
  export KUBECONFIG=$KUBECONFIG PATH="$bin:\$PATH"
  export REGISTRY=$registry/jupyter     # where make package and crossplane xpkg push put packages
  # Images: $registry/notebook:lab and :classic, and a stand-in for the one of example/claim.yaml
Next: make e2e, or follow "Install" in the README. make cluster-down removes it.
EOF
