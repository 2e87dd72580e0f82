#!/bin/sh
# A timeline that the command writes is JSON to another's reader, and has what was measured:
# sh trace.sh FILE HEADRACE SELECTOR CHECKER; CHECKER may be several words.
set -u
file=$1
headrace=$2
selector=$3
checker=$4
rm -f "$file"
"$headrace" bench loader --selector "$selector" --table 60000 --row 1000 --batch-bytes 10000 --epochs 1 --compute 0.5 \
    --trace "$file" >/dev/null || exit 1
$checker <"$file" >/dev/null || exit 1
for text in '"name":"feeder"' '"cat":"gather"' '"cat":"kernel"' '"name":"upload"'; do
    if ! grep -qF -- "$text" "$file"; then
        echo "$file lacks $text"
        exit 1
    fi
done
said=$("$headrace" bench copy --selector "$selector" --sizes 4K --rounds 1 --trace /nowhere/trace.json 2>&1 >/dev/null)
code=$?
if [ $code -ne 1 ] || ! echo "$said" | grep -qF '/nowhere/trace.json cannot be opened: No such file'; then
    echo "a file that cannot be written: exit status $code; said: $said"
    exit 1
fi
