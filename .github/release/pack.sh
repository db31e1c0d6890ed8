#!/usr/bin/env bash
# Packs a built program with what belongs to it: `pack.sh PROGRAM TARGET` writes `interstage-VERSION-TARGET.tar.gz`, or
# `….zip` for Windows, to the working directory. It runs in the root of the repository, with bash 3.2 or later.
set -euo pipefail

program=$1 target=$2
version=$("$program" --version)
version=${version#interstage }
name=interstage-$version-$target

# The licences of all crates in the program, with the texts that the crates have, each once.
write_licences() {
    local crate release licence file sum
    printf 'interstage contains the following Rust crates.\n'
    cargo tree --locked --package interstage-runner --edges normal --target "$target" --prefix none --format '{p}|{l}' \
        | sed -e 's/ (\*)$//' -e 's/ (proc-macro)|/|/' -e '/^[^|]* (/d' -e 's/ v\([0-9]\)/|\1/' | LC_ALL=C sort -u \
        | while IFS='|' read -r crate release licence; do
            printf '\n==== %s %s: %s ====\n' "$crate" "$release" "$licence"
            for file in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$crate-$release"/{LICEN[CS]E,COPYING,COPYRIGHT,NOTICE}*; do
                [ -f "$file" ] || continue
                sum=$(cksum < "$file")
                if [ -e "$texts/$sum" ]; then
                    printf '\n%s: as that of %s\n' "${file##*/}" "$(cat -- "$texts/$sum")"
                else
                    printf '%s %s' "$crate" "$release" > "$texts/$sum"
                    printf '\n%s:\n\n' "${file##*/}"
                    cat -- "$file"
                fi
            done
        done
}

texts=$(mktemp -d)
trap 'rm -r -- "$texts"' EXIT
rm -rf -- "$name"
mkdir -p -- "$name/man" "$name/completions"
cp -- "$program" README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$name"
write_licences > "$name/LICENSES-OF-CRATES.txt"
"$program" man --out "$name/man"
for shell in bash zsh fish elvish powershell; do
    "$program" completions "$shell" > "$name/completions/interstage.$shell"
done
case "$target" in
    *windows*) 7z a -bso0 -tzip "$name.zip" "$name" ;;
    *) tar -czf "$name.tar.gz" "$name" ;;
esac
