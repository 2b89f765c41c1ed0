#!/bin/bash
# The entrypoint. In the images of jupyter/docker-stacks it prepares a container
# that starts as root; a container that does not needs none of that.
set -e
exec "$@"
