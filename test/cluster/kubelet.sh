#!/usr/bin/env bash
# kubelet: it registers the node and runs its pods.
source "$(dirname "$0")/lib.sh"

here=$state/kubelet
mkdir -p "$here"
cgroup_roots | xargs mkdir -p
# kubelet wants all controllers there. With the second version of cgroups, it has
# those that the cgroup above passes on.
above=/sys/fs/cgroup
[[ ! -e $above/cgroup.controllers ]] || sed 's/[^ ]\+/+&/g' $above/cgroup.controllers >$above/cgroup.subtree_control
cat >"$state/kubelet.yaml" <<EOF
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: $state/pki/ca.crt}
authorization: {mode: Webhook}
tlsCertFile: $state/pki/kubelet.crt
tlsPrivateKeyFile: $state/pki/kubelet.key
address: $node_ip
clusterDomain: cluster.local
clusterDNS: [$node_ip]
containerRuntimeEndpoint: unix://$state/containerd/containerd.sock
podLogsDir: $state/pod-logs
volumePluginDir: $state/volume-plugins
cgroupDriver: cgroupfs
cgroupRoot: /$cgroup
# Machines with the first version of cgroups, or with swap, will do for tests.
failCgroupV1: false
failSwapOn: false
makeIPTablesUtilChains: false
serializeImagePulls: false
# The disk is the developer's. Nothing is evicted or collected before it is full.
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}
maxPods: 200
EOF
start kubelet kubelet --config="$state/kubelet.yaml" --kubeconfig="$KUBECONFIG" --root-dir="$here" \
  --hostname-override="$node" --node-ip="$node_ip"
await kubelet kubectl wait node "$node" --for=condition=Ready --timeout=1s
