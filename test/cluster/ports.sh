#!/usr/bin/env bash
# Says at once when somebody else has a port that a part needs. Otherwise the
# cluster would even use what is there, such as another etcd.
source "$(dirname "$0")/lib.sh"

while read -r part address port; do
  if ! running "$part" && listens "$address" "$port"; then
    ss -Hltnp "sport = :$port" >&2
    fail "$part needs port $port, where the above listens."
  fi
done <<EOT
registry ${registry/:/ }
etcd 127.0.0.1 2379
etcd 127.0.0.1 2380
kube-apiserver $node_ip 6443
kube-controller-manager 127.0.0.1 10257
kube-scheduler 127.0.0.1 10259
kubelet 127.0.0.1 10248
kubelet $node_ip 10250
kube-proxy 127.0.0.1 10249
kube-proxy 127.0.0.1 10256
coredns $node_ip 53
EOT
