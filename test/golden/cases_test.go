package golden

// A testCase is a folder.
type testCase struct {
	// reason says what the case must show.
	reason string

	// observed is the case whose observed objects this one has, if not its own.
	observed string

	// variant of the configuration, if not the one with claims.
	variant string
}

var cases = map[string]testCase{
	// A notebook comes up.

	"fresh":        {reason: "A new claim composes all five objects, and says that they are being created."},
	"minimal":      {reason: "An image is enough: no workspace, no limits, and a status that says that nothing is kept."},
	"half-created": {reason: "What exists is kept, the token above all, and what is missing is composed."},
	"created":      {reason: "Everything exists, and no controller has looked at the Deployment yet."},
	"starting":     {reason: "While the server starts, the message says what it is doing."},
	"ready":        {reason: "A notebook whose server answers is ready, and says where it is."},
	"ephemeral":    {reason: "A notebook without a volume is ready, and says that it keeps nothing."},
	"stopped-new":  {reason: "A claim that is stopped from the start composes everything with no replica."},
	"weak-token":   {reason: "A token that protects nothing is replaced, and the server restarts when the new one is stored."},
	"mounts-env":   {reason: "Env, envFrom, mounts, pull secrets, shared memory and args reach the pod; Jupyter's own variables come last."},
	"gpu":          {reason: "A GPU under limits passes through, and its taint is tolerated next to the claim's tolerations."},
	"mig":          {reason: "A slice of a GPU under requests is limited to the same number, and tolerates the taint of the whole GPU, too."},
	"name-of-63":   {reason: "The longest name that Crossplane accepts for a claim fits in every label and host name."},
	"name-jupyter": {reason: "A Service named jupyter injects JUPYTER_PORT=tcp://… into pods: the pod must not take it."},

	"name-with-dots":          {reason: "Dots may not be in the name of a Service."},
	"name-with-leading-digit": {reason: "A digit may not start the name of a Service."},

	// A running notebook is edited.

	"edited-image":     {observed: "ready", reason: "A new image rolls out, and the notebook is not ready meanwhile."},
	"restarted":        {observed: "ready", reason: "A new restartedAt changes the pod, and so restarts the server."},
	"edited-resources": {observed: "ready", reason: "New resources roll out."},
	"rolling-out":      {reason: "The Deployment has the new image, and no pod of it runs yet."},

	"volume-added": {observed: "ephemeral", reason: "A notebook without a volume gets one, and restarts with it."},

	// A notebook is stopped and started.

	"stopping":       {observed: "ready", reason: "A stopped claim scales the server to zero, and keeps the rest."},
	"shutting-down":  {reason: "The Deployment has no replica any more, but its last pod still ends."},
	"stopped":        {reason: "A stopped notebook is ready for Crossplane and Stopped for its user."},
	"starting-again": {observed: "stopped", reason: "A claim that is not stopped any more starts the server."},

	// A notebook is stopped by the function.

	"idle-watched":           {reason: "An idle timeout adds the agent to the pod, and its settings to the Secret."},
	"idle-reported":          {reason: "Nobody used the notebook for its timeout: the server is scaled to zero, and the rest stays."},
	"idle-report-taken-back": {reason: "An agent that saw activity after its report keeps the server."},
	"activity-unknown":       {reason: "A server whose activity is not known is not stopped, and its claim says why."},
	"idle-stopped":           {reason: "A server that was stopped for being idle stays so, and says since when and how to start it."},
	"idle-restarted":         {observed: "idle-stopped", reason: "A new restartedAt starts it again."},
	"lifetime-over":          {reason: "A server whose lifetime is over is stopped, whatever it does."},

	// The system changes.

	"restart-pending": {reason: "A server that runs keeps its pod when another release would make another, and says what waits for a restart."},

	// A notebook does not come up.

	"quota-blocked":           {reason: "The quota's own sentence reaches the claim, without the pod's random name."},
	"quota-new":               {reason: "What a quota would refuse is refused before Crossplane creates anything, with the numbers."},
	"quota-grow":              {observed: "ready", reason: "A workspace that may not grow stays as it is, and the claim says which quota is in the way."},
	"quota-service":           {observed: "ready", reason: "A Service that may not have a port on the nodes stays as it is, and closed to others."},
	"pod-refused":             {reason: "Any other refusal of the pod reaches the claim, too."},
	"no-progress":             {reason: "A server that does not start in time is Failed, with the reason that the Deployment has."},
	"corrected-image":         {observed: "no-progress", reason: "A corrected image recovers: the failure of the old one is not the new one's."},
	"volume-pending":          {reason: "The message names the storage class that has not made a volume yet."},
	"volume-pending-no-class": {reason: "Without a default storage class nothing makes a volume: the message says what to do."},
	"volume-never-bound":      {reason: "A server that never started because of its volume says so."},
	"volume-lost":             {reason: "A workspace without its volume is Failed: nothing brings the files back."},
	"volume-deleting":         {reason: "Somebody deleted the workspace of a running notebook: it must hear of it while its files exist."},
	"existing-claim-missing":  {reason: "An existingClaim that does not exist is named."},
	"loadbalancer-pending":    {reason: "Without an address from outside, a load balancer's notebook is not ready."},

	// The workspace changes, or does not.

	"grow-allowed":          {observed: "ready", reason: "A bound volume of a class that can grow, grows."},
	"grow-refused-by-class": {observed: "ready", reason: "A class that cannot grow its volumes is asked before the API server refuses."},
	"resizing":              {reason: "What the PersistentVolumeClaim says of its growth reaches VolumeReady."},
	"shrink-refused":        {observed: "ready", reason: "A volume cannot shrink: it stays, and the claim says why."},
	"volume-size-removed":   {observed: "ready", reason: "A removed volumeSize never loses the workspace."},
	"class-changed":         {observed: "ready", reason: "The class and the access mode of a volume that exists stay, and the claim says why."},
	"retained":              {reason: "The namespace is a second owner of a retained workspace, and so keeps it."},
	"retained-taken-up":     {reason: "The workspace that an earlier notebook of this name left is taken up again."},
	"existing-claim":        {reason: "An existing PersistentVolumeClaim is mounted and not composed, so it is never deleted."},

	// The server's pod does not run.

	"pod-unschedulable":       {observed: "starting", reason: "No node takes the pod: what is short is named, without counts that change."},
	"pod-image-not-found":     {observed: "starting", reason: "The image does not exist, and the registry's answer is on the claim."},
	"pod-image-denied":        {observed: "starting", reason: "The registry wants credentials: that is told apart from an image that does not exist."},
	"pod-image-unreachable":   {observed: "starting", reason: "The registry does not answer; which of its addresses was tried does not matter."},
	"pod-image-invalid":       {observed: "starting", reason: "The image is not made for the node's kind of processor."},
	"pod-config-missing":      {observed: "starting", reason: "A Secret that env names does not exist."},
	"pod-command-missing":     {observed: "starting", reason: "The image has no such command, and the runtime's long story is left out."},
	"pod-out-of-memory":       {observed: "starting", reason: "The server ran out of memory: the message has its limit."},
	"pod-crashed":             {observed: "starting", reason: "The server crashes: the message has the last thing that it said."},
	"pod-restarting":          {observed: "starting", reason: "Somebody shut the server down from inside, and it starts again."},
	"pod-not-answering":       {observed: "starting", reason: "The server runs, and not where it is asked."},
	"pod-never-answered":      {observed: "starting", reason: "The start-up probe gave up, and the server was restarted."},
	"pod-volume-in-use":       {observed: "starting", reason: "The workspace's volume is attached to another node."},
	"pod-volume-not-attached": {observed: "starting", reason: "The storage says why it does not attach the volume."},
	"pod-waits-for-mounts":    {observed: "starting", reason: "A pod that waits for volumes names what the claim mounts."},
	"pod-agent-failing":       {observed: "starting", reason: "The agent's image is the platform's, and so is its failure."},
	"pod-evicted":             {observed: "starting", reason: "A pod that was evicted is told, while a new one is made."},
	"pod-restarted":           {observed: "ready", reason: "A notebook that is ready says why its kernels are gone."},

	// A claim is refused.

	"invalid-new":                {reason: "A new claim that makes no sense composes nothing, and says all that is wrong."},
	"invalid-edit-of-running":    {observed: "ready", reason: "An edit that makes no sense changes nothing of what runs."},
	"unreadable-edit-of-running": {observed: "ready", reason: "An edit that cannot even be read changes nothing of what runs."},
	"auth-none-refused":          {reason: "No server without a token."},
	"auth-none-of-running":       {observed: "ready", reason: "A running server keeps its token."},
	"name-conflict":              {reason: "A Service that somebody else made is not taken over, and nothing else is composed."},
	"name-conflict-of-running":   {reason: "The notebook's Service was deleted, and somebody else took its name: the rest stays as it is."},

	// A notebook is reached from outside.

	"nodeport":     {reason: "The URL has the address of the node and the port on it."},
	"loadbalancer": {reason: "The URL has the address of the load balancer."},

	// The configuration without claims.

	"namespaced-fresh": {variant: "namespaced", reason: "The notebook is itself the composite resource, and composes the same objects."},
	"namespaced-ready": {variant: "namespaced", reason: "Its status is the same, too."},
}
