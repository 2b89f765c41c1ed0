# Everything that one does with this repository. `make` alone lists it.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .cache/bin

# No C compiler is needed.
export CGO_ENABLED := 0

# What `make render` renders: hack/render.sh explains it.
CLAIM ?= example/claim.yaml
OBSERVED ?=
REQUIRED ?=
VARIANT ?= claim

# How long `make test` feeds damaged requests to the function.
FUZZTIME ?= 20s

# The modules beside the root's that have tests.
TESTED := $(sort $(patsubst %/,%,$(dir $(wildcard tools/*/*_test.go test/*/go.mod))))

.PHONY: help
help: ## List what make can do.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

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
	@echo 'All tests passed. Next: make lint.'

.PHONY: lint
lint: $(BIN)/golangci-lint ## Lint Go code and scripts.
	@hack/lint.sh

.PHONY: golden
golden: tools ## Render the golden tests' want.yaml files anew: read the difference.
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

.PHONY: clean
clean: ## Remove all that was built.
	rm -rf .cache dist

# Tools, built once from the versions that their go.mod pins.

.PHONY: tools
tools: $(BIN)/crossplane $(BIN)/crossplane-core $(BIN)/controller-gen ## Build what the other targets need.

$(BIN)/crossplane: tools/crossplane-cli/go.mod tools/crossplane-cli/go.sum hack/build-tool.sh
	@hack/build-tool.sh $@ tools/crossplane-cli '3 minutes'

$(BIN)/crossplane-core: tools/crossplane/go.mod tools/crossplane/go.sum hack/build-tool.sh
	@hack/build-tool.sh $@ tools/crossplane '2 minutes'

$(BIN)/controller-gen: tools/controller-gen/go.mod tools/controller-gen/go.sum hack/build-tool.sh
	@hack/build-tool.sh $@ tools/controller-gen '1 minute'

$(BIN)/golangci-lint: tools/golangci-lint/go.mod tools/golangci-lint/go.sum hack/build-tool.sh
	@hack/build-tool.sh $@ tools/golangci-lint '3 minutes'
