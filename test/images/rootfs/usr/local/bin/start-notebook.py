#!/usr/bin/env python3
"""Starts Jupyter, as start-notebook.py of jupyter/docker-stacks does.

DOCKER_STACKS_JUPYTER_CMD chooses the command, and NOTEBOOK_ARGS adds arguments
in front of those on the command line.
"""

import os
import shlex
import sys

command = [
    "jupyter",
    os.environ.get("DOCKER_STACKS_JUPYTER_CMD", "lab"),
    *shlex.split(os.environ.get("NOTEBOOK_ARGS", "")),
    *sys.argv[1:],
]
print("Executing:", shlex.join(command), flush=True)
os.execvp(command[0], command)
