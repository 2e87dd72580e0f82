#!/bin/sh
# Configures, builds, tests and measures on a machine with a GPU, offline: sh tests/bench/gpu.sh RESULTS [SELECTOR...]
#
# What is said goes to the folder RESULTS: build.txt, tests.txt, figures.txt, and summary.txt with a line a step. Exit
# status 1 when a step failed. The variables it listens to:
#   BUILD        the build folder; build/gpu when unset
#   CMOCKA_ROOT  where cmocka is, if it is not installed: a prefix (include/, lib/) or the source of release 1.1
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
[ $# -gt 0 ] || set -- cuda opencl:NVIDIA pocl opencl:Portable
build=${BUILD:-build/gpu}
jobs=${JOBS:-$(nproc)}
mkdir -p "$build" || exit 1
build=$(cd "$build" && pwd)
failed=0
rm -f "$results/build.txt" "$results/tests.txt" "$results/figures.txt" "$results/summary.txt"

# step FILE WHAT COMMAND...: runs it; what it says goes to FILE.txt, its outcome to the summary.
step() {
    file=$results/$1.txt
    what=$2
    shift 2
    begin=$(date +%s)
    echo "== $what" >>"$file"
    if "$@" >>"$file" 2>&1; then
        outcome=ok
    else
        outcome="failed ($?)"
        failed=1
    fi
    echo "$what: $outcome, $(($(date +%s) - begin)) s" | tee -a "$results/summary.txt"
    [ "$outcome" = ok ]
}

give_up() {
    tail -n 30 "$results/build.txt"
    exit 1
}

# A variable of one ICD loader alone that would name drivers beside the folder.
unset OCL_ICD_FILENAMES

# The drivers that are registered, and NVIDIA's where only its library is there. A folder, since one ICD loader reads
# nothing else from this variable.
if [ -z "${OCL_ICD_VENDORS:-}" ]; then
    vendors=$build/vendors
    mkdir -p "$vendors"
    cp /etc/OpenCL/vendors/*.icd "$vendors/" 2>/dev/null || :
    if ! grep -qis nvidia "$vendors"/*.icd && ldconfig -p | grep -q 'libnvidia-opencl\.so\.1'; then
        echo libnvidia-opencl.so.1 >"$vendors/nvidia.icd"
    fi
    OCL_ICD_VENDORS=$vendors/
    export OCL_ICD_VENDORS
fi
POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build/pocl_cache}
mkdir -p "$POCL_CACHE_DIR"
export POCL_CACHE_DIR

# The compiler of CUDA kernels, where the toolkit is not on the loader's path.
for toolkit in /usr/local/cuda/lib64 /usr/local/cuda/targets/x86_64-linux/lib; do
    if [ -d "$toolkit" ] && ! ldconfig -p | grep -q 'libnvrtc\.so'; then
        LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$toolkit
        export LD_LIBRARY_PATH
    fi
done

# cmocka from its source: one file.
prefix=${CMOCKA_ROOT:-}
if [ -n "$prefix" ] && [ -f "$prefix/src/cmocka.c" ]; then
    source=$prefix
    prefix=$build/cmocka
    mkdir -p "$prefix/lib" "$prefix/include"
    cp "$source"/include/*.h "$prefix/include/"
    step build cmocka cc -O2 -fPIC -shared -DHAVE_SIGNAL_H -DHAVE_INTTYPES_H -DHAVE_STDINT_H -DHAVE_STRSIGNAL \
        -I "$prefix/include" -o "$prefix/lib/libcmocka.so" "$source/src/cmocka.c" || give_up
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
backends=$(printf '%s\n' "$@" | sed 's/[:@].*//' | sort -u | tr '\n' ';')
step build machine machine
step build configure cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release \
    "-DHR_SELECTORS=${selectors%;}" "-DHR_BACKENDS=${backends%;}" "-DCMAKE_PREFIX_PATH=$prefix" || give_up
step build build cmake --build "$build" -j "$jobs" || give_up

HR_TEST_REQUIRE=1
export HR_TEST_REQUIRE
step tests tests ctest --test-dir "$build" --output-on-failure --no-tests=error || tail -n 40 "$results/tests.txt"

step figures info "$build/headrace" info
if [ -z "${QUICK:-}" ]; then
    for selector; do
        step figures "bench copy $selector" "$build/headrace" bench copy --selector "$selector"
        step figures "bench loader $selector" "$build/headrace" bench loader --selector "$selector" --compute 1.2
        step figures "cost of a batch $selector" "$build/tests/bench/bench_loader_cost" "$selector"
        step figures "three stages $selector" "$build/tests/bench/bench_three_stages" "$selector"
        step figures "beside a plain loop $selector" "$build/tests/bench/bench_bare" "$selector"
    done
fi
exit $failed
