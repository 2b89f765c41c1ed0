package fn

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

var (
	// terminalCodes colour logs.
	terminalCodes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

	// credentials as they are written in URLs and on command lines.
	credentials = regexp.MustCompile(`(?i)(token|password|secret)=[^\s&"']+`)
	urlPassword = regexp.MustCompile(`://[^/@\s]+@`)

	// urlQuery of a download is long, and can be a signature.
	urlQuery = regexp.MustCompile(`(https?://[^\s"?]+)\?[^\s"]+`)

	// fickle is what differs from one attempt to the next: identifiers, digests,
	// times, and the address of one of several servers.
	fickle  = regexp.MustCompile(`(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,}|\b0x[0-9a-f]+|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]*Z?`)
	address = regexp.MustCompile(`\b((?:dial|read|write) (?:tcp|udp)|lookup \S+)(?: on)? [^\s,;"]+:(\s|$)`)
)

// quote makes what others wrote fit for a status: one line that can be printed,
// without what differs from one attempt to the next, and without the token.
func (s situation) quote(text string, limit int) string {
	text = terminalCodes.ReplaceAllString(text, "")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }), " ")
	text = s.redact(text)
	text = credentials.ReplaceAllString(text, "$1=…")
	text = urlPassword.ReplaceAllString(text, "://…@")
	text = urlQuery.ReplaceAllString(text, "$1")
	text = fickle.ReplaceAllString(text, "…")
	text = address.ReplaceAllString(text, "$1:$2")
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return strings.TrimRight(text, " .")
}

// redact the token in all forms in which a server or a proxy could print it.
func (s situation) redact(text string) string {
	if s.token == "" {
		return text
	}
	forms := []string{
		regexp.QuoteMeta(s.token),
		regexp.QuoteMeta(url.QueryEscape(s.token)),
		regexp.QuoteMeta(base64.RawStdEncoding.EncodeToString([]byte(s.token))) + "=*",
		regexp.QuoteMeta(base64.RawURLEncoding.EncodeToString([]byte(s.token))) + "=*",
	}
	return regexp.MustCompile("(?i)"+strings.Join(forms, "|")).ReplaceAllString(text, "…")
}
