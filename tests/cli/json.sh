#!/bin/sh
# The command's output is one JSON document: sh json.sh CHECKER COMMAND...; CHECKER may be several words.
set -u
checker=$1
shift
out=$("$@") || exit 1
printf '%s\n' "$out"
printf '%s\n' "$out" | $checker >/dev/null
