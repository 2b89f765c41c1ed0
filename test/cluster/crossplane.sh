#!/usr/bin/env bash
# Crossplane, from its own Helm chart, and the word to others where the registry
# is (KEP-1755, as kind clusters have it).
source "$(dirname "$0")/lib.sh"

version=$(go list -C "$root/tools/crossplane" -m -f '{{.Version}}' github.com/crossplane/crossplane/v2)
chart=$(go list -C "$root/tools/crossplane" -m -f '{{.Dir}}' github.com/crossplane/crossplane/v2)/cluster/charts/crossplane
# Helm refuses to go on after one that was interrupted, until that is forgotten.
kubectl -n crossplane-system delete secret -l 'owner=helm,status in (pending-install,pending-upgrade)' >/dev/null
helm upgrade --install crossplane "$chart" --namespace crossplane-system --create-namespace \
  --set image.repository="$registry/crossplane" --set image.tag="$version" \
  --set args='{--max-concurrent-reconciles=10}' \
  --wait --timeout 3m >"$state/log/helm.log" 2>&1 ||
  { cat "$state/log/helm.log" >&2; kubectl -n crossplane-system get pods,events >&2; fail "Crossplane did not start."; }

kubectl apply -f - >/dev/null <<EOF
apiVersion: v1
kind: ConfigMap
metadata: {name: local-registry-hosting, namespace: kube-public}
data:
  localRegistryHosting.v1: |
    host: "$registry"
    help: "https://kind.sigs.k8s.io/docs/user/local-registry/"
EOF
