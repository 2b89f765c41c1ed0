#!/usr/bin/env bash
# Puts the images that the cluster and its tests need into the registry.
source "$(dirname "$0")/lib.sh"

"$root/test/images/push.sh" "$registry"

# A stand-in for the image of example/claim.yaml: machines that test need not reach
# Docker Hub, and the real image has some gigabytes.
said=$(crane copy "$registry/notebook:lab" "$registry/jupyter/scipy-notebook:latest" 2>&1) || fail "$said"
