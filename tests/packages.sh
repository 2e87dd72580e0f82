# Installs what is missing of tests/packages.txt. For sourcing from the repository's top folder:
#   . tests/packages.sh; hr_packages GROUP...
# It never ends the calling script: what could not be had is said, and the configuration decides whether that matters.

# hr_packages_of GROUP...: the names in these groups.
hr_packages_of() {
    for group in "$@"; do
        awk -v group="$group" '$1 == group { print $2 }' tests/packages.txt
    done
}

# hr_packages_missing NAME...: those of them that are not installed.
hr_packages_missing() {
    for name in "$@"; do
        dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || echo "$name"
    done
}

# hr_packages_known NAME...: those of them that apt can install; says which it cannot.
hr_packages_known() {
    for name in "$@"; do
        if LC_ALL=C apt-cache policy "$name" 2>/dev/null | grep -q '^  Candidate: [^(]'; then
            echo "$name"
        else
            echo "apt knows no package $name; going on without it." >&2
        fi
    done
}

# The words in $missing and $known are package names, meant to be split.
# shellcheck disable=SC2086,SC2046
hr_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo 'No apt here, so nothing is installed. What is needed, by the names of Debian:'
        for group in "$@"; do
            awk -v group="$group" '$1 == group { sub(/^[a-z]+ +/, "  "); print }' tests/packages.txt
        done
        return 0
    fi
    missing=$(hr_packages_missing $(hr_packages_of "$@") | tr '\n' ' ')
    if [ -z "$missing" ]; then
        return 0
    fi
    as_root=''
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
        if ! command -v sudo >/dev/null; then
            echo "Not root, and no sudo. Missing: $missing"
            echo "As root: apt-get install $missing"
            return 0
        fi
    fi
    echo "Installing: $missing"
    $as_root apt-get -q update || echo 'apt-get update failed; going on with the lists that are there.' >&2
    known=$(hr_packages_known $missing | tr '\n' ' ')
    if [ -n "$known" ]; then
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install -y \
            --no-install-recommends $known || echo 'apt-get install failed; going on with what is there.' >&2
    fi
}
