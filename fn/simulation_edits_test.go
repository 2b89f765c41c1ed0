package fn

// An edit sets some fields of a claim's spec. A nil value removes the field.
type edit map[string]any

// A group of edits set the same fields, so that a valid one undoes an invalid
// one.
type group struct{ valid, invalid []edit }

func each(field string, values ...any) []edit {
	edits := make([]edit, 0, len(values))
	for _, v := range values {
		edits = append(edits, edit{field: v})
	}
	return edits
}

func storage(size, volume any) edit { return edit{"volumeSize": size, "volume": volume} }

type (
	fields = map[string]any
	values = []any
)

// edits of a claim, valid ones and ones of which each must be refused. Some of
// the invalid ones never pass the API server, which prunes and validates; the
// function must not rely on that.
var edits = map[string]group{
	"image": {
		valid:   each("image", "jupyter/scipy-notebook:latest", "quay.io/jupyter/minimal-notebook:2026-06-01", "registry.local:5000/team/image@sha256:"+zeros),
		invalid: each("image", nil, "", "Upper Case", "x:y:z", "--help", 5.0, fields{"name": "x"}, values{}),
	},
	"storage": {
		valid: []edit{
			storage("10Gi", nil), storage("5Gi", nil), storage("20Gi", nil), storage(float64(1<<30), nil), storage("1500M", fields{}), storage(nil, nil),
			storage("10Gi", fields{"storageClassName": "slow"}), storage("30Gi", fields{"storageClassName": "slow"}),
			storage("10Gi", fields{"storageClassName": "", "accessMode": "ReadWriteMany"}), storage("40Gi", fields{"accessMode": "ReadWriteOncePod", "retention": "Retain"}),
			storage("10Gi", fields{"retention": "Retain"}), storage("10Gi", fields{"retention": "Delete", "mountPath": "/home/jovyan/deep/er"}),
			storage(nil, fields{"existingClaim": "my-data"}), storage(nil, fields{"existingClaim": "not-there"}), storage(nil, fields{"retention": "Retain"}),
			storage(nil, fields{"mountPath": "/work"}),
		},
		invalid: []edit{
			storage("0", nil), storage("-1Gi", nil), storage("ten", nil), storage(true, nil), storage(fields{}, nil), storage(values{"10Gi"}, nil),
			storage("10Gi", "big"), storage("10Gi", values{}), storage("10Gi", fields{"retention": "Forever"}), storage("10Gi", fields{"accessMode": "ReadOnlyMany"}),
			storage("10Gi", fields{"existingClaim": "my-data"}), storage("10Gi", fields{"storageClassName": "No Such"}), storage("10Gi", fields{"storageClassName": 5.0}),
			storage("10Gi", fields{"mountPath": "work"}), storage("10Gi", fields{"mountPath": "/"}), storage("10Gi", fields{"mountPath": "/etc/function-jupyter"}),
			storage("10Gi", fields{"mountPath": "/dev/shm/x"}), storage(nil, fields{"existingClaim": "../x"}), storage(nil, fields{"mountPath": "/a:b"}),
		},
	},
	"resources": {
		valid: each("resources", nil, fields{}, fields{"limits": fields{"memory": "4Gi"}}, fields{"requests": fields{"cpu": 1.0}, "limits": fields{"cpu": "2000m"}},
			fields{"limits": fields{"nvidia.com/gpu": "1"}}, fields{"requests": fields{"amd.com/gpu": 2.0}}, fields{"limits": fields{"nvidia.com/mig-1g.5gb": "1", "memory": "1Gi"}}),
		invalid: each("resources", "much", fields{"limits": fields{"memory": "lots"}}, fields{"requests": fields{"cpu": "2"}, "limits": fields{"cpu": "1"}},
			fields{"requests": fields{"gpu": "1"}}, fields{"limits": fields{"nvidia.com/gpu": "0.5"}}, fields{"requests": fields{"memory": "-1"}}, fields{"requests": values{"cpu"}}, fields{"limits": fields{"cpu": "1e999999"}}),
	},
	"shmSize": {
		valid:   each("shmSize", nil, "64Mi", 1e8),
		invalid: each("shmSize", "0", "-1", "x", fields{}, values{}, "9999Pi9"),
	},
	"serviceType": {
		valid:   each("serviceType", nil, "ClusterIP", "NodePort", "LoadBalancer"),
		invalid: each("serviceType", "ExternalName", "nodeport", 5.0, fields{}),
	},
	"stopped": {
		valid:   each("stopped", nil, true, false, true),
		invalid: each("stopped", "yes", 1.0, fields{}),
	},
	"restartedAt": {
		valid:   each("restartedAt", nil, "2026-11-30T12:00:00Z", "2026-11-30T13:00:00+01:00", "2026-11-30T12:00:00.123Z", "2026-11-30T12:00:00.987654321+05:30"),
		invalid: each("restartedAt", "tomorrow", 5.0, true, fields{}, "2026-11-30"),
	},
	"idleTimeoutSeconds": {
		valid:   each("idleTimeoutSeconds", nil, 0.0, 60.0, 600.0, 600.0, 3600.0),
		invalid: each("idleTimeoutSeconds", -1.0, 59.0, 1e9, "1h", 60.5, true, fields{}),
	},
	"maxLifetimeSeconds": {
		valid:   each("maxLifetimeSeconds", nil, 0.0, nil, 3600.0, 86400.0, nil),
		invalid: each("maxLifetimeSeconds", -1.0, 59.0, 1e9, "1d", values{}),
	},
	"env": {
		valid: each("env", nil, values{}, values{fields{"name": "A", "value": "1"}}, values{fields{"name": "TOKEN", "valueFrom": fields{"secretKeyRef": fields{"name": "s", "key": "k"}}}, fields{"name": "B"}},
			values{fields{"name": "DOCKER_STACKS_JUPYTER_CMD", "value": "notebook"}}, values{fields{"name": "POD", "valueFrom": fields{"fieldRef": fields{"fieldPath": "metadata.name"}}}}),
		invalid: each("env", "A=1", fields{"A": "1"}, values{fields{"name": "A", "value": 1.0}}, values{fields{"name": "A"}, fields{"name": "A"}}, values{fields{"value": "x"}}, values{nil}, values{"A"},
			values{fields{"name": "JUPYTER_TOKEN", "value": ""}}, values{fields{"name": "JUPYTER_TOKEN_FILE", "value": "/dev/null"}}, values{fields{"name": "JUPYTER_CONFIG_PATH", "value": "/tmp"}},
			values{fields{"name": "JUPYTER_NO_CONFIG", "value": "1"}}, values{fields{"name": "JUPYTER_PORT", "value": "80"}}, values{fields{"name": "NB_PREFIX", "value": "/x"}},
			values{fields{"name": "NOTEBOOK_ARGS", "value": "--ServerApp.token="}}, values{fields{"name": "JUPYTER_ENV_VARS_TO_UNSET", "value": "JUPYTER_TOKEN"}}, values{fields{"name": "JUPYTERHUB_API_TOKEN", "value": "x"}},
			values{fields{"name": "DOCKER_STACKS_JUPYTER_CMD", "value": "lab --ServerApp.token="}}, values{fields{"name": "A", "value": "x", "valueFrom": fields{"fieldRef": fields{"fieldPath": "metadata.name"}}}},
			values{fields{"name": "A", "valueFrom": fields{}}}, values{fields{"name": "A=B", "value": "x"}}),
	},
	"envFrom": {
		valid:   each("envFrom", nil, values{fields{"configMapRef": fields{"name": "jupyter-token-none"}}}, values{fields{"prefix": "JUPYTER_", "secretRef": fields{"name": "s", "optional": true}}}),
		invalid: each("envFrom", "s", values{fields{}}, values{fields{"configMapRef": fields{"name": "a"}, "secretRef": fields{"name": "b"}}}, values{fields{"secretRef": fields{}}}, values{fields{"prefix": "1=", "secretRef": fields{"name": "b"}}}),
	},
	"imagePullSecrets": {
		valid:   each("imagePullSecrets", nil, values{fields{"name": "pull"}}, values{fields{"name": "a"}, fields{"name": "b"}}),
		invalid: each("imagePullSecrets", values{fields{"name": "a"}, fields{"name": "a"}}, values{"a"}, values{fields{}}, values{fields{"name": "A_"}}),
	},
	"mounts": {
		valid: each("mounts", nil, values{fields{"mountPath": "/data", "persistentVolumeClaim": "my-data"}},
			values{fields{"mountPath": "/data", "secret": "s"}, fields{"mountPath": "/data/more", "configMap": "c", "subPath": "a/b"}}),
		invalid: each("mounts", "/data", values{fields{"mountPath": "/data"}}, values{fields{"mountPath": "/data", "secret": "s", "configMap": "c"}}, values{fields{"secret": "s"}},
			values{fields{"mountPath": "/data", "secret": "s"}, fields{"mountPath": "/data/", "secret": "t"}}, values{fields{"mountPath": "/dev/shm", "secret": "s"}},
			values{fields{"mountPath": "/data", "secret": "s", "subPath": "../x"}}, values{fields{"mountPath": "/etc/function-jupyter", "configMap": "open"}}, values{fields{"mountPath": "/etc", "configMap": "Open"}}),
	},
	"command": {
		valid: each("command", nil, values{"start-notebook.py"}, values{"jupyter", "lab"}),
		invalid: each("command", "jupyter lab", values{1.0}, values{"jupyter", "lab", "--ServerApp.token="}, values{"jupyter", "lab", "--IdentityProvider.token", ""},
			values{"sh", "-c", "jupyter lab --ServerApp.password='' --ip=0.0.0.0"}, values{"jupyter", "notebook", "--NotebookApp.token=''"}),
	},
	"args": {
		valid: each("args", nil, values{}, values{"--debug"}, values{"--ServerApp.root_dir=/work"}, values{"--port=8888"}),
		invalid: each("args", "--debug", values{fields{}}, values{"--ServerApp.token", ""}, values{"--LabApp.token="}, values{"--PasswordIdentityProvider.hashed_password="},
			values{"--ServerApp.allow_unauthenticated_access=True"}, values{"--ServerApp.password_required=False"}, values{"--ServerApp.identity_provider_class=open.Everyone"}, values{"--port", "80"}, values{"--ServerApp.base_url=/x"}),
	},
	"nodeSelector": {
		valid:   each("nodeSelector", nil, fields{"disk": "fast"}),
		invalid: each("nodeSelector", "disk", fields{"disk": true}, fields{"a b": "c"}, fields{"disk": "very fast"}),
	},
	"tolerations": {
		valid:   each("tolerations", nil, values{fields{"operator": "Exists"}}, values{fields{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}}, values{fields{"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": 5.0}}),
		invalid: each("tolerations", values{fields{}}, values{fields{"key": "a", "operator": "In"}}, values{fields{"key": "a", "operator": "Exists", "value": "b"}}, values{fields{"key": "a", "tolerationSeconds": 5.0}}, values{fields{"key": "a", "effect": "Never"}}),
	},
	"auth": {
		valid:   each("auth", nil, fields{}, fields{"mode": "Token"}),
		invalid: each("auth", fields{"mode": "None"}, fields{"mode": "none"}, fields{"mode": 5.0}, "None", values{}),
	},
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"
