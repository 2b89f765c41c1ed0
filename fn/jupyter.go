package fn

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

const (
	// port on which Jupyter listens, and on which the Service offers it.
	port     = 8888
	portName = "http"

	// baseURL of all of Jupyter's pages.
	baseURL = "/"

	// configPath is where Jupyter finds its configuration. It comes before the
	// user's own configuration and the image's.
	configPath   = "/etc/function-jupyter"
	configVolume = "jupyter-config"

	// Jupyter Server reads the first file, the classic Notebook the second. Each
	// must not hold the section of the other application.
	serverConfig   = "jupyter_server_config.json"
	notebookConfig = "jupyter_notebook_config.json"
)

// jupyterConfig returns the two configuration files, by name. They are
// annotations of the pod, so that a changed setting rolls the server.
//
// The token itself comes from JUPYTER_TOKEN. Its hash, as a password that is
// required, keeps the server closed even if a configuration file in the
// workspace empties the token. (Tried on Notebook 6.4, Jupyter Server 1.23 and
// 2.15: with JUPYTER_TOKEN alone, such a file opened each of them.)
func jupyterConfig(token, workspace string) map[string]string {
	hash := hashedPassword(token)
	app := map[string]any{
		"ip":                    "0.0.0.0",
		"port":                  port,
		"port_retries":          0,
		"base_url":              baseURL,
		"open_browser":          false,
		"certfile":              "", // The probes and the URL are plain HTTP.
		"password":              hash,
		"password_required":     true,
		"allow_password_change": false,
	}
	server, notebook := maps.Clone(app), app
	server["root_dir"], notebook["notebook_dir"] = workspace, workspace
	return map[string]string{
		serverConfig: encodeConfig(map[string]any{
			"ServerApp": server,
			// Jupyter Server 2 asks this class before it asks ServerApp.
			"PasswordIdentityProvider": map[string]any{
				"hashed_password":       hash,
				"password_required":     true,
				"allow_password_change": false,
			},
		}),
		notebookConfig: encodeConfig(map[string]any{"NotebookApp": notebook}),
	}
}

func encodeConfig(sections map[string]any) string {
	b, err := json.Marshal(sections)
	if err != nil { // Impossible: strings, numbers and booleans.
		return "{}"
	}
	return string(b)
}

// hashedPassword of a token in Jupyter's format. A hash of 256 random bits
// tells nothing of them, so the salt need not be random, and the same token
// gives the same pod.
func hashedPassword(token string) string {
	salt := sha256.Sum256([]byte("salt" + token))
	hexSalt := hex.EncodeToString(salt[:6])
	sum := sha256.Sum256([]byte(token + hexSalt))
	return "sha256:" + hexSalt + ":" + hex.EncodeToString(sum[:])
}

// jupyterEnv is set after, and so instead of, what the claim's env and envFrom
// set. All of these switch authentication off, move the port or the pages, or
// make Jupyter overlook its configuration.
func jupyterEnv(secret string) []corev1.EnvVar {
	return []corev1.EnvVar{
		{Name: "JUPYTER_TOKEN", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: secret},
			Key:                  tokenKey,
		}}},
		{Name: "JUPYTER_CONFIG_PATH", Value: configPath},
		{Name: "JUPYTER_PORT", Value: "8888"},
		// Empty switches these off.
		{Name: "JUPYTER_NO_CONFIG", Value: ""},
		{Name: "JUPYTER_TOKEN_FILE", Value: ""},
		{Name: "JUPYTER_ENV_VARS_TO_UNSET", Value: ""},
		{Name: "NOTEBOOK_ARGS", Value: ""},
		// Kubeflow's images take their base URL from it.
		{Name: "NB_PREFIX", Value: baseURL},
	}
}

// jupyterCommandEnv keeps envFrom from choosing what the docker-stacks images
// start: their older scripts take flags from that variable, too. One that the
// claim's env sets has been checked.
func jupyterCommandEnv(spec *v1.NotebookSpec) []corev1.EnvVar {
	if len(spec.EnvFrom) == 0 || sets(spec.Env, envJupyterCommand) {
		return nil
	}
	return []corev1.EnvVar{{Name: envJupyterCommand, Value: "lab"}}
}
