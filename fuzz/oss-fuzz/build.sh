#!/bin/bash -eu
# One way to build for both services.
exec bash "$SRC/capfuzz/.clusterfuzzlite/build.sh"
