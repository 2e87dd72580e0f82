#!/bin/sh
# What the command says about wrong command lines, and its help texts: sh usage.sh HEADRACE
set -u
headrace=$1
status=0

# wrong TEXT ARGUMENT...: exit status 2, nothing on standard output, TEXT on standard error.
wrong() {
    text=$1
    shift
    said=$("$headrace" "$@" 2>&1 >/dev/null)
    code=$?
    out=$("$headrace" "$@" 2>/dev/null)
    if [ $code -ne 2 ] || [ -n "$out" ] || ! echo "$said" | grep -qF -- "$text"; then
        echo "headrace $*: exit status $code, wanted 2 and \"$text\"; said: $said; printed: $out"
        status=1
    fi
}

# right TEXT ARGUMENT...: exit status 0, TEXT on standard output.
right() {
    text=$1
    shift
    out=$("$headrace" "$@")
    code=$?
    if [ $code -ne 0 ] || ! echo "$out" | grep -qF -- "$text"; then
        echo "headrace $*: exit status $code, wanted 0 and \"$text\""
        status=1
    fi
}

wrong 'a command is missing'
wrong "unknown command 'inof'; did you mean 'info'?" inof
wrong "unknown command 'bench loadr'; did you mean 'bench loader'?" bench loadr
wrong 'copy or loader' bench
wrong "unknown option '--jsn'; did you mean '--json'?" info --jsn
wrong "unknown option '--selecter'; did you mean '--selector'?" bench copy --selecter pocl
wrong "unknown option '--zzzzzzzzz'" bench copy --zzzzzzzzz
wrong "unknown option '--versoin'" --versoin
wrong "unexpected argument 'pocl'" bench copy pocl
wrong '2 to 64' bench loader --depth 1
wrong '--sizes needs a value: LIST' bench copy --sizes
wrong '--json takes no value' info --json=yes
wrong '--sizes is "4Q"; accepted: a number, or one with K, M or G' bench copy --sizes 4K,4Q
wrong '--sizes is 0; accepted: 1 to' bench copy --sizes 0
wrong '--rounds is 99; accepted: 1 to 31' bench copy --rounds 99
wrong '--route is "in-plce"; known: auto, staged, in-place, resident; did you mean in-place?' bench loader --route in-plce
wrong '--compute is "x"; accepted: 0 to 1000' bench loader --compute x
wrong '--row is 1000, which 3 fields do not split evenly' bench loader --row 1000 --fields 3
wrong 'larger than the --table' bench loader --row 1M --table 64K
wrong 'of this machine' bench loader --table 1000000G

for command in '' info 'bench copy' 'bench loader'; do
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS ENVIRONMENT 'EXIT STATUS' EXAMPLES HEADRACE_BACKEND; do
        # shellcheck disable=SC2086
        right "$section" help $command
        # shellcheck disable=SC2086
        right "$section" $command --help
    done
done
right '--compute RATIO' bench loader -h
right '--trace FILE' bench copy -h
right '--trace FILE' bench loader -h
right HEADRACE_TRACE info --settings
right 'headrace ' --version
right HEADRACE_PINNED_MEMORY info --settings
exit $status
