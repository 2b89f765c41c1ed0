package fn

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
)

func TestQuote(t *testing.T) {
	token := strings.Repeat("a+b/", 10)
	encoded := base64.StdEncoding.EncodeToString([]byte(token))
	cases := map[string]struct {
		reason, token, text, want string
	}{
		"Plain":     {reason: "Nothing is wrong with it.", text: "no such host", want: "no such host"},
		"OneLine":   {reason: "A message is one line.", text: "a\n\tb  c", want: "a b c"},
		"Invisible": {reason: "Nobody can hide something in a message.", text: "a\x00b\u202ec", want: "a b c"},
		"Colours":   {reason: "A status has none.", text: "\x1b[1;31mred\x1b[0m", want: "red"},
		"Token":     {reason: "The token stays secret.", token: token, text: "open " + strings.ToUpper(token), want: "open …"},
		"TokenURL":  {reason: "In any form.", token: token, text: "/" + url.QueryEscape(token) + "?", want: "/…?"},
		"Base64":    {reason: "In that form, too.", token: token, text: "Basic " + encoded, want: "Basic …"},
		"Query":     {reason: "What Jupyter prints has a token for all to see.", text: "see lab?token=abc&x=1", want: "see lab?token=…&x=1"},
		"Password":  {reason: "So may a URL.", text: "git clone https://me:" + "hush@example.org/x failed", want: "git clone https://…@example.org/x failed"},
		"OldToken":  {reason: "A token that was replaced is nobody's business either.", text: "was " + testToken, want: "was …"},
		"Signature": {reason: "A download's URL is as good as a password.", text: `Get "https://cdn.example.org/blob?X-Amz-Signature=abc": EOF`, want: `Get "https://cdn.example.org/blob": EOF`},
		"Fickle":    {reason: "What changes with each attempt would make the status change.", text: "pod 18a931e4-4b27-48df-ba9c-4e1668a62ef4 at 2026-11-30T12:00:00.5Z, 0x7f00", want: "pod … at …, …"},
		"Address":   {reason: "So would ports that are chosen at random.", text: "read tcp 10.0.0.1:43512->192.0.2.1:443: read: connection reset by peer", want: "read tcp: read: connection reset by peer"},
		"Long":      {reason: "A status is no log.", text: strings.Repeat("ü", 100), want: strings.Repeat("ü", 20) + "…"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			limit := 80
			if name == "Long" {
				limit = 41
			}
			s := situation{composition: composition{token: tc.token}}
			if got := s.quote(tc.text, limit); got != tc.want {
				t.Errorf("\n%s\nquote(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
