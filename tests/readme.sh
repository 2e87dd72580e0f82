#!/bin/sh
# Every C block of README.md compiles. One with a main() is a program: it is linked and run, and prints the text block
# that follows it. Others are statements, compiled with the names that README.md uses declared.
# sh readme.sh SOURCE-FOLDER LIBRARY-FOLDER CC [FLAG...]
set -eu
source=$1
libraries=$2
shift 2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

awk -v out="$out" '
    /^```c$/ { name = out "/" ++n ".c"; next }
    /^```text$/ { name = out "/" n ".text"; next }
    /^```/ { name = ""; next }
    name { print > name }' "$source/README.md"

programs=0
for block in "$out"/*.c; do
    if grep -q 'int main(' "$block"; then
        "$@" -std=c11 -Wall -Wextra -Werror -I"$source/include" "$block" -o "$out/program" -L"$libraries" \
            -Wl,-rpath,"$libraries" -lheadrace
        "$out/program" >"$out/printed"
        diff -u "${block%.c}.text" "$out/printed"
        programs=$((programs + 1))
        continue
    fi
    {
        echo '#include <headrace/headrace.h>'
        echo '#include <stddef.h>'
        echo 'hr_status snippet(hr_device *, hr_dataset *, hr_loader *, hr_batch *, hr_queue *, hr_kernel *, hr_grid,'
        echo '                  const hr_arg *, uint32_t);'
        echo 'hr_status snippet(hr_device *device, hr_dataset *dataset, hr_loader *loader, hr_batch *batch,'
        echo '                  hr_queue *queue, hr_kernel *kernel, hr_grid grid, const hr_arg *args, uint32_t n_args)'
        echo '{'
        echo '    hr_status st;'
        cat "$block"
        echo '    (void)device, (void)dataset, (void)loader, (void)batch, (void)queue, (void)kernel, (void)grid;'
        echo '    (void)args, (void)n_args;'
        echo '    return st;'
        echo '}'
    } >"$out/snippet.c"
    echo "statements: $(head -n 1 "$block")"
    "$@" -std=c11 -Wall -Wextra -Werror -I"$source/include" -c "$out/snippet.c" -o "$out/snippet.o"
done
[ "$programs" -gt 0 ]
