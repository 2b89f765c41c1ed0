package fn

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// teamQuota is one as observed.
const teamQuota = `
metadata: {name: team, namespace: team-a}
spec: {hard: {requests.storage: 100Gi, secrets: "5"}}
status: {hard: {requests.storage: 100Gi, secrets: "5"}, used: {requests.storage: 95Gi, secrets: "2"}}
`

// worldWith required objects, some of them several.
func worldWith(t *testing.T, fetched map[string][]string) world {
	t.Helper()
	w := world{composed: map[string]object{}, fetched: map[string]*fnv1.Resources{}}
	for name, texts := range fetched {
		w.fetched[name] = &fnv1.Resources{}
		for _, text := range texts {
			w.fetched[name].Items = append(w.fetched[name].Items, &fnv1.Resource{Resource: objectOf(t, text).Struct})
		}
	}
	return w
}

func TestExceeded(t *testing.T) {
	cases := map[string]struct {
		reason string
		quotas []string
		takes  string
		want   string
	}{
		"NoQuota": {reason: "Nobody limits anything.", takes: `{requests.storage: 10Ti}`},
		"Fits":    {reason: "The last byte may be used.", quotas: []string{teamQuota}, takes: `{requests.storage: 5Gi}`},
		"Exceeded": {
			reason: "It is said as Kubernetes says it.",
			quotas: []string{teamQuota}, takes: `{requests.storage: 10Gi}`,
			want: "exceeded quota: team, requested: requests.storage=10Gi, used: requests.storage=95Gi, limited: requests.storage=100Gi",
		},
		"Several": {
			reason: "What fits is not told, and the rest in the order of the names.",
			quotas: []string{`{metadata: {name: team}, status: {hard: {services: "1", requests.storage: 1Gi, persistentvolumeclaims: "0"}, used: {services: "0", requests.storage: "0", persistentvolumeclaims: "0"}}}`},
			takes:  `{services: 1, requests.storage: 10Gi, persistentvolumeclaims: 1}`,
			want:   "exceeded quota: team, requested: persistentvolumeclaims=1,requests.storage=10Gi, used: persistentvolumeclaims=0,requests.storage=0, limited: persistentvolumeclaims=0,requests.storage=1Gi",
		},
		"FirstByName": {
			reason: "They come in any order, and a sentence that flips is never quiet.",
			quotas: []string{`{metadata: {name: b}, status: {hard: {secrets: "0"}}}`, `{metadata: {name: a}, status: {hard: {secrets: "0"}}}`},
			takes:  `{secrets: 1}`,
			want:   "exceeded quota: a, requested: secrets=1, used: secrets=0, limited: secrets=0",
		},
		"NotLookedAtYet": {
			reason: "Its controller has not written a status: what it will say is known.",
			quotas: []string{`{metadata: {name: new}, spec: {hard: {secrets: "0"}}}`}, takes: `{secrets: 1}`,
			want: "exceeded quota: new, requested: secrets=1, used: secrets=0, limited: secrets=0",
		},
		"StatusCounts": {
			reason: "Kubernetes admits by the limits in the status, which follow those of the spec.",
			quotas: []string{`{metadata: {name: raised}, spec: {hard: {secrets: "9"}}, status: {hard: {secrets: "1"}, used: {secrets: "1"}}}`}, takes: `{secrets: 1}`,
			want: "exceeded quota: raised, requested: secrets=1, used: secrets=1, limited: secrets=1",
		},
		"Scopes":        {reason: "Scopes are about pods.", quotas: []string{`{metadata: {name: a}, spec: {scopes: [BestEffort]}, status: {hard: {secrets: "0"}}}`}, takes: `{secrets: 1}`},
		"ScopeSelector": {reason: "So are these.", quotas: []string{`{metadata: {name: a}, spec: {scopeSelector: {}}, status: {hard: {secrets: "0"}}}`}, takes: `{secrets: 1}`},
		"Hostile":       {reason: "Nobody calculates for hours.", quotas: []string{`{metadata: {name: a}, status: {hard: {secrets: 1e-999999999, services: [], pods: "1e999999999"}}}`}, takes: `{secrets: 1, services: 1}`},
		"NothingTaken":  {reason: "Who takes nothing more is not refused, even if too much is used.", quotas: []string{`{metadata: {name: a}, status: {hard: {secrets: "0"}, used: {secrets: "3"}}}`}, takes: `{}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := worldWith(t, map[string][]string{requiredQuotas: tc.quotas})
			if diff := cmp.Diff(tc.want, exceeded(w.quotas(), typedOf[corev1.ResourceList](t, tc.takes))); diff != "" {
				t.Errorf("\n%s\nexceeded(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTakes(t *testing.T) {
	const (
		standard = `{metadata: {name: standard, creationTimestamp: "2026-11-29T12:00:00Z", annotations: {storageclass.kubernetes.io/is-default-class: "true"}}}`
		newer    = `{metadata: {name: newer, creationTimestamp: "2026-11-30T12:00:00Z", annotations: {storageclass.kubernetes.io/is-default-class: "true"}}}`
		other    = `{metadata: {name: other, creationTimestamp: "2026-11-30T13:00:00Z"}}`
		fast     = `{metadata: {name: fast}, allowVolumeExpansion: true}`
	)
	type args struct {
		key      string
		spec     string
		existing string
		fetched  map[string][]string
	}
	cases := map[string]struct {
		reason string
		args   args
		want   string
	}{
		"Volume": {
			reason: "A volume counts by its size, by its number, and as an object.",
			args:   args{key: keyWorkspace, spec: `{image: a, volumeSize: 10Gi}`},
			want:   `{requests.storage: 10Gi, persistentvolumeclaims: 1, count/persistentvolumeclaims: 1}`,
		},
		"VolumeOfClass": {
			reason: "It counts for its class, too.",
			args:   args{key: keyWorkspace, spec: `{image: a, volumeSize: 10Gi, volume: {storageClassName: fast}}`},
			want:   `{requests.storage: 10Gi, persistentvolumeclaims: 1, count/persistentvolumeclaims: 1, fast.storageclass.storage.k8s.io/requests.storage: 10Gi, fast.storageclass.storage.k8s.io/persistentvolumeclaims: 1}`,
		},
		"VolumeOfNoClass": {
			reason: "An empty class is none, whatever the default is.",
			args:   args{key: keyWorkspace, spec: `{image: a, volumeSize: 10Gi, volume: {storageClassName: ""}}`, fetched: map[string][]string{requiredStorageClasses: {standard}}},
			want:   `{requests.storage: 10Gi, persistentvolumeclaims: 1, count/persistentvolumeclaims: 1}`,
		},
		"VolumeOfDefaultClass": {
			reason: "Of several default classes Kubernetes takes the newest.",
			args:   args{key: keyWorkspace, spec: `{image: a, volumeSize: 10Gi}`, fetched: map[string][]string{requiredStorageClasses: {other, standard, newer, standard}}},
			want:   `{requests.storage: 10Gi, persistentvolumeclaims: 1, count/persistentvolumeclaims: 1, newer.storageclass.storage.k8s.io/requests.storage: 10Gi, newer.storageclass.storage.k8s.io/persistentvolumeclaims: 1}`,
		},
		"NoVolume": {reason: "Nothing is taken.", args: args{key: keyWorkspace, spec: `{image: a}`}},
		"Growth": {
			reason: "What it has is used already.",
			args:   args{key: keyWorkspace, spec: `{image: a, volumeSize: 25Gi}`, existing: boundPVC, fetched: map[string][]string{requiredStorageClass: {fast}}},
			want:   `{requests.storage: 15Gi, fast.storageclass.storage.k8s.io/requests.storage: 15Gi}`,
		},
		"GrowthNotAllowed": {
			reason: "What the class does not let grow is nothing for a quota.",
			args:   args{key: keyWorkspace, spec: `{image: a, volumeSize: 25Gi}`, existing: boundPVC, fetched: map[string][]string{requiredStorageClass: {other}}},
		},
		"Shrink":   {reason: "A volume does not shrink.", args: args{key: keyWorkspace, spec: `{image: a, volumeSize: 5Gi}`, existing: boundPVC}},
		"Secret":   {reason: "It has two names.", args: args{key: keyAccess, spec: `image: a`}, want: `{secrets: 1, count/secrets: 1}`},
		"Server":   {reason: "It has one.", args: args{key: keyServer, spec: `image: a`}, want: `{count/deployments.apps: 1}`},
		"Network":  {reason: "So has this.", args: args{key: keyNetwork, spec: `image: a`}, want: `{count/networkpolicies.networking.k8s.io: 1}`},
		"Service":  {reason: "Only others take ports of the nodes.", args: args{key: keyService, spec: `image: a`}, want: `{services: 1, count/services: 1}`},
		"NodePort": {reason: "It takes a port of the nodes.", args: args{key: keyService, spec: `{image: a, serviceType: NodePort}`}, want: `{services: 1, count/services: 1, services.nodeports: 1}`},
		"Balancer": {reason: "So does a load balancer.", args: args{key: keyService, spec: `{image: a, serviceType: LoadBalancer}`}, want: `{services: 1, count/services: 1, services.nodeports: 1, services.loadbalancers: 1}`},
		"ToBalancer": {
			reason: "It has a port already.",
			args:   args{key: keyService, spec: `{image: a, serviceType: LoadBalancer}`, existing: `spec: {type: NodePort}`},
			want:   `{services.loadbalancers: 1}`,
		},
		"ToClusterIP": {reason: "It gives a port back.", args: args{key: keyService, spec: `image: a`, existing: `spec: {type: NodePort}`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w, spec := worldWith(t, tc.args.fetched), specOf(t, tc.args.spec)
			got := newTakes(tc.args.key, spec, w)
			if tc.args.existing != "" {
				got = moreTakes(tc.args.key, spec, objectOf(t, tc.args.existing), w)
			}
			want := corev1.ResourceList{}
			if tc.want != "" {
				want = typedOf[corev1.ResourceList](t, tc.want)
			}
			if diff := cmp.Diff(amountsOf(want), amountsOf(got)); diff != "" {
				t.Errorf("\n%s\ntakes(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// amountsOf a list as people write them.
func amountsOf(list corev1.ResourceList) map[corev1.ResourceName]string {
	amounts := map[corev1.ResourceName]string{}
	for name, q := range list {
		amounts[name] = q.String()
	}
	return amounts
}
