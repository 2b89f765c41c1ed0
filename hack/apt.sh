#!/usr/bin/env bash
# Installs those of the named Debian packages that are missing.
#
#   hack/apt.sh git make
set -euo pipefail

missing=()
for package in "$@"; do
  # dpkg also knows packages that were removed.
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

command -v apt-get >/dev/null || {
  echo "This needs Debian or Ubuntu, or by other means: ${missing[*]}." >&2
  exit 1
}
sudo=()
[[ $(id -u) == 0 ]] || sudo=(sudo)
echo "Installing ${missing[*]}." >&2
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
