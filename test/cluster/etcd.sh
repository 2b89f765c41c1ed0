#!/usr/bin/env bash
# etcd. A test cluster need not survive a power cut, so it does not wait for disks.
source "$(dirname "$0")/lib.sh"

start etcd etcd --data-dir "$state/etcd" --unsafe-no-fsync --log-level=warn \
  --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 \
  --listen-peer-urls=http://127.0.0.1:2380
await etcd listens 127.0.0.1 2379
