package golden

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// A document of a rendering: one object.
type document struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Data map[string]string `json:"data"`

	text string
}

// isComposite tells the notebook itself.
func (d document) isComposite() bool { return strings.HasSuffix(d.Kind, "JupyterNotebook") }

// A rendering is all that Crossplane printed.
type rendering []document

// tidy takes out of a rendering what differs each time: the order of the
// documents, and a token that was made up for it.
func tidy(t *testing.T, out []byte) rendering {
	t.Helper()
	var r rendering
	for text := range strings.SplitSeq(strings.TrimPrefix(string(out), "---\n"), "\n---\n") {
		d := document{text: strings.TrimSuffix(text, "\n") + "\n"}
		if err := yaml.Unmarshal([]byte(text), &d); err != nil {
			t.Fatalf("cannot read what was rendered: %v\n%s", err, text)
		}
		r = append(r, d)
	}
	slices.SortFunc(r, func(a, b document) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Metadata.Name, b.Metadata.Name),
			cmp.Compare(a.text, b.text),
		)
	})
	r.hideToken(t)
	r.hideNow()
	return r
}

// rank puts the notebook before its objects, and these before the events.
func rank(d document) int {
	switch {
	case d.isComposite():
		return 0
	case d.Kind != "Result":
		return 1
	default:
		return 2
	}
}

// observedToken is the one that all cases have whose access Secret exists.
// Showing it proves that it was not replaced.
const observedToken = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// tokenHash is in the pod's configuration, and so in the hash of the pod.
var (
	tokenHash = regexp.MustCompile(`sha256:[0-9a-f]{12}:[0-9a-f]{64}`)
	podHash   = regexp.MustCompile(`(function-jupyter\.dev/pod: )"?[0-9a-f]{16}"?`)
)

// hideToken also looks for it where it must not be.
func (r rendering) hideToken(t *testing.T) {
	t.Helper()
	i := slices.IndexFunc(r, func(d document) bool { return d.Kind == "Secret" })
	if i < 0 {
		return
	}
	encoded := r[i].Data["token"]
	token, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(token) < 32 {
		t.Fatalf("the access Secret has no token that protects anything: %q", token)
	}
	for j := range r {
		if strings.Contains(r[j].text, string(token)) || (j != i && strings.Contains(r[j].text, encoded)) {
			t.Errorf("%s %s shows the token, which only the access Secret may", r[j].Kind, r[j].Metadata.Name)
		}
		if string(token) != observedToken {
			r[j].text = strings.ReplaceAll(r[j].text, encoded, "UkFORE9N") // RANDOM.
			r[j].text = tokenHash.ReplaceAllString(r[j].text, "HASH OF RANDOM")
			r[j].text = podHash.ReplaceAllString(r[j].text, "${1}HASH OF RANDOM")
		}
	}
}

// moment is a time as the function writes it.
var moment = regexp.MustCompile(`"?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"?`)

// hideNow takes out the time of the rendering. What happened before is of a morning in
// November.
func (r rendering) hideNow() {
	for i := range r {
		r[i].text = moment.ReplaceAllStringFunc(r[i].text, func(text string) string {
			at, err := time.Parse(time.RFC3339, strings.Trim(text, `"`))
			if err != nil || time.Since(at).Abs() > 10*time.Minute {
				return text
			}
			return "NOW"
		})
	}
}

// acceptable returns the objects that an API server would see, with a spec of
// the notebook that it accepts: some cases ask for nonsense on purpose.
func (r rendering) acceptable(t *testing.T) rendering {
	t.Helper()
	var objects rendering
	for _, d := range r {
		if d.Kind == "Result" {
			continue
		}
		if d.isComposite() {
			var o map[string]any
			if err := yaml.Unmarshal([]byte(d.text), &o); err != nil {
				t.Fatal(err)
			}
			o["spec"] = map[string]any{"image": "jupyter"}
			text, err := yaml.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			d.text = string(text)
		}
		objects = append(objects, d)
	}
	return objects
}

func (r rendering) bytes() []byte {
	var b bytes.Buffer
	for _, d := range r {
		b.WriteString("---\n" + d.text)
	}
	return b.Bytes()
}
