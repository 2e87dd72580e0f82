#!/bin/sh
# packages.sh against an apt of our own: what it asks for, and that it asks for nothing when nothing is missing.
# sh packages_test.sh SOURCE-FOLDER
set -eu
cd "$1"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/bin" "$out/few"

# stand_in NAME: a command whose body comes on standard input.
stand_in() {
    { echo '#!/bin/sh'; cat; } >"$out/bin/$1"
    chmod +x "$out/bin/$1"
}

stand_in dpkg-query <<'END'
for name in "$@"; do :; done
case " $ABSENT " in *" $name "*) exit 1 ;; esac
echo installed
END
stand_in apt-get <<'END'
echo "apt-get $*" >>"$LOG"
END
stand_in apt-cache <<'END'
case " $UNKNOWN " in *" $2 "*) echo '  Candidate: (none)' ;; *) echo '  Candidate: 1.0' ;; esac
END
stand_in sudo <<'END'
echo "sudo $1" >>"$LOG"
exec "$@"
END
stand_in id <<'END'
echo "$USER_ID"
END
for tool in sh awk cat; do
    ln -s "$(command -v $tool)" "$out/few/$tool"
done

# packages: runs hr_packages under the stand-ins; what apt was asked is in log, what was said in said.
packages() {
    : >"$out/log"
    LOG=$out/log ABSENT=$1 UNKNOWN=$2 USER_ID=$3 PATH=$4 sh -c '. tests/packages.sh; hr_packages build test' \
        >"$out/said" 2>&1
}

# holds FILE TEXT / lacks FILE TEXT
holds() {
    grep -qF -- "$2" "$out/$1" || { echo "$1 lacks '$2':"; cat "$out/$1"; exit 1; }
}
lacks() {
    ! grep -qF -- "$2" "$out/$1" || { echo "$1 has '$2':"; cat "$out/$1"; exit 1; }
}

packages '' '' 0 "$out/bin:$PATH"
lacks log apt-get
lacks said ' '

packages 'cmake g++' '' 0 "$out/bin:$PATH"
holds log 'apt-get -q update'
holds log 'install -y --no-install-recommends cmake g++'
lacks log sudo

packages 'dataset-fashion-mnist gcc' 'dataset-fashion-mnist' 0 "$out/bin:$PATH"
holds said 'apt knows no package dataset-fashion-mnist'
holds log '--no-install-recommends gcc'
lacks log mnist

packages 'gcc' '' 1000 "$out/bin:$PATH"
holds log 'sudo apt-get'
holds log 'sudo env'

rm "$out/bin/sudo"
if ! PATH=$out/bin:$PATH command -v sudo >/dev/null; then
    packages 'gcc' '' 1000 "$out/bin:$PATH"
    lacks log apt-get
    holds said 'As root: apt-get install gcc'
fi

packages '' '' 0 "$out/few"
holds said 'No apt here'
holds said 'libcmocka-dev          the test programs'
