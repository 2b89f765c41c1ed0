package fn

// Keys of the composed objects, by which Crossplane knows them.
const (
	keyWorkspace = "workspace"
	keyAccess    = "access"
	keyServer    = "notebook"
	keyService   = "service"
	keyNetwork   = "network"
)

// An identity is all that is needed to find a composed object in the cluster.
type identity struct{ key, apiVersion, kind, name string }

// identities of all that a notebook may compose.
func identities(notebook string) []identity {
	return []identity{
		{keyWorkspace, "v1", "PersistentVolumeClaim", workspaceName(notebook)},
		{keyAccess, "v1", "Secret", accessName(notebook)},
		{keyServer, "apps/v1", "Deployment", serverName(notebook)},
		{keyService, "v1", "Service", serviceName(notebook)},
		{keyNetwork, "networking.k8s.io/v1", "NetworkPolicy", networkName(notebook)},
	}
}
