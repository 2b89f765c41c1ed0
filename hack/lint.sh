#!/usr/bin/env bash
# Lints every Go module of the repository that has code, and every script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

# Findings are cached with their paths. In a cache that clones share, those of
# another clone would escape the exclusions by path.
export GOLANGCI_LINT_CACHE=$root/.cache/golangci-lint

# The shell linter is not written in Go, so that it cannot be pinned beside the others.
command -v shellcheck >/dev/null || hack/apt.sh shellcheck

failed=0
while read -r module; do
  compgen -G "$module/*.go" >/dev/null || continue
  echo "lint: $module" >&2
  (cd "$module" && "$root/.cache/bin/golangci-lint" run --allow-parallel-runners --config="$root/.golangci.yml" ./...) || failed=1
done < <(find . -name go.mod -not -path './.cache/*' -exec dirname {} \; | sort)

echo "lint: scripts" >&2
shellcheck --external-sources --source-path=SCRIPTDIR hack/*.sh test/*/*.sh test/images/rootfs/usr/local/bin/*.sh .ci/run || failed=1

exit "$failed"
