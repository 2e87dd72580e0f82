#!/bin/sh
# Configures, builds, tests and measures on a machine with a GPU, offline: sh tests/bench/gpu.sh RESULTS [SELECTOR...]
#
# Everything it says goes to files in the folder RESULTS; `summary` there has a line a step. Exit status 1 when a step
# failed. The variables it listens to:
#   BUILD        the build folder; build/gpu when unset
#   CMOCKA_ROOT  where cmocka is, if it is not installed: a prefix (include/, lib/) or its source folder
#   JOBS         compile jobs; the number of cores when unset
#   QUICK        when set, tests only
set -u
cd "$(dirname "$0")/../.."
if [ $# -lt 1 ]; then
    echo "usage: sh tests/bench/gpu.sh RESULTS [SELECTOR...]" >&2
    exit 2
fi
mkdir -p "$1" || exit 1
results=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- opencl:NVIDIA pocl opencl:Portable
build=${BUILD:-build/gpu}
jobs=${JOBS:-$(nproc)}
mkdir -p "$build" || exit 1
build=$(cd "$build" && pwd)
failed=0
: >"$results/summary"

# step NAME COMMAND...: runs it, keeps what it says in NAME.txt, and its outcome in the summary.
step() {
    name=$1
    shift
    begin=$(date +%s)
    if "$@" >"$results/$name.txt" 2>&1; then
        outcome=ok
    else
        outcome="failed ($?)"
        failed=1
    fi
    echo "$name: $outcome, $(($(date +%s) - begin)) s" | tee -a "$results/summary"
    [ "$outcome" = ok ]
}

give_up() {
    tail -n 30 "$results/$1.txt"
    exit 1
}

# The drivers that are registered, and NVIDIA's where only its library is there. A folder, since one ICD loader reads
# nothing else from this variable.
if [ -z "${OCL_ICD_VENDORS:-}" ]; then
    vendors=$build/vendors
    mkdir -p "$vendors"
    cp /etc/OpenCL/vendors/*.icd "$vendors/" 2>/dev/null || :
    if ! grep -qs nvidia "$vendors"/*.icd && ldconfig -p | grep -q 'libnvidia-opencl\.so\.1'; then
        echo libnvidia-opencl.so.1 >"$vendors/nvidia.icd"
    fi
    OCL_ICD_VENDORS=$vendors/
    export OCL_ICD_VENDORS
fi
POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build/pocl_cache}
mkdir -p "$POCL_CACHE_DIR"
export POCL_CACHE_DIR

# cmocka from its source: one file.
prefix=${CMOCKA_ROOT:-}
if [ -n "$prefix" ] && [ -f "$prefix/src/cmocka.c" ]; then
    source=$prefix
    prefix=$build/cmocka
    mkdir -p "$prefix/lib" "$prefix/include"
    cp "$source"/include/*.h "$prefix/include/"
    step cmocka cc -O2 -fPIC -shared -DHAVE_SIGNAL_H -DHAVE_INTTYPES_H -DHAVE_STDINT_H -DHAVE_STRSIGNAL \
        -I "$prefix/include" -o "$prefix/lib/libcmocka.so" "$source/src/cmocka.c" || give_up cmocka
fi

machine() {
    uname -srm
    nproc
    grep -m 1 'model name' /proc/cpuinfo
    cc --version | head -n 1
    cmake --version | head -n 1
    nvidia-smi || echo "no nvidia-smi"
    ls "$OCL_ICD_VENDORS"
}
selectors=$(printf '%s;' "$@")
step machine machine
step configure cmake -S . -B "$build" -DHR_WERROR=ON -DCMAKE_BUILD_TYPE=Release "-DHR_SELECTORS=${selectors%;}" \
    "-DCMAKE_PREFIX_PATH=$prefix" || give_up configure
step build cmake --build "$build" -j "$jobs" || give_up build

step info "$build/headrace" info
step info_json "$build/headrace" info --json
HR_TEST_REQUIRE=1
export HR_TEST_REQUIRE
step tests ctest --test-dir "$build" --output-on-failure --no-tests=error || tail -n 40 "$results/tests.txt"

if [ -z "${QUICK:-}" ]; then
    for selector; do
        name=$(echo "$selector" | tr -c 'A-Za-z0-9\n' _)
        step "copy_$name" "$build/headrace" bench copy --selector "$selector"
        step "copy_json_$name" "$build/headrace" bench copy --selector "$selector" --json
        step "loader_$name" "$build/headrace" bench loader --selector "$selector" --compute 1.2
        step "loader_json_$name" "$build/headrace" bench loader --selector "$selector" --compute 1.2 --json
        step "bare_opencl_$name" "$build/tests/bench/bench_bare_opencl" "$selector"
    done
fi
exit $failed
