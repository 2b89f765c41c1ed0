package e2e

import (
	"context"
	"os"
	"strings"
	"testing"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
	"github.com/function-jupyter/function-jupyter/test/e2e/browser"
)

// keep leaves what is installed and the namespaces of failed tests where they are:
// for who looks for a bug.
var keep = os.Getenv("KEEP") != ""

// TestClaims tries notebooks as claims, from the installation to an upgrade.
func TestClaims(t *testing.T) {
	begin(t)
	t.Run("README", testREADME)
	ensure(t, claims)
	// On their own: Chromium fails what it loads while the host's network changes,
	// as it does with each pod that comes or goes.
	t.Run("BrowserLab", testBrowser(lab, browser.Lab))
	t.Run("BrowserClassic", testBrowser(classic, browser.Classic))
	logCalls(t)
	together(t, map[string]func(*testing.T){
		"Calls":         testCalls,
		"Life":          testLife,
		"Access":        testAccess,
		"Stranger":      testStranger,
		"NodePort":      testNodePort,
		"LoadBalancer":  testLoadBalancer,
		"KernelLab":     testKernel(lab),
		"KernelClassic": testKernel(classic),
		"Delete":        testDelete,
		"Retain":        testRetain,
		"Retention":     testRetention,
		"Growth":        testGrowth,
		"FixedClass":    testFixedClass,
		"DeletedVolume": testDeletedVolume,
		"Drift":         testDrift,
		"Conflict":      testConflict,
		"Quota":         testQuota,
		"QuotaVolume":   testQuotaVolume,
		"IdleKernel":    testIdleKernel,
		"IdleWebsocket": testIdleWebsocket,
		"IdleTerminal":  testIdleTerminal,
		"IdleBlind":     testIdleBlind,
		"Lifetime":      testLifetime,
		"Agent":         testAgent,
		"MissingImage": testTrouble(v1.PhaseFailed, "ImageNotFound", missing(lab)+" cannot be pulled, because it does not exist (not found)", "  image: "+missing(lab),
			`{"image":"`+lab+`"}`),
		"Unschedulable": testTrouble(v1.PhaseCreating, "Unschedulable", "no node has 1 nvidia.com/gpu free", "  image: "+lab+"\n  resources: {limits: {memory: 1Gi, nvidia.com/gpu: 1}}",
			`{"resources":{"limits":{"nvidia.com/gpu":null}}}`),
		"OutOfMemory": testTrouble(v1.PhaseFailed, "OutOfMemory", "ran out of memory (limit 64Mi): ", "  image: "+lab+"\n  resources: {limits: {memory: 64Mi}}\n  command: [python3, -c, 'x = b\"x\" * 2**28']",
			`{"command":null,"resources":{"limits":{"memory":"1Gi"}}}`),
		"MissingSecret": testTrouble(v1.PhaseFailed, "ConfigMissing", `secret "nothing" not found`, "  image: "+lab+"\n  envFrom: [{secretRef: {name: nothing}}]",
			`{"envFrom":null}`),
		"NotAnswering": testTrouble(v1.PhaseCreating, "NotAnswering", "the server runs, but does not answer at http://localhost:8888/api: ", "  image: "+lab+"\n  command: [python3, -m, http.server, '8000']",
			`{"command":null}`),
		"CrashLoop": testTrouble(v1.PhaseFailed, "ServerCrashed", "crashed with exit code 1 (out of luck)", "  image: "+lab+"\n  command: [python3, -c, raise SystemExit('out of luck')]",
			`{"command":null}`),
	})
	t.Run("Many", testMany)
	t.Run("Upgrade", testUpgrade)
}

// TestNamespaced tries what can differ where notebooks are themselves composite
// resources.
func TestNamespaced(t *testing.T) {
	begin(t)
	t.Run("WithoutRBAC", testWithoutRBAC)
	ensure(t, namespaced)
	together(t, map[string]func(*testing.T){
		"Life":     testLife,
		"Delete":   testDelete,
		"Retain":   testRetainNamespaced,
		"Access":   testAccess,
		"Growth":   testGrowth,
		"Drift":    testDrift,
		"Conflict": testConflict,
		"Quota":    testQuota,

		"QuotaVolume": testQuotaVolume,
	})
}

// begin makes sure that nothing is installed, before and after.
func begin(t *testing.T) {
	t.Helper()
	if !keep {
		uninstall(t)
		t.Cleanup(func() { uninstall(t) })
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(try(context.Background(), "", "kubectl", "get", "pkg,pkgrev", "-o", "wide"))
		}
	})
}

// ensure installs a configuration if no test of the installation did: with go
// test -run one can leave these out.
func ensure(t *testing.T, configuration string) {
	t.Helper()
	run(t, "", "kubectl", "apply", "-f", "deploy/rbac.yaml") // The test without it may have failed.
	if len(packages(t, "configuration")) == 0 {
		install(t, configuration)
	}
}

// together runs tests side by side, and returns when all have ended.
func together(t *testing.T, tests map[string]func(*testing.T)) {
	t.Helper()
	t.Run("Notebooks", func(t *testing.T) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t)
			})
		}
	})
}

// missing is an image that the registry does not have.
func missing(image string) string {
	repository, _, _ := strings.Cut(image[strings.LastIndex(image, "/"):], ":")
	return image[:strings.LastIndex(image, "/")] + repository + ":does-not-exist"
}
