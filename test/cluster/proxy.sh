#!/usr/bin/env bash
# kube-proxy: the Services' addresses.
source "$(dirname "$0")/lib.sh"

# It ends when its configuration is written anew.
! running kube-proxy || exit 0
cat >"$state/kube-proxy.yaml" <<EOF
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clusterCIDR: $pods
hostnameOverride: $node
clientConnection: {kubeconfig: $KUBECONFIG}
# The kernel's own limits stay.
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
EOF
start kube-proxy kube-proxy --config="$state/kube-proxy.yaml"
await kube-proxy nft list chain ip kube-proxy services
