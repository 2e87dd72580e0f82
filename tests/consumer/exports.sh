#!/bin/sh
# Three lists are one: exports.txt, what the headers declare with HR_API, what the library exports.
# sh exports.sh NM LIBRARY HEADER-FOLDER
set -eu
nm=$1
library=$2
headers=$3
list=$(dirname "$0")/exports.txt
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export LC_ALL=C

# A declaration's name stands on the line of its HR_API; a line without a name would be missed, so count them.
cat "$headers"/*.h | sed -n 's/^HR_API .*[ *]\(hr_[a-z0-9_]*\)(.*/\1/p' | sort >"$out/headers"
if [ "$(cat "$headers"/*.h | grep -c '^HR_API ')" -ne "$(wc -l <"$out/headers")" ]; then
    echo 'a line that begins with HR_API has no function name on it'
    exit 1
fi
"$nm" -D --defined-only "$library" | awk '{ print $NF }' | sort >"$out/library"

status=0
diff -u "$list" "$out/headers" || {
    echo 'exports.txt (-) and the headers (+) differ: a new function belongs in both, none is ever removed'
    status=1
}
diff -u "$list" "$out/library" || {
    echo 'exports.txt (-) and the exported symbols (+) differ'
    status=1
}
exit $status
