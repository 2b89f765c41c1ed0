#!/usr/bin/env bash
# The node's address, and how pods are wired: each by a cable of its own (ptp) to
# the host, which routes. So traffic between pods and from pods to Services passes
# the host's packet filter, where kube-proxy and network policies act.
source "$(dirname "$0")/lib.sh"

# A bridge without ports holds the address: not every kernel has dummy devices.
ip link show "$bridge" >/dev/null 2>&1 || ip link add "$bridge" type bridge
ip address replace "$node_ip/32" dev "$bridge"
ip link set "$bridge" up

# What kubelet and kube-proxy set in the kernel is put back by down.sh.
saved=$state/sysctl
settings=(net.ipv4.ip_forward vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops
  kernel.keys.root_maxkeys kernel.keys.root_maxbytes)
[[ -e $saved ]] || { sysctl -e "${settings[@]}" >"$saved.new" && mv "$saved.new" "$saved"; }
sysctl -qw net.ipv4.ip_forward=1

# With Docker on the machine, nothing is forwarded that is not Docker's.
if iptables -S FORWARD 2>/dev/null | grep -q '^-P FORWARD DROP'; then
  for direction in --source --destination; do
    iptables -C FORWARD $direction "$pods" -j ACCEPT 2>/dev/null || iptables -I FORWARD $direction "$pods" -j ACCEPT
  done
fi

mkdir -p "$state/cni"
cat >"$state/cni/10-ptp.conflist" <<EOF
{
  "cniVersion": "1.0.0",
  "name": "pods",
  "plugins": [{
    "type": "ptp",
    "ipam": {
      "type": "host-local",
      "dataDir": "$state/cni/addresses",
      "ranges": [[{"subnet": "$pods", "gateway": "$node_ip"}]],
      "routes": [{"dst": "0.0.0.0/0"}]
    }
  }]
}
EOF
