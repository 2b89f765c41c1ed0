#!/usr/bin/env bash
# Removes every trace of the test cluster, also of one that crashed or was started
# by another clone: processes, mounts, cgroups, network and files.
source "$(dirname "$0")/lib.sh"

[[ -e $state ]] || { say "there is none."; exit 0; }

# end ends a part, unless it just ended by itself. None has anything to save.
end() {
  ! running "$1" || kill -9 "$pid" 2>/dev/null || true
}

# The pods' cgroups, deepest first, in each hierarchy of either version.
pod_cgroups() {
  cgroup_roots | xargs -I{} find {} -depth -type d 2>/dev/null || true
}

pod_processes() {
  pod_cgroups | sed 's#$#/cgroup.procs#' | xargs -r cat 2>/dev/null | sort -u || true
}

# Nobody brings pods back once kubelet is gone. Their cgroups know all their
# processes; shims know our containerd by its address.
end kubelet
pod_processes | xargs -r kill -9 2>/dev/null || true
pkill -9 -f "containerd-shim.* -address $state/" || true
for part in "$state"/run/*; do
  end "$(basename "$part")"
done

# gone tells whether all that was killed has ended.
gone() {
  local part
  for part in "$state"/run/*; do
    ! running "$(basename "$part")" || return
  done
  [[ -z $(pod_processes) ]]
}
for _ in {1..100}; do
  ! gone || break
  sleep 0.1
done

awk -v under="$state/" 'index($5, under) == 1 { print $5 }' /proc/self/mountinfo | sort -r | xargs -r umount -l
pod_cgroups | xargs -r rmdir 2>/dev/null || true

for table in "ip kube-proxy" "ip6 kube-proxy" "ip function-jupyter-policies" "inet kube-network-policies"; do
  # shellcheck disable=SC2086 # a family and a name
  nft delete table $table 2>/dev/null || true
done
for direction in --source --destination; do
  iptables -D FORWARD $direction "$pods" -j ACCEPT 2>/dev/null || true
done
ip link delete "$bridge" 2>/dev/null || true
sysctl -q -p "$state/sysctl" 2>/dev/null || true

# Some places are not to be configured: containerd's shims have their sockets in
# one, CNI what it did in another, and kubelet a socket and links to logs in two.
# Sockets do not tell whose they are, but whether somebody listens. Folders go when
# nobody else has anything there.
for socket in /run/containerd/s/*; do
  grep -qF " $socket" /proc/net/unix || rm -f "$socket"
done
grep -rlsF "$state/" /var/lib/cni/results | xargs -r rm -f || true
find /var/log/containers -lname "$state/*" -delete 2>/dev/null || true
[[ ! -e $state/run/kubelet ]] || rm -f /var/lib/kubelet/device-plugins/kubelet.sock
for folder in /run/containerd/s /var/lib/cni/results /var/log/containers /var/lib/kubelet/device-plugins; do
  rmdir -p "$folder" 2>/dev/null || true
done

rm -rf --one-file-system "$state"
say "removed."
