package fn

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// TestJupyterConfig checks what each of the two applications must be told, and
// that no file has a section of the other's: a newer server prefers the older one's.
func TestJupyterConfig(t *testing.T) {
	files := jupyterConfig(testToken, "/data")
	if diff := cmp.Diff([]string{"jupyter_notebook_config.json", "jupyter_server_config.json"}, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Fatalf("jupyterConfig(...): files: -want, +got:\n%s", diff)
	}
	cases := map[string]struct{ file, section, folder, foreignFolder string }{
		"Server":   {file: serverConfig, section: "ServerApp", folder: "root_dir", foreignFolder: "notebook_dir"},
		"Notebook": {file: notebookConfig, section: "NotebookApp", folder: "notebook_dir", foreignFolder: "root_dir"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			sections := map[string]map[string]any{}
			if err := json.Unmarshal([]byte(files[tc.file]), &sections); err != nil {
				t.Fatalf("%s: %v", tc.file, err)
			}
			for section := range sections {
				if strings.HasSuffix(section, "App") && section != tc.section {
					t.Errorf("%s: has a section %s", tc.file, section)
				}
			}
			app := sections[tc.section]
			want := map[string]any{"ip": "0.0.0.0", "port": 8888.0, "port_retries": 0.0, "base_url": "/", tc.folder: "/data"}
			for key, value := range want {
				if diff := cmp.Diff(value, app[key]); diff != "" {
					t.Errorf("%s: %s: -want, +got:\n%s", tc.file, key, diff)
				}
			}
			if _, exists := app[tc.foreignFolder]; exists {
				t.Errorf("%s: %s is no setting of %s", tc.file, tc.foreignFolder, tc.section)
			}
			if strings.Contains(files[tc.file], testToken) {
				t.Errorf("%s: has the token in clear", tc.file)
			}
		})
	}
}

// TestJupyterConfigStable: a pod's annotations that change restart the server.
func TestJupyterConfigStable(t *testing.T) {
	first := jupyterConfig(testToken, "/data")
	for range 20 {
		if diff := cmp.Diff(first, jupyterConfig(testToken, "/data")); diff != "" {
			t.Fatalf("jupyterConfig(...): -first, +later:\n%s", diff)
		}
	}
}

// TestHashedPassword checks what Jupyter's passwd_check calculates.
func TestHashedPassword(t *testing.T) {
	algorithm, rest, _ := strings.Cut(hashedPassword(testToken), ":")
	salt, digest, _ := strings.Cut(rest, ":")
	sum := sha256.Sum256([]byte(testToken + salt))
	if algorithm != "sha256" || len(salt) != 12 || digest != hex.EncodeToString(sum[:]) {
		t.Errorf("hashedPassword(...): Jupyter does not accept the token for %s", hashedPassword(testToken))
	}
	if again := hashedPassword(testToken); again != algorithm+":"+rest {
		t.Errorf("hashedPassword(...): the same token must give the same pod, got %s", again)
	}
	if other, _, _ := strings.Cut(strings.TrimPrefix(hashedPassword("other"), "sha256:"), ":"); other == salt {
		t.Error("hashedPassword(...): different tokens have the same salt")
	}
}

// TestJupyterEnv checks all variables that open the server, move it, or make it
// overlook its configuration.
func TestJupyterEnv(t *testing.T) {
	want := map[string]string{
		"JUPYTER_CONFIG_PATH":       "/etc/function-jupyter",
		"JUPYTER_PORT":              "8888",
		"JUPYTER_NO_CONFIG":         "",
		"JUPYTER_TOKEN_FILE":        "",
		"JUPYTER_ENV_VARS_TO_UNSET": "",
		"NOTEBOOK_ARGS":             "",
		"NB_PREFIX":                 "/",
	}
	got := map[string]string{}
	for _, e := range jupyterEnv("alpha-access") {
		if e.Name == "JUPYTER_TOKEN" {
			source := &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "alpha-access"}, Key: "token"}}
			if diff := cmp.Diff(corev1.EnvVar{Name: "JUPYTER_TOKEN", ValueFrom: source}, e); diff != "" {
				t.Errorf("jupyterEnv(...): the token must come from the Secret, required: -want, +got:\n%s", diff)
			}
			continue
		}
		got[e.Name] = e.Value
	}
	for name, value := range want {
		if set, exists := got[name]; !exists || set != value {
			t.Errorf("jupyterEnv(...): %s: want %q, got %q (set: %t)", name, value, set, exists)
		}
	}
	if len(jupyterEnv("alpha-access")) != len(got)+1 {
		t.Errorf("jupyterEnv(...): a variable is set twice, or JUPYTER_TOKEN is not set")
	}
}

// TestJupyterCommandEnv: a ConfigMap must not choose what an image starts.
func TestJupyterCommandEnv(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   []corev1.EnvVar
	}{
		"EnvFrom": {reason: "It could set the variable.", spec: `{image: a, envFrom: [{configMapRef: {name: a}}]}`, want: []corev1.EnvVar{{Name: "DOCKER_STACKS_JUPYTER_CMD", Value: "lab"}}},
		"Both":    {reason: "The claim's own counts more than envFrom.", spec: `{image: a, env: [{name: DOCKER_STACKS_JUPYTER_CMD, value: notebook}], envFrom: [{configMapRef: {name: a}}]}`},
		"Neither": {reason: "The image knows best.", spec: `image: a`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, jupyterCommandEnv(specOf(t, tc.spec))); diff != "" {
				t.Errorf("\n%s\njupyterCommandEnv(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
