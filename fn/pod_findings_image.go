package fn

import (
	"regexp"
	"strings"
)

// throttled is not the image's fault, and over in a moment: kubelet pulls several
// images.
const throttled = "Throttled"

var (
	backOff = regexp.MustCompile(`^Back-off pulling image "[^"]*"(?:: ([A-Za-z]+): )?`)

	// wrappings of what the registry said.
	wrappings = regexp.MustCompile(`^(rpc error: code = \w+ desc = |Error response from daemon: |` +
		`failed to (pull and unpack|pull|resolve) (image|reference) "[^"]*": |Failed to apply default image tag "[^"]*": |` +
		`unable to pull image or OCI artifact: |pull image err: )+`)
)

// pullError is kubelet's name for why an image was not pulled, or empty, and what
// the registry said. Between two attempts kubelet repeats the last one's.
func pullError(waiting object) (kind, cause string) {
	kind, cause = waiting.text("reason"), waiting.text("message")
	if m := backOff.FindStringSubmatch(cause); kind == "ImagePullBackOff" && m != nil {
		kind, cause = m[1], cause[len(m[0]):]
	}
	if strings.Contains(cause, "pull QPS exceeded") {
		kind = throttled
	}
	return kind, wrappings.ReplaceAllString(cause, "")
}

// A pullFailure is a kind of failure to pull an image.
type pullFailure struct {
	// says tells what registries and container runtimes say then.
	says *regexp.Regexp

	reason, because, advice string
}

const (
	correctImage = "correct spec.image"
	addSecret    = "name a Secret with its credentials in spec.imagePullSecrets"
)

// pullFailures in the order in which they are looked for: several of them are
// also "denied" or "not found".
var pullFailures = []pullFailure{
	{
		regexp.MustCompile(`no match for platform|no matching manifest`),
		"ImageInvalid", ", because it is not made for this kind of node", "choose one that is made for its processor",
	},
	{
		regexp.MustCompile(`(?i)toomanyrequests|too many requests|rate limit`),
		"ImagePullFailed", ", because its registry was asked too often", "wait, or " + addSecret,
	},
	{
		regexp.MustCompile(`(?i)no basic auth credentials|incorrect username or password|invalid username/password`),
		"ImagePullDenied", ", because its registry wants other credentials", addSecret,
	},
	{ // Registries do not tell strangers which images there are.
		regexp.MustCompile(`(?i)may require|anonymous token|requested access to the resource is denied`),
		"ImagePullDenied", ", because it does not exist or is private", correctImage + ", or " + addSecret,
	},
	{
		regexp.MustCompile(`(?i)unauthorized|forbidden|authentication required|authorization failed|denied|\b40[13]\b`),
		"ImagePullDenied", ", because its registry does not give it to this notebook", addSecret,
	},
	{
		regexp.MustCompile(`(?i)not found|manifest unknown|name unknown|does not exist`),
		"ImageNotFound", ", because it does not exist", correctImage,
	},
}

// otherPullFailures by kubelet's name for them.
var otherPullFailures = map[string]pullFailure{
	"InvalidImageName":          {nil, "ImageInvalid", ", because no image can have that name", correctImage},
	"ImageInspectError":         {nil, "ImageInvalid", ", because its node cannot read it", correctImage},
	"SignatureValidationFailed": {nil, "ImageInvalid", ", because its signature was not accepted", "choose one that is signed as your platform team wants it"},
	"ErrImageNeverPull":         {nil, "ImagePullFailed", ", because its node may not pull it and does not have it", "ask your platform team to load it"},
	"RegistryUnavailable":       unreachable,
}

var unreachable = pullFailure{nil, "ImagePullFailed", "", "see whether spec.image is right, or ask your platform team whether nodes reach its registry"}

// imageTrouble: the image cannot be pulled.
func imageTrouble(s situation, p pod) (verdict, bool) {
	waiting := p.notebook().waiting()
	kind, cause := pullError(waiting)
	image := serverImage(s.server())
	failure, known := otherPullFailures[kind]
	switch reason := waiting.text("reason"); {
	case known:
	case kind != throttled && (reason == "ErrImagePull" || reason == "ImagePullBackOff"):
		failure = classify(cause, image)
	default:
		return verdict{}, false
	}
	said := s.inBrackets(strings.TrimPrefix(cause, image+": "), maxQuote)
	return failed(failure.reason, "the image %s cannot be pulled%s%s: %s", image, failure.because, said, failure.advice)
}

var quotedOrURL = regexp.MustCompile(`"[^"]*"|https?://\S*`)

// classify what a registry said, but not the names in it.
func classify(cause, image string) pullFailure {
	cause = quotedOrURL.ReplaceAllString(strings.ReplaceAll(cause, image, ""), "")
	for _, f := range pullFailures {
		if f.says.MatchString(cause) {
			return f
		}
	}
	return unreachable
}
