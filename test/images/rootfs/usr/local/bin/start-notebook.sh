#!/bin/bash
# The name that the images of jupyter/docker-stacks had for it once, and keep.
exec start-notebook.py "$@"
