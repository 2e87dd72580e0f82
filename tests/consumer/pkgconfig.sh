#!/bin/sh
# The consumer again, built without CMake: sh pkgconfig.sh LIBRARY-FOLDER PKG-CONFIG CC CXX
set -eu
libraries=$1
pkg_config=$2
cc=$3
cxx=$4
here=$(dirname "$0")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

export PKG_CONFIG_PATH="$libraries/pkgconfig"
warnings='-Wall -Wextra -Wpedantic -Wconversion -Werror'
# Words of the flags are meant to be split.
# shellcheck disable=SC2046,SC2086
"$cc" -std=c11 $warnings "$here/main.c" -o "$out/c" $("$pkg_config" --cflags --libs headrace)
# shellcheck disable=SC2046,SC2086
"$cxx" -std=c++11 $warnings "$here/main.cpp" -o "$out/cxx" $("$pkg_config" --cflags --libs headrace)
"$pkg_config" --print-errors --atleast-version=0.1 headrace
LD_LIBRARY_PATH=$libraries "$out/c"
LD_LIBRARY_PATH=$libraries "$out/cxx"
