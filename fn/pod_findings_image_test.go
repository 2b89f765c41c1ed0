package fn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// TestImageTrouble also checks that what kubelet says at an attempt, and while it
// waits for the next one, is told in the same words.
func TestImageTrouble(t *testing.T) {
	const (
		image   = "registry.example.org/lab/notebook:nope"
		resolve = `failed to pull and unpack image "` + image + `": failed to resolve reference "` + image + `": `
		broken  = "the image " + image + " cannot be pulled, because "
	)
	cases := map[string]struct {
		reason string
		kind   string
		says   string
		want   verdict
	}{
		"NotFound": {
			reason: "There is no such tag, or no such repository.",
			says:   "rpc error: code = NotFound desc = " + resolve + image + ": not found",
			want:   verdict{v1.PhaseFailed, "ImageNotFound", broken + "it does not exist (not found): correct spec.image"},
		},
		"ManifestUnknown": {
			reason: "Other runtimes repeat what the registry says.",
			says:   "unable to pull image or OCI artifact: pull image err: initializing source docker://" + image + ": reading manifest nope in registry.example.org/lab/notebook: manifest unknown",
			want:   verdict{v1.PhaseFailed, "ImageNotFound", broken + "it does not exist (initializing source docker://" + image + ": reading manifest nope in registry.example.org/lab/notebook: manifest unknown): correct spec.image"},
		},
		"Ambiguous": {
			reason: "Docker Hub does not tell strangers what exists.",
			says:   resolve + "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed",
			want:   verdict{v1.PhaseFailed, "ImagePullDenied", broken + "it does not exist or is private (pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed): correct spec.image, or name a Secret with its credentials in spec.imagePullSecrets"},
		},
		"Anonymous": {
			reason: "Nor do others.",
			says:   resolve + "failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://registry.example.org/token?scope=repository%3Alab%3Apull&service=registry: 401 Unauthorized",
			want:   verdict{v1.PhaseFailed, "ImagePullDenied", broken + "it does not exist or is private (failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://registry.example.org/token 401 Unauthorized): correct spec.image, or name a Secret with its credentials in spec.imagePullSecrets"},
		},
		"NoCredentials": {
			reason: "This registry says what is missing.",
			says:   resolve + "pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials",
			want:   verdict{v1.PhaseFailed, "ImagePullDenied", broken + "its registry wants other credentials (pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials): name a Secret with its credentials in spec.imagePullSecrets"},
		},
		"Forbidden": {
			reason: "The credentials are not good enough.",
			says:   resolve + "unexpected status from HEAD request to https://registry.example.org/v2/lab/notebook/manifests/nope: 403 Forbidden",
			want:   verdict{v1.PhaseFailed, "ImagePullDenied", broken + "its registry does not give it to this notebook (unexpected status from HEAD request to https://registry.example.org/v2/lab/notebook/manifests/nope: 403 Forbidden): name a Secret with its credentials in spec.imagePullSecrets"},
		},
		"RateLimit": {
			reason: "It is not unauthorized, only unauthenticated.",
			says:   "failed to pull and unpack image \"" + image + "\": failed to copy: httpReadSeeker: failed open: unexpected status code https://registry.example.org/v2/x: 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit",
			want:   verdict{v1.PhaseFailed, "ImagePullFailed", broken + "its registry was asked too often (failed to copy: httpReadSeeker: failed open: unexpected status code https://registry.example.org/v2/x: 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit): wait, or name a Secret with its credentials in spec.imagePullSecrets"},
		},
		"Unreachable": {
			reason: "The registry has several addresses, of which each attempt takes another.",
			says:   resolve + `failed to do request: Head "https://registry.example.org/v2/lab/notebook/manifests/nope": dial tcp 192.0.2.17:443: connect: connection refused`,
			want:   verdict{v1.PhaseFailed, "ImagePullFailed", "the image " + image + ` cannot be pulled (failed to do request: Head "https://registry.example.org/v2/lab/notebook/manifests/nope": dial tcp: connect: connection refused): see whether spec.image is right, or ask your platform team whether nodes reach its registry`},
		},
		"NoSuchHost": {
			reason: "That a host is not there says nothing of the image.",
			says:   resolve + `failed to do request: Head "https://registry.example.org/v2/lab/notebook/manifests/nope": dial tcp: lookup registry.example.org on 10.96.0.10:53: no such host`,
			want:   verdict{v1.PhaseFailed, "ImagePullFailed", "the image " + image + ` cannot be pulled (failed to do request: Head "https://registry.example.org/v2/lab/notebook/manifests/nope": dial tcp: lookup registry.example.org: no such host): see whether spec.image is right, or ask your platform team whether nodes reach its registry`},
		},
		"OtherProcessor": {
			reason: "The image exists, and is not found for this node.",
			says:   "failed to pull and unpack image \"" + image + "\": no match for platform in manifest: not found",
			want:   verdict{v1.PhaseFailed, "ImageInvalid", broken + "it is not made for this kind of node (no match for platform in manifest: not found): choose one that is made for its processor"},
		},
		"Unsigned": {
			reason: "The runtime's own kind is in the back-off, too.",
			kind:   "SignatureValidationFailed", says: "image pull failed for " + image + " because the signature validation failed: no signature found",
			want: verdict{v1.PhaseFailed, "ImageInvalid", broken + "its signature was not accepted (image pull failed for " + image + " because the signature validation failed: no signature found): choose one that is signed as your platform team wants it"},
		},
		"RegistryUnavailable": {
			reason: "So is this one.",
			kind:   "RegistryUnavailable", says: "image pull failed for " + image + " because the registry is unavailable",
			want: verdict{v1.PhaseFailed, "ImagePullFailed", "the image " + image + " cannot be pulled (image pull failed for " + image + " because the registry is unavailable): see whether spec.image is right, or ask your platform team whether nodes reach its registry"},
		},
		"Throttled": {
			reason: "Kubelet pulls other images first, and this one in a moment.",
			says:   "pull QPS exceeded",
			want:   verdict{v1.PhaseCreating, "Starting", strings.Replace(startingMessage, "jupyter/a", image, 1)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kind := tc.kind
			if kind == "" {
				kind = "ErrImagePull"
			}
			for reason, message := range map[string]string{kind: tc.says, "ImagePullBackOff": fmt.Sprintf("Back-off pulling image %q: %s: %s", image, kind, tc.says)} {
				pod := fmt.Sprintf(scheduledPod+"{name: notebook, state: {waiting: {reason: %s, message: %q}}, lastState: {}}", reason, message)
				got := judge(podCase{pod: pod, image: image}.situation(t))
				if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(verdict{})); diff != "" {
					t.Errorf("\n%s\njudge(...) of %s: -want, +got:\n%s", tc.reason, reason, diff)
				}
			}
		})
	}
}

func TestImageTroubleWithoutAttempt(t *testing.T) {
	waiting := func(text string) string {
		return scheduledPod + `{name: notebook, state: {waiting: ` + text + `}, lastState: {}}`
	}
	judgePods(t, map[string]podCase{
		"BackOffWithoutCause": {
			reason: "An older kubelet does not repeat why.",
			pod:    waiting(`{reason: ImagePullBackOff, message: 'Back-off pulling image "jupyter/a"'}`),
			want:   verdict{v1.PhaseFailed, "ImagePullFailed", "the image jupyter/a cannot be pulled: see whether spec.image is right, or ask your platform team whether nodes reach its registry"},
		},
		"BackOffWithNothing": {
			reason: "Somebody else may have written the status.",
			pod:    waiting(`{reason: ImagePullBackOff}`),
			want:   verdict{v1.PhaseFailed, "ImagePullFailed", "the image jupyter/a cannot be pulled: see whether spec.image is right, or ask your platform team whether nodes reach its registry"},
		},
		"InvalidName": {
			reason: "Kubelet does not even try.",
			pod:    waiting(`{reason: InvalidImageName, message: "Failed to apply default image tag \"Upper Case::x\": couldn't parse image name \"Upper Case::x\": invalid reference format: repository name (library/Upper Case) must be lowercase"}`),
			want:   verdict{v1.PhaseFailed, "ImageInvalid", `the image jupyter/a cannot be pulled, because no image can have that name (couldn't parse image name "Upper Case::x": invalid reference format: repository name (library/Upper Case) must be lowercase): correct spec.image`},
		},
		"NeverPulled": {
			reason: "An admission policy forbids it.",
			pod:    waiting(`{reason: ErrImageNeverPull, message: 'Container image "jupyter/a" is not present with pull policy of Never'}`),
			want:   verdict{v1.PhaseFailed, "ImagePullFailed", `the image jupyter/a cannot be pulled, because its node may not pull it and does not have it (Container image "jupyter/a" is not present with pull policy of Never): ask your platform team to load it`},
		},
	})
}
