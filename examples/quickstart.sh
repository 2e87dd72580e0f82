#!/bin/sh
# From a bare checkout to a trained network: installs what is missing, builds, shows the devices, runs the main example.
set -eu
cd "$(dirname "$0")/.."

. tests/packages.sh
hr_packages build
cmake --preset demo
cmake --build --preset demo

# PoCL keeps compiled kernels here, if it is what runs them; the folder must exist.
if [ -z "${POCL_CACHE_DIR:-}" ]; then
    POCL_CACHE_DIR=$PWD/build/demo/pocl_cache
    export POCL_CACHE_DIR
fi
mkdir -p "$POCL_CACHE_DIR"

build/demo/headrace info
build/demo/examples/train_fashion
