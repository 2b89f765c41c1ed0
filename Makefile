# Everything that one does with this repository. `make` alone lists it.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .cache/bin

# No C compiler is needed, and everything shares one build cache.
export CGO_ENABLED := 0

# What `make render` renders; hack/render.sh explains it.
CLAIM ?= example/claim.yaml
OBSERVED ?=
REQUIRED ?=
VARIANT ?= claim

# How long `make test` feeds damaged requests to the function.
FUZZTIME ?= 20s

##@ Work

.PHONY: help
help: ## List what make can do.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

.PHONY: render
render: ## Render a notebook: CLAIM=, OBSERVED=, REQUIRED= (files), VARIANT=claim|namespaced.
	@CLAIM='$(CLAIM)' OBSERVED='$(OBSERVED)' REQUIRED='$(REQUIRED)' VARIANT='$(VARIANT)' hack/render.sh
	@echo 'Next: make render CLAIM=example/gpu.yaml, or with OBSERVED=example/observed.yaml; make test.' >&2

# Tools, built once from the versions that their go.mod pins.

$(BIN)/crossplane: tools/crossplane-cli/go.mod tools/crossplane-cli/go.sum hack/build-tool.sh
	@hack/build-tool.sh $@ tools/crossplane-cli '3 minutes'

$(BIN)/crossplane-core: tools/crossplane/go.mod tools/crossplane/go.sum hack/build-tool.sh
	@hack/build-tool.sh $@ tools/crossplane '2 minutes'
