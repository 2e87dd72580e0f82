#!/bin/sh
# sh test.sh PROGRAM SELECTOR: it learns within its budget, and how the data travel changes no bit of the weights.
set -eu
program=$1
selector=$2
data=/usr/share/datasets/fashion-mnist
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "failed: $*"
    exit 1
}

if [ ! -d $data ]; then
    echo "skipped: no $data (Debian's package dataset-fashion-mnist)"
    exit 77
fi

code=0
"$program" --selector "$selector" --epochs 2 --workers 1 --weights "$folder/one" >"$folder/out" || code=$?
cat "$folder/out"
grep -q '^weights streamed == resident: yes$' "$folder/out" || fail 'streamed and resident weights differ'
test $code = 0 || fail "exit code $code"
number='[0-9]+([.][0-9]+)?'
tail -n 1 "$folder/out" | grep -Eq \
    "^result accuracy=$number streamed_over_resident=$number device_bytes_peak=[0-9]+ dataset_bytes=[0-9]+$" ||
    fail 'the last line has another form'
tail -n 1 "$folder/out" | tr ' =' '\n\n' | awk '
    /^[a-z_]+$/ { name = $0; next }
    { value[name] = $0 }
    END { exit !(value["accuracy"] >= 0.84 && value["device_bytes_peak"] > 0 &&
                 value["device_bytes_peak"] <= 16777216 && value["dataset_bytes"] == 47100000) }' ||
    fail 'accuracy below 0.84 after two epochs, more than 16 MiB of device memory, or not 47100000 bytes of data'

"$program" --selector "$selector" --epochs 2 --workers 4 --weights "$folder/four" --streamed-only >/dev/null
cmp "$folder/one" "$folder/four" || fail 'the weights differ between 1 and 4 workers'
test "$(wc -c <"$folder/one")" -gt 400000 || fail 'the weights file is too small'

if "$program" --selector "$selector" --data "$folder" >"$folder/out" 2>&1; then
    fail 'an empty folder was taken for data'
fi
grep -q '^train_fashion: HR_' "$folder/out" || fail "no message for an empty folder: $(cat "$folder/out")"

code=0
"$program" --selector "$selector" --epochs 1 --streamed-only --weights "$folder/none/weights" >"$folder/out" 2>&1 || code=$?
test $code = 1 || fail "exit code $code for weights that cannot be written"
if grep -q '^epoch' "$folder/out"; then
    fail 'it trained before it looked whether the weights can be written'
fi
"$program" --selector "$selector" --epochs 1 --streamed-only --batch 1024 >/dev/null || fail 'no room for the largest batch'
if [ -c /dev/full ] && "$program" --help 2>/dev/null >/dev/full; then
    fail 'a full disk is no failure'
fi
