#!/usr/bin/env bash
# Tries the packages on a real cluster, end to end: installs them as the README
# says, and uses notebooks as people do. What people can look at afterwards is in
# .cache/e2e/.
#
# Environment, all optional:
#
#   KUBECONFIG     a cluster for tests, with Crossplane, which is restarted, and
#                  without notebooks (default: one is started on this machine, as
#                  make cluster-up does)
#   REGISTRY       where to push packages: a host that this machine and the cluster
#                  can reach, and a path (default: what the cluster says in the
#                  ConfigMap kube-public/local-registry-hosting, and jupyter)
#   LAB_IMAGE, LAB_NEXT_IMAGE, CLASSIC_IMAGE
#                  Jupyter images: JupyterLab 4, another build of it, and Notebook 6
#                  (default: built here, for which this must be Debian, and root)
#   RUN            which tests to run: what go test -run takes (default: all)
#   KEEP           if not empty, what failed tests made stays in the cluster
#   UPGRADE_FROM   the commit whose packages the upgrade begins with (default: the
#                  one before this)
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH=$PWD/.cache/bin:$PATH

fail() {
  echo "e2e: $*" >&2
  exit 1
}

if [[ -z ${KUBECONFIG:-} ]]; then
  make --no-print-directory cluster-up >&2
  export KUBECONFIG=/var/lib/function-jupyter-cluster/admin.kubeconfig KUBECACHEDIR=/var/lib/function-jupyter-cluster/kubectl
fi
kubectl get --request-timeout=20s crd configurations.pkg.crossplane.io >/dev/null ||
  fail "the cluster of KUBECONFIG=$KUBECONFIG has no Crossplane, or cannot be reached."

if [[ -z ${REGISTRY:-} ]]; then
  host=$(kubectl -n kube-public get configmap local-registry-hosting -o 'jsonpath={.data.localRegistryHosting\.v1}' 2>/dev/null |
    sed -n 's/^host: *"\{0,1\}\([^"]*\)"\{0,1\} *$/\1/p')
  [[ -n $host ]] || fail "the cluster does not say which registry it has: set REGISTRY to one that it can reach."
  REGISTRY=$host
fi
if [[ -z ${LAB_IMAGE:-} || -z ${LAB_NEXT_IMAGE:-} || -z ${CLASSIC_IMAGE:-} ]]; then
  images=$REGISTRY
  make --no-print-directory images >&2
  test/images/push.sh "$images"
  export LAB_IMAGE=${LAB_IMAGE:-$images/notebook:lab}
  export LAB_NEXT_IMAGE=${LAB_NEXT_IMAGE:-$images/notebook:lab-next}
  export CLASSIC_IMAGE=${CLASSIC_IMAGE:-$images/notebook:classic}
fi
# Nodes keep the image that they have of a tag: each run pushes to a place of its own.
REGISTRY=$REGISTRY/e2e-$(date +%s)
export REGISTRY
command -v chromium >/dev/null || hack/apt.sh chromium

# What make was told, such as REGISTRY=, is not for the make of the README's commands.
unset MAKEFLAGS

# Tests mostly wait: so more of them run at a time than there are cores.
echo "e2e: about 20 minutes on two cores" >&2
go test -C test/e2e -count=1 -v -timeout=50m -parallel=8 -run="${RUN:-.}" .
echo "Pictures and the trace of a notebook's life are in .cache/e2e/. Next: make cluster-down, if make started the cluster." >&2
