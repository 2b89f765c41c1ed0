# Everything that one does with this repository. `make` alone lists it.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .cache/bin

# No C compiler is needed, and git need not trust the clone.
export CGO_ENABLED := 0
export GOFLAGS := -buildvcs=false $(GOFLAGS)

# What `make render` renders: hack/render.sh explains it.
CLAIM ?= example/claim.yaml
OBSERVED ?=
REQUIRED ?=
VARIANT ?= claim

# Which end-to-end tests run: what go test -run takes.
RUN ?=

# How long `make test` feeds damaged requests to the function.
FUZZTIME ?= 20s

# The modules beside the root's that have tests which need no cluster.
TESTED := $(filter-out test/e2e,$(sort $(patsubst %/,%,$(dir $(wildcard tools/*/*_test.go test/*/go.mod)))))

.PHONY: help
help: ## List what make can do.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: render
render: ## Render a notebook: CLAIM=, OBSERVED=, REQUIRED= (files), VARIANT=claim|namespaced.
	@CLAIM='$(CLAIM)' OBSERVED='$(OBSERVED)' REQUIRED='$(REQUIRED)' VARIANT='$(VARIANT)' hack/render.sh
	@echo 'Next: make render CLAIM=example/gpu.yaml, or OBSERVED=example/observed.yaml for the same notebook when it runs, or make test.' >&2

# The results of golden tests depend on more files than go test knows of:
# -count=1 has them run each time.
.PHONY: test
test: tools ## Run all tests: unit, property, golden, fuzz (FUZZTIME=20s), generated files, packages.
	go test -count=1 ./...
	go test -run='^$$' -fuzz='^FuzzRunFunction$$' -fuzztime=$(FUZZTIME) -fuzzminimizetime=10x ./fn
	hack/generate.sh --check
	hack/package.sh
	@set -e; for module in $(TESTED); do \
	  echo "(cd $$module && go test -count=1 ./...)"; \
	  (cd $$module && go test -count=1 ./...); \
	done
	go test -C test/e2e -count=1 ./jupyter
	@echo 'All tests passed. Next: make lint.'

.PHONY: lint
lint: $(BIN)/golangci-lint ## Lint Go code and scripts.
	@hack/lint.sh

.PHONY: golden
golden: tools ## Render the golden tests' want.yaml files anew: read the difference.
	go test -count=1 ./fn -run=^TestObservedServers$$ -stamp
	go test -count=1 ./test/golden -update
	@git --no-pager diff --stat -- test/golden

.PHONY: generate
generate: $(BIN)/controller-gen ## Generate code, definitions and reference from the Go types in api/ and input/.
	hack/generate.sh

.PHONY: bench
bench: ## Measure the function next to one that does nothing.
	hack/bench.sh

.PHONY: package
package: $(BIN)/crossplane ## Write the Crossplane packages to dist/.
	hack/package.sh

.PHONY: e2e
e2e: tools $(BIN)/crane $(BIN)/kubectl ## Try the packages on a real cluster: the one of KUBECONFIG, or one that is started here. RUN= picks tests.
	@RUN='$(RUN)' hack/e2e.sh

# The packages that a cluster needs come before what is built, because the Jupyter
# images are built with them.
.PHONY: cluster-up
cluster-up: ## Start a real one-node cluster with Crossplane on this machine (Debian, root).
	@test/cluster/packages.sh
	@$(MAKE) --no-print-directory --silent -j2 images $(addprefix $(BIN)/,$(TOOLS) $(CLUSTER))
	@test/cluster/up.sh

.PHONY: cluster-down
cluster-down: ## Remove the cluster, and every trace of it.
	@test/cluster/down.sh

.PHONY: images
images: $(BIN)/crossplane-core
	@test/images/build.sh

.PHONY: clean
clean: ## Remove all that was built.
	rm -rf .cache dist

# Tools, built once from the versions that their go.mod pins.

# What render, test, lint and package need, and what a cluster does beyond that.
TOOLS := crossplane crossplane-core controller-gen
CLUSTER := kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl \
  etcd coredns crane helm local-volumes network-policies

.PHONY: tools
tools: $(addprefix $(BIN)/,$(TOOLS)) ## Build what the other targets need.

# built says which module a tool comes from, and how long it takes to build on two
# cores when nothing is cached.
define built
$(BIN)/$(1): tools/$(2)/go.mod tools/$(2)/go.sum hack/build-tool.sh
	@hack/build-tool.sh $$@ tools/$(2) '$(3)'
endef

$(eval $(call built,crossplane,crossplane-cli,3 minutes))
$(eval $(call built,crossplane-core,crossplane,2 minutes))
$(eval $(call built,controller-gen,controller-gen,1 minute))
$(eval $(call built,golangci-lint,golangci-lint,3 minutes))
$(eval $(call built,kube-apiserver,kubernetes,3 minutes))
$(foreach tool,kube-controller-manager kube-scheduler kubelet kube-proxy kubectl,\
  $(eval $(call built,$(tool),kubernetes,1 minute)) \
  $(eval $(BIN)/$(tool): | $(BIN)/kube-apiserver)) # after most of what they share is compiled
$(eval $(call built,etcd,etcd,1 minute))
$(eval $(call built,coredns,coredns,2 minutes))
$(eval $(call built,crane,crane,1 minute))
$(eval $(call built,helm,helm,1 minute))
$(eval $(call built,local-volumes,local-volumes,1 minute))
$(eval $(call built,network-policies,network-policies,2 minutes))
$(BIN)/local-volumes: $(wildcard tools/local-volumes/*.go)
$(BIN)/network-policies: $(wildcard tools/network-policies/*.go)
