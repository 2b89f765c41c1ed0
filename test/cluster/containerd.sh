#!/usr/bin/env bash
# containerd, beside any other that the machine may have.
source "$(dirname "$0")/lib.sh"

here=$state/containerd
mkdir -p "$here/certs.d/$registry"
cat >"$here/certs.d/$registry/hosts.toml" <<EOF
server = "http://$registry"
[host."http://$registry"]
EOF
# The image of example/claim.yaml comes from our registry, too: see images.sh.
mkdir -p "$here/certs.d/docker.io"
cat >"$here/certs.d/docker.io/hosts.toml" <<EOF
server = "https://registry-1.docker.io"
[host."http://$registry"]
  capabilities = ["pull", "resolve"]
EOF
cat >"$here/config.toml" <<EOF
version = 2
root = "$here/root"
state = "$here/state"

[grpc]
  address = "$here/containerd.sock"

# Rather than /opt/containerd.
[plugins."io.containerd.internal.v1.opt"]
  path = "$here/opt"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$registry/pause:1"
  # Under our state, down.sh finds them.
  netns_mounts_under_state_dir = true
  # A machine that is a container itself may not lower these scores.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$state/cni"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "$here/certs.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      Root = "$here/runc"
      SystemdCgroup = false
EOF
start containerd containerd --config "$here/config.toml"
await containerd ctr --address "$here/containerd.sock" version
