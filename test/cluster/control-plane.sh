#!/usr/bin/env bash
# The API server, the controllers and the scheduler.
source "$(dirname "$0")/lib.sh"

pki=$state/pki
start kube-apiserver kube-apiserver \
  --etcd-servers=http://127.0.0.1:2379 \
  --bind-address="$node_ip" --secure-port=6443 \
  --service-cluster-ip-range="$services" \
  --client-ca-file="$pki/ca.crt" --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
  --service-account-issuer=https://kubernetes.default.svc \
  --service-account-key-file="$pki/service-accounts.key" --service-account-signing-key-file="$pki/service-accounts.key" \
  --authorization-mode=Node,RBAC --allow-privileged \
  --kubelet-client-certificate="$pki/admin.crt" --kubelet-client-key="$pki/admin.key" \
  --kubelet-certificate-authority="$pki/ca.crt" \
  `# The node's name is in no DNS.` \
  --kubelet-preferred-address-types=InternalIP
await kube-apiserver kubectl get --raw /readyz

start kube-controller-manager kube-controller-manager \
  --kubeconfig="$KUBECONFIG" --leader-elect=false --use-service-account-credentials \
  --service-account-private-key-file="$pki/service-accounts.key" --root-ca-file="$pki/ca.crt" \
  --flex-volume-plugin-dir="$state/volume-plugins" --bind-address=127.0.0.1
start kube-scheduler kube-scheduler --kubeconfig="$KUBECONFIG" --leader-elect=false --bind-address=127.0.0.1
await kube-controller-manager kubectl get serviceaccount default
await kube-scheduler listens 127.0.0.1 10259
