package fn

import (
	"encoding/base64"
	"maps"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tokenKey of the access Secret holds the token that opens the server.
const tokenKey = "token"

// usableToken is what can be sent in a header and in a URL as it is, and is
// too long to guess. Whoever sets one by hand may choose another alphabet.
var usableToken = regexp.MustCompile(`^[A-Za-z0-9_.~-]{32,512}$`)

// accessSecret holds the token, and what the agent in the pod has to know.
func accessSecret(meta metav1.ObjectMeta, p plan, token string) *corev1.Secret {
	data := map[string][]byte{tokenKey: []byte(token)}
	maps.Copy(data, agentSettings(p))
	return &corev1.Secret{ObjectMeta: meta, Type: corev1.SecretTypeOpaque, Data: data}
}

// observedToken is the token of a Secret that exists, or empty when it is no
// longer one that protects anything.
func observedToken(secret object) string {
	token, err := base64.StdEncoding.DecodeString(secret.text("data", tokenKey))
	if err != nil || !usableToken.Match(token) {
		return ""
	}
	return string(token)
}
