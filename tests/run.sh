#!/bin/sh
# Configures, builds and tests.
set -eu
cd "$(dirname "$0")/.."
cmake -S . -B build/test -DHR_WERROR=ON
cmake --build build/test
ctest --test-dir build/test --output-on-failure
