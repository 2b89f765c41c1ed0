#!/usr/bin/env bash
# Writes the file system of a Jupyter image as one layer, from Debian packages:
#
#   test/images/jupyter.sh bookworm|trixie OUT.tar.zst
#
# bookworm has the classic Notebook 6, trixie has JupyterLab 4. User, folders and
# commands are those of the images of jupyter/docker-stacks. push.sh adds their
# configuration.
#
# Needs root, debootstrap and zstd. All that they say is in OUT.tar.zst.log, and
# nothing stays mounted, even when this is killed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
suite=$1
out=$(realpath -m "$2")
log=$out.log

case $suite in
  trixie) config=jupyter_server_config.py ;;
  *) config=jupyter_notebook_config.py ;;
esac

say() {
  echo "jupyter: $suite: $*" >&2
}

# mirror prints where apt on this machine has Debian from. What apt has not
# downloaded yet it knows by its suite only.
mirror() {
  local codename found by
  codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  for by in "Label: Debian" "Release: $codename"; do
    # shellcheck disable=SC2016 # it is for apt to expand
    found=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Component: main' "$by" |
      grep -m 1 -E '^https?:' || true)
    [[ -z $found ]] || break
  done
  echo "${found:-http://deb.debian.org/debian}"
}

# install_debian fills $root. Its processes and mounts are in namespaces of their
# own, and end with the first of these processes.
install_debian() {
  unshare --mount --pid --fork --kill-child \
    "$here/debian.sh" "$suite" "$root" "$(mirror)" >"$log" 2>&1 &
  debian=$!

  local next=15
  while kill -0 "$debian" 2>/dev/null; do
    if ((SECONDS >= next)); then
      say "$SECONDS s, $(tail -n 1 "$log" | cut -c -80)"
      ((next += 15))
    fi
    sleep 0.5
  done
  wait "$debian" || {
    say "failed. The end of $log:"
    tail -n 20 "$log" >&2
    exit 1
  }
  debian=""
}

# arrange makes of Debian what docker-stacks makes of it.
arrange() {
  chroot "$root" useradd --no-log-init --create-home --shell /bin/bash \
    --uid 1000 --gid 100 --no-user-group jovyan
  install -d -o 1000 -g 100 -m 2775 "$root/home/jovyan" "$root/home/jovyan/work"
  install -t "$root/usr/local/bin" "$here"/rootfs/usr/local/bin/*
  install -m 644 -D -t "$root/etc/jupyter" "$here/rootfs/etc/jupyter/$config"
}

# trim removes what no server reads. Python's bytecode stays: a user that cannot
# write it would compile everything at each start.
trim() {
  (
    cd "$root"
    rm -rf dev/* tmp/* var/cache/apt/* var/lib/apt/lists/* var/log/* \
      usr/share/{doc,info,lintian,locale,man}/* etc/{hostname,resolv.conf}
  )
}

stop() {
  trap '' EXIT HUP INT TERM
  if [[ -n $debian ]]; then
    # The first process in the namespaces ends when all the others have.
    xargs -r kill -KILL 2>/dev/null <"/proc/$debian/task/$debian/children" || true
    wait "$debian" 2>/dev/null || true
  fi
  rm -rf "$root"*
}

debian=""
root=$(mktemp -d "$out.tmp.XXXXXX")
trap stop EXIT
trap 'exit 1' HUP INT TERM

chmod 755 "$root"
install_debian
arrange
trim
tar --create --zstd --file="$root.layer" --directory="$root" --numeric-owner --sort=name .
mv "$root.layer" "$out"
say "wrote $out, $(du -h "$out" | cut -f 1) after $SECONDS s"
