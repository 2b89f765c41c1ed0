# What the parts of the test cluster share. Sourced, never run.
# shellcheck shell=bash disable=SC2034 # the parts use the variables
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$root/.cache/bin
PATH=$bin:$PATH:/usr/sbin:/sbin

# There is one such cluster on a machine, whichever clone started it: ports and
# addresses would collide. So all it writes is in one fixed place, and any clone
# can take it down.
state=/var/lib/function-jupyter-cluster

# The node's address, on a bridge of its own. The API server, DNS and the
# registry listen on it, and pods reach the node by it. Private addresses, so
# that Crossplane speaks plain HTTP to the registry.
bridge=jupyter0
node=node
node_ip=10.213.0.1
pods=10.213.0.0/24
services=10.96.0.0/16
registry=$node_ip:5001

# Where the pods' cgroups are, apart from those of other clusters on this machine.
cgroup=function-jupyter

export KUBECONFIG=$state/admin.kubeconfig KUBECACHEDIR=$state/kubectl

say() {
  echo "cluster: $*" >&2
}

fail() {
  say "$@"
  exit 1
}

[[ $(id -u) == 0 ]] || fail "root is needed, for containers and their network."

# birth sets born to when a process began, in ticks since the machine did. With it,
# a process identifier that was given out again is not mistaken for ours.
birth() {
  local fields
  born=
  read -r fields 2>/dev/null <"/proc/$1/stat" || return
  read -ra fields <<<"${fields##*) }" # after the name, which may have spaces
  [[ ${fields[0]} != Z ]] && born=${fields[19]} # one that ended may linger
}

# running tells whether the part of that name runs, and sets pid.
running() {
  local recorded born
  read -r pid recorded 2>/dev/null <"$state/run/$1" || return
  birth "$pid" && [[ $born == "$recorded" ]]
}

# start runs a part in a session of its own, unless it runs already: what ends
# the caller does not end it.
start() {
  local name=$1 born
  shift
  ! running "$name" || return 0
  setsid "$@" >>"$state/log/$name.log" 2>&1 </dev/null &
  birth $! || true
  echo "$! $born" >"$state/run/$name"
}

# await waits until a command succeeds. It gives up when the part that the command
# asks has ended, or after a minute, and shows the end of that part's log.
await() {
  local name=$1 deadline=$((SECONDS + 60))
  shift
  until "$@" >/dev/null 2>&1; do
    if ! running "$name" || ((SECONDS > deadline)); then
      tail -n 20 "$state/log/$name.log" >&2
      fail "$name did not start: $state/log/$name.log has more."
    fi
    sleep 0.1
  done
}

# cgroup_roots prints the folders of the cgroup that holds the pods': one in each
# hierarchy.
cgroup_roots() {
  findmnt -rno TARGET -t cgroup,cgroup2 | sed "s#\$#/$cgroup#"
}

# listens tells whether somebody listens on a TCP port.
listens() {
  : 2>/dev/null <"/dev/tcp/$1/$2"
}
