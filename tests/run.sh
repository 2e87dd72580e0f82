#!/bin/sh
# Everything that is tested, on a fresh system too; ends with the line "N passed, N failed".
#   sh tests/run.sh          the suite, again under the sanitizers, with clang, and the format of the sources
#   sh tests/run.sh quick    the suite alone
set -eu
cd "$(dirname "$0")/.."
case ${1:-} in
'' | quick) ;;
*)
    echo 'usage: sh tests/run.sh [quick]' >&2
    exit 2
    ;;
esac

passed=0
failed=0
skipped=0
failures=''

# check NAME COMMAND...: one step that counts as one test.
check() {
    name=$1
    shift
    echo "== $name"
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures="$failures $name"
        return 1
    fi
}

# count FILE ATTRIBUTE: a number in the head of CTest's JUnit file.
count() {
    sed -n "s/^.*[[:space:]]$2=\"\([0-9]*\)\".*\$/\1/p" "$1" | head -n 1
}

# again PRESET N: runs the N tests that failed once more, if LeakSanitizer's tracer crashed in each of them ("Tracer
# caught signal"), which leaves no verdict on leaks. Why it does is not known. Nothing else is run twice.
again() {
    traced=$(grep -c '^Tracer caught signal' "build/$1/Testing/Temporary/LastTest.log" 2>/dev/null) || traced=0
    [ "$2" -gt 0 ] && [ "$traced" -eq "$2" ] || return 1
    echo "== $1: LeakSanitizer's tracer crashed at the end of $2 tests; these once more"
    ctest --preset "$1" --rerun-failed
}

# suite PRESET: configures, builds, tests; each of CTest's tests counts.
suite() {
    check "$1: configure" cmake --preset "$1" || return 0
    check "$1: build" cmake --build --preset "$1" || return 0
    echo "== $1: tests"
    report=$PWD/build/$1/junit.xml
    rm -f "$report"
    all=ok
    ctest --preset "$1" -j "$(getconf _NPROCESSORS_ONLN)" --no-tests=error --output-junit "$report" || all=failed
    if [ ! -s "$report" ]; then
        failures="$failures $1: tests"
        failed=$((failed + 1))
        return 0
    fi
    bad=$(count "$report" failures)
    if [ $all = failed ] && again "$1" "$bad"; then
        bad=0
    elif [ $all = failed ]; then
        failures="$failures $1: tests"
    fi
    out=$(($(count "$report" skipped) + $(count "$report" disabled)))
    passed=$((passed + $(count "$report" tests) - bad - out))
    failed=$((failed + bad))
    skipped=$((skipped + out))
}

# The version matters: another one breaks lines elsewhere.
format() {
    tool=$(command -v clang-format-14 || command -v clang-format) || tool=false
    if ! "$tool" --version | grep -q 'version 14\.'; then
        echo 'clang-format 14 is not here: the format is not checked'
        skipped=$((skipped + 1))
        return 0
    fi
    check format sh -c 'find include src backends tests examples -name "*.[ch]" -exec "$1" --dry-run -Werror {} +' \
        format "$tool" || return 0
}

. tests/packages.sh
hr_packages build test
suite test
if [ "${1:-}" != quick ]; then
    format
    check 'clang: configure' cmake --preset clang && check 'clang: build' cmake --build --preset clang || true
    suite asan
    suite tsan
fi

if [ -n "$failures" ]; then
    echo "failed:$failures"
fi
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ] && [ -z "$failures" ]
