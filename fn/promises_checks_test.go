package fn

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// checkResponse checks what must hold of every response that Crossplane applies,
// whatever the claim and the world are.
func checkResponse(e *fakeEngine, rsp *fnv1.RunFunctionResponse) {
	e.Helper()
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			e.Fatalf("fatal: %s", r.GetMessage())
		}
	}
	if rsp.GetMeta().GetTag() == "" || rsp.GetMeta().GetTtl().AsDuration() <= 0 {
		e.Fatalf("the response has meta %v", rsp.GetMeta())
	}
	if where := leaked(rsp, e.tokens); where != "" {
		e.Fatalf("a token is in the response: %s", where)
	}
	for key, r := range rsp.GetDesired().GetResources() {
		if err := checkObject(key, r.GetResource()); err != nil {
			e.Fatalf("%s: %v", key, err)
		}
	}
	if err := checkStatus(rsp); err != nil {
		e.Fatalf("status: %v", err)
	}
	if len(e.refs) == 0 {
		checkWhole(e, rsp)
	}
}

// checkWhole: a new notebook is composed whole or not at all.
func checkWhole(e *fakeEngine, rsp *fnv1.RunFunctionResponse) {
	e.Helper()
	composed := rsp.GetDesired().GetResources()
	if len(composed) == 0 {
		return
	}
	for _, id := range identities(simName) {
		_, wanted, _ := unstructured.NestedFieldNoCopy(e.xr.Object, "spec", "volumeSize")
		if composed[id.key] == nil && (id.key != keyWorkspace || wanted) {
			e.Fatalf("a new notebook was composed without its %s", id.key)
		}
	}
}

// leaked returns where in a response a token is that should not be there.
func leaked(rsp *fnv1.RunFunctionResponse, tokens []string) string {
	rsp = proto.CloneOf(rsp)
	rsp.GetDesired().GetComposite().ConnectionDetails = nil
	if secret := rsp.GetDesired().GetResources()[keyAccess].GetResource(); secret != nil {
		delete(secret.GetFields(), "data")
	}
	b, err := proto.Marshal(rsp)
	if err != nil {
		return err.Error()
	}
	for _, token := range tokens {
		for _, form := range []string{token, base64.StdEncoding.EncodeToString([]byte(token)), strings.ToUpper(token)} {
			if at := bytes.Index(b, []byte(form)); at >= 0 {
				return string(b[max(0, at-200):at])
			}
		}
	}
	return ""
}

// checkObject reads a composed object as the API server does.
func checkObject(key string, s *structpb.Struct) error {
	o := map[string]any{keyWorkspace: &corev1.PersistentVolumeClaim{}, keyAccess: &corev1.Secret{}, keyServer: &appsv1.Deployment{}, keyService: &corev1.Service{}, keyNetwork: &networkingv1.NetworkPolicy{}}[key]
	if err := decodeStrictly(s, o); err != nil {
		return err
	}
	m, _ := o.(metav1.Object)
	if m.GetNamespace() != simNamespace || !strings.HasSuffix(simID(key), "/"+m.GetName()) {
		return fmt.Errorf("is %s/%s", m.GetNamespace(), m.GetName())
	}
	for _, owner := range m.GetOwnerReferences() {
		if owner.Controller != nil && *owner.Controller {
			return fmt.Errorf("has controller %v, which is for Crossplane to set", owner)
		}
	}
	if d, isServer := o.(*appsv1.Deployment); isServer {
		return checkLists(d.Spec.Template.Spec)
	}
	return nil
}

func decodeStrictly(s *structpb.Struct, into any) error {
	b, err := s.MarshalJSON()
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// checkLists: server-side apply refuses two elements with the same key.
func checkLists(pod corev1.PodSpec) error {
	keys := map[string]bool{}
	add := func(list string, key any) error {
		k := fmt.Sprint(list, " ", key)
		if keys[k] {
			return fmt.Errorf("duplicate %s", k)
		}
		keys[k] = true
		return nil
	}
	var errs []error
	for _, c := range pod.Containers {
		errs = append(errs, add("container", c.Name))
		for _, x := range c.Env {
			errs = append(errs, add("env", x.Name))
		}
		for _, x := range c.Ports {
			errs = append(errs, add("port", x.ContainerPort))
		}
		for _, x := range c.VolumeMounts {
			errs = append(errs, add("volumeMount", x.MountPath))
		}
	}
	for _, x := range pod.Volumes {
		errs = append(errs, add("volume", x.Name))
	}
	for _, x := range pod.ImagePullSecrets {
		errs = append(errs, add("imagePullSecret", x.Name))
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

var conditionReason = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)

// checkStatus: the API server takes it, and it says something.
func checkStatus(rsp *fnv1.RunFunctionResponse) error {
	st := v1.NotebookStatus{}
	status := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue()
	if err := decodeStrictly(status, &st); err != nil {
		return err
	}
	switch st.Phase {
	case v1.PhaseCreating, v1.PhaseReady, v1.PhaseStopped, v1.PhaseFailed:
	default:
		return fmt.Errorf("phase %q", st.Phase)
	}
	if st.Reason == "" || st.Message == "" || strings.Contains(st.Message, "%!") {
		return fmt.Errorf("%s for reason %q: %q", st.Phase, st.Reason, st.Message)
	}
	isReady := rsp.GetDesired().GetComposite().GetReady() == fnv1.Ready_READY_TRUE
	if isReady && st.Phase == v1.PhaseFailed {
		return fmt.Errorf("ready for Crossplane, and %s for its user", st.Phase)
	}
	var types []string
	for _, c := range rsp.GetConditions() {
		types = append(types, c.GetType())
		if !conditionReason.MatchString(c.GetReason()) || c.GetTarget() != fnv1.Target_TARGET_COMPOSITE_AND_CLAIM || strings.Contains(c.GetMessage(), "%!") {
			return fmt.Errorf("condition %v", c)
		}
	}
	if got := strings.Join(types, " "); strings.TrimSuffix(got, " ActivityKnown") != "Accepted VolumeReady ServerReady RestartPending" {
		return fmt.Errorf("conditions %s", got)
	}
	return nil
}

// checkWorld checks what must hold of the cluster after every reconcile.
func checkWorld(e *fakeEngine) {
	e.Helper()
	c := e.cluster
	for id, was := range c.foreign {
		if o := c.objects[id]; o == nil || asJSON(o.Object) != was {
			e.Fatalf("%s belongs to somebody else, and was changed:\n%s\n%v", id, was, o)
		}
	}
	pvc := e.composed(keyWorkspace)
	switch {
	case c.workspace == "" && pvc != nil:
		c.workspace = pvc.GetUID()
	case c.workspace != "" && (c.objects[simID(keyWorkspace)] == nil || c.objects[simID(keyWorkspace)].GetUID() != c.workspace):
		e.Fatalf("the workspace was lost or replaced")
	}
	d := e.composed(keyServer)
	if d == nil {
		return
	}
	checkStops(e, d)
	checkRestarts(e, d)
	if err := checkClosed(asStruct(e, d.Object), accessName(simName)); err != nil {
		e.Fatalf("the server is open: %v", err)
	}
	if !e.cutShort && e.token() == "" && e.composed(keyAccess) != nil && e.accepted().GetStatus() == fnv1.Status_STATUS_CONDITION_TRUE {
		e.Fatalf("the claim is accepted, and its server has no token")
	}
}

// token in the access Secret, if it protects anything.
func (e *fakeEngine) token() string {
	secret := e.composed(keyAccess)
	if secret == nil {
		return ""
	}
	text, _, _ := unstructured.NestedString(secret.Object, "data", tokenKey)
	token, _ := base64.StdEncoding.DecodeString(text)
	if len(token) < 32 {
		return ""
	}
	return string(token)
}

// openingFlags are some of the many ways to open a server by its command line.
var openingFlags = regexp.MustCompile(`(?i)(app|provider)\.(token|password|hashed_password|allow_unauthenticated_access|identity_provider_class|login_handler_class)`)

// checkClosed: the server starts with the token of its Secret, and nothing takes
// that back.
func checkClosed(s *structpb.Struct, secret string) error {
	d := &appsv1.Deployment{}
	b, err := s.MarshalJSON()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, d); err != nil {
		return err
	}
	if n := len(d.Spec.Template.Spec.Containers); n != 1 {
		return fmt.Errorf("%d containers", n)
	}
	c := d.Spec.Template.Spec.Containers[0]
	env := map[string]corev1.EnvVar{}
	for _, x := range c.Env {
		env[x.Name] = x // The last one counts.
	}
	from := env["JUPYTER_TOKEN"].ValueFrom
	if from == nil || from.SecretKeyRef == nil || from.SecretKeyRef.Name != secret || from.SecretKeyRef.Key != tokenKey || from.SecretKeyRef.Optional != nil {
		return fmt.Errorf("JUPYTER_TOKEN is %v", env["JUPYTER_TOKEN"])
	}
	want := map[string]string{"JUPYTER_CONFIG_PATH": configPath, "JUPYTER_TOKEN_FILE": "", "JUPYTER_NO_CONFIG": "", "NOTEBOOK_ARGS": "", "JUPYTER_ENV_VARS_TO_UNSET": "", "JUPYTER_PORT": "8888", "NB_PREFIX": "/"}
	for name, value := range want {
		if x, set := env[name]; !set || x.Value != value || x.ValueFrom != nil {
			return fmt.Errorf("%s is %v", name, x)
		}
	}
	if flag := openingFlags.FindString(fmt.Sprint(c.Command, c.Args)); flag != "" {
		return fmt.Errorf("the command line sets %s", flag)
	}
	return checkClosedConfig(d.Spec.Template.Annotations)
}

func checkClosedConfig(annotations map[string]string) error {
	for file, section := range map[string]string{serverConfig: "ServerApp", notebookConfig: "NotebookApp"} {
		config := map[string]map[string]any{}
		if err := json.Unmarshal([]byte(annotations[annotationPrefix+file]), &config); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		password, _ := config[section]["password"].(string)
		if !strings.HasPrefix(password, "sha256:") || config[section]["password_required"] != true {
			return fmt.Errorf("%s is %v", file, config)
		}
		for name, app := range config {
			if token, set := app["token"]; set {
				return fmt.Errorf("%s sets %s.token to %v", file, name, token)
			}
		}
	}
	return nil
}
