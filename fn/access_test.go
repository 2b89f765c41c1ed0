package fn

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

func TestAccessSecret(t *testing.T) {
	got := accessSecret(metav1.ObjectMeta{Name: "alpha-access"}, plan{spec: &v1.NotebookSpec{}}, testToken)
	want := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "alpha-access"},
		Type:       corev1.SecretTypeOpaque,
		Data:       map[string][]byte{"token": []byte(testToken)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("accessSecret(...): -want, +got:\n%s", diff)
	}
}

func TestObservedToken(t *testing.T) {
	own := strings.Repeat("Own-token_1.~", 4)
	cases := map[string]struct {
		reason string
		secret object
		want   string
	}{
		"None":       {reason: "There is no Secret yet."},
		"Ours":       {reason: "A token stays as long as its Secret.", secret: secretOf(t, testToken), want: testToken},
		"Theirs":     {reason: "Whoever sets one by hand may choose it.", secret: secretOf(t, own), want: own},
		"Empty":      {reason: "An empty token opens the server to everybody.", secret: secretOf(t, "")},
		"Short":      {reason: "A short token can be guessed.", secret: secretOf(t, strings.Repeat("a", 31))},
		"JustLong":   {reason: "32 characters cannot be guessed.", secret: secretOf(t, strings.Repeat("a", 32)), want: strings.Repeat("a", 32)},
		"Endless":    {reason: "A token must fit into a header.", secret: secretOf(t, strings.Repeat("a", 513))},
		"Newline":    {reason: "A newline can neither be sent in a header nor matched by Jupyter.", secret: secretOf(t, testToken+"\n")},
		"Unsendable": {reason: "Nor can a token that a URL would split.", secret: secretOf(t, testToken+"&a=b")},
		"NotBase64":  {reason: "What cannot be read protects nothing.", secret: objectOf(t, `data: {token: "%%%"}`)},
		"NotText":    {reason: "Nor does what is no text.", secret: objectOf(t, `data: {token: 7}`)},
		"OtherKey":   {reason: "Only the key that the server reads counts.", secret: objectOf(t, `data: {password: `+base64.StdEncoding.EncodeToString([]byte(testToken))+`}`)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := observedToken(tc.secret); got != tc.want {
				t.Errorf("\n%s\nobservedToken(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// secretOf holds a token as the API server has it.
func secretOf(t *testing.T, token string) object {
	t.Helper()
	return objectOf(t, "data: {token: "+`"`+base64.StdEncoding.EncodeToString([]byte(token))+`"}`)
}
