#!/usr/bin/env bash
# CoreDNS: the Services' names.
source "$(dirname "$0")/lib.sh"

cat >"$state/Corefile" <<EOF
.:53 {
  bind $node_ip
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $KUBECONFIG
  }
}
EOF
start coredns coredns -conf "$state/Corefile"
await coredns listens "$node_ip" 53
