#!/bin/sh
# House rules that a search can hold. sh rules.sh SOURCE-FOLDER
set -eu
cd "$1"
status=0

# forbid WHAT PATTERN FOLDER...: no line of C there may match.
forbid() {
    what=$1
    pattern=$2
    shift 2
    if grep -rnE --include='*.[ch]' --include='*.cl' "$pattern" "$@"; then
        echo "rule broken by the lines above: $what"
        status=1
    fi
}

forbid 'nothing under src/ names a vendor' '(^|[^[:alnum:]])([Nn][Vv][Ii][Dd][Ii][Aa]|AMD|amd|Intel|intel)([^[:alnum:]]|$)' src
forbid 'src/ includes no driver headers' '#include <(CL/|cuda)' src
forbid 'nothing is left to be done' 'TODO|FIXME|XXX' include src backends tests examples
forbid 'no static constructors' '__attribute__\(\((constructor|destructor)' include src backends
forbid 'no detached threads' 'pthread_detach|PTHREAD_CREATE_DETACHED' include src backends
forbid 'no user events, no callbacks of drivers' 'clCreateUserEvent|clSetEventCallback|cuLaunchHostFunc' src backends
forbid 'backends include backend.h and nothing of src/' '#include "(core|transfer|stream|observe|cli)/' backends
forbid 'src/core knows nothing above it' '#include "(transfer|stream|cli)/' src/core
forbid 'src/observe knows nothing above it' '#include "(transfer|stream|cli)/' src/observe
forbid 'src/transfer knows nothing above it' '#include "(stream|cli)/' src/transfer
forbid 'examples see the public interface alone' '#include "(core|transfer|stream|observe|cli|backend)' examples

if grep -rln --include='*.[ch]' 'getenv(' include src backends examples | grep -vx 'src/core/settings.c'; then
    echo 'rule broken by the files above: src/core/settings.c has the only getenv'
    status=1
fi

long=$(find include src backends tests examples -name '*.[ch]' -exec awk 'END { if (NR > 500) print FILENAME, NR }' {} \;)
if [ -n "$long" ]; then
    echo "$long"
    echo 'rule broken by the files above: 500 lines are the most'
    status=1
fi
# Public structs have their sizes and offsets held.
for type in $(sed -n 's/^typedef struct \(hr_[a-z_]*\) {$/\1/p' include/headrace/*.h); do
    if ! grep -q "^STRUCT($type, " tests/unit/test_abi.c; then
        echo "rule broken: tests/unit/test_abi.c does not hold $type"
        status=1
    fi
done
# Users read of every variable.
for variable in $(sed -n 's/^ *X([A-Z_]*, "\(HEADRACE_[A-Z_]*\)".*/\1/p' src/core/settings.h); do
    if ! grep -q "^| \`$variable\` |" README.md; then
        echo "rule broken: the table in README.md lacks $variable"
        status=1
    fi
done
exit $status
