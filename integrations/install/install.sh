#!/bin/sh
# Installs the program `tenterhook` from a release, or from a folder that has one. Needs no root and no Rust.
set -eu

version='@VERSION@'
releases='@REPOSITORY@/releases/download'

usage() {
  cat <<END
usage: sh install.sh [--to DIR] [--from DIR-OR-URL] [--target TARGET]
  --to DIR         where the program goes (default: ~/.local/bin)
  --from PLACE     a folder or an address with the tarball and SHA256SUMS (default: the folder of this script if they
                   lie there, otherwise $releases/v$version)
  --target TARGET  which build (default: the one for this machine)
END
}

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 1
}

to=${HOME:+$HOME/.local/bin}
from=
target=
while [ $# -gt 0 ]; do
  case $1 in
    --to | --from | --target) [ $# -ge 2 ] && [ -n "$2" ] || fail "\`$1\` needs a value" ;;
  esac
  case $1 in
    --to) to=$2 && shift 2 ;;
    --from) from=$2 && shift 2 ;;
    --target) target=$2 && shift 2 ;;
    --help | -h) usage && exit 0 ;;
    *) usage >&2 && fail "\`$1\` is not an option" ;;
  esac
done
[ -n "$to" ] || fail 'no home directory is known: name a folder with `--to DIR`'

if [ -z "$target" ]; then
  case "$(uname -s) $(uname -m)" in
    'Linux x86_64') target=x86_64-unknown-linux-musl ;;
    'Linux aarch64' | 'Linux arm64') target=aarch64-unknown-linux-musl ;;
    'Darwin arm64') target=aarch64-apple-darwin ;;
    'Darwin x86_64') target=x86_64-apple-darwin ;;
    *) fail "there is no build for $(uname -s) on $(uname -m): build it with \`cargo install\`" ;;
  esac
fi
name=tenterhook-$version-$target
tarball=$name.tar.gz

if [ -z "$from" ]; then
  here=$(dirname -- "$0")
  if [ -f "$here/SHA256SUMS" ]; then from=$here; else from=$releases/v$version; fi
fi

scratch=$(mktemp -d)
placed=
trap 'rm -rf "$scratch"; [ -z "$placed" ] || rm -f "$placed"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# fetch FILE: puts it into the scratch folder.
fetch() {
  case $from in
    https://* | http://*)
      if command -v curl >/dev/null 2>&1; then
        curl --fail --silent --show-error --location --output "$scratch/$1" "$from/$1"
      elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$scratch/$1" "$from/$1"
      else
        fail 'neither `curl` nor `wget` is installed: fetch the files yourself and name their folder with `--from DIR`'
      fi
      ;;
    *) cp -- "$from/$1" "$scratch/$1" ;;
  esac || fail "\`$1\` cannot be fetched from \`$from\`"
}
fetch SHA256SUMS
grep -q "  $tarball\$" "$scratch/SHA256SUMS" || fail "\`$from\` has no build for $target"
fetch "$tarball"

if command -v sha256sum >/dev/null 2>&1; then
  sum=$(sha256sum <"$scratch/$tarball")
elif command -v shasum >/dev/null 2>&1; then
  sum=$(shasum -a 256 <"$scratch/$tarball")
else
  fail 'neither `sha256sum` nor `shasum` is installed: the checksum cannot be verified'
fi
grep -qx "${sum%% *}  $tarball" "$scratch/SHA256SUMS" ||
  fail "the checksum of \`$tarball\` is not the one in SHA256SUMS; nothing was installed"

(cd "$scratch" && gzip -dc "$tarball" | tar -xf -) || fail "\`$tarball\` cannot be unpacked"
mkdir -p -- "$to" || fail "\`$to\` cannot be made"
to=$(cd -- "$to" && pwd)
had=
[ ! -e "$to/tenterhook" ] || had=1
# A new file in the place of the old one: a program that runs cannot be written to.
placed=$to/.tenterhook.$$
cp -- "$scratch/$name/tenterhook" "$placed" || fail "\`$to\` cannot be written to"
chmod 755 "$placed"
said=$("$placed" --version) || fail "the program does not run on this machine; nothing was installed"
mv -f -- "$placed" "$to/tenterhook"
placed=

if [ -n "$had" ]; then
  echo "installed $said as $to/tenterhook, in the place of the one that was there (checksum verified)"
else
  echo "installed $said as $to/tenterhook (checksum verified)"
fi
echo "  to undo:         rm '$to/tenterhook'"
echo "  completions:     $to/tenterhook completions --help"
case ":${PATH:-}:" in
  *":$to:"*) ;;
  *) echo "  to find it:      put $to on your PATH: export PATH=\"$to:\$PATH\"" ;;
esac
echo "  to begin:        tenterhook check"
