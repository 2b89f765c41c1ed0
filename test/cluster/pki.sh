#!/usr/bin/env bash
# The cluster's certificates, and the kubeconfig of its administrator. All parts
# of this cluster use that one: it lives for the tests, on one machine.
source "$(dirname "$0")/lib.sh"

pki=$state/pki
[[ ! -e $KUBECONFIG ]] || exit 0
mkdir -p "$pki"
chmod 700 "$pki"
cd "$pki"

# issue makes a key and a certificate for a subject, signed by the cluster's
# authority.
issue() {
  local name=$1 subject=$2 extension=$3
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$name.key" -subj "$subject" 2>/dev/null |
    openssl x509 -req -CA ca.crt -CAkey ca.key -days 365 -extfile <(echo "$extension") -out "$name.crt" 2>/dev/null
}

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.crt -days 365 -subj /CN=kubernetes 2>/dev/null
openssl genrsa -out service-accounts.key 2048 2>/dev/null
issue apiserver /CN=kube-apiserver "subjectAltName=IP:$node_ip,IP:${services%.*}.1,IP:127.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
issue admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth
issue kubelet "/O=system:nodes/CN=system:node:$node" "subjectAltName=IP:$node_ip,DNS:$node"

base64() { command base64 -w0 "$1"; }
(umask 077 && cat >admin.kubeconfig) <<EOF
apiVersion: v1
kind: Config
clusters:
  - name: function-jupyter
    cluster:
      server: https://$node_ip:6443
      certificate-authority-data: $(base64 ca.crt)
users:
  - name: admin
    user:
      client-certificate-data: $(base64 admin.crt)
      client-key-data: $(base64 admin.key)
contexts:
  - name: function-jupyter
    context: {cluster: function-jupyter, user: admin}
current-context: function-jupyter
EOF
mv admin.kubeconfig "$KUBECONFIG"
