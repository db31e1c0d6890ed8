#!/usr/bin/env bash
# Installs interstage from an archive, unless PROGRAM is the path of a built program.
#
# Reads PROGRAM (an input of the action), RELEASES (the address of the releases), and VERSION, ARCHIVE and CHECKSUM as
# resolve.sh found them. Sets the output `program`, and puts the program's folder in the PATH of later steps.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

# Prints what `interstage --version` says.
version_of() {
    local text
    text=$("$1" --version 2>&1) || fail "\`$1 --version\` does not run on this machine: $text"
    printf '%s\n' "$text"
}

# The folder may hold the archive already, from a cache.
fetch_archive() {
    mkdir -p -- "$folder/archive"
    local file="$folder/archive/$ARCHIVE" found
    if [ -f "$file" ] && [ "$(sha256 "$file")" != "$CHECKSUM" ]; then
        rm -- "$file"
    fi
    if [ ! -f "$file" ] && ! download "$RELEASES/download/v$VERSION/$ARCHIVE" "$file"; then
        fail "the release v$VERSION has no file $ARCHIVE"
    fi
    found=$(sha256 "$file")
    if [ "$found" != "$CHECKSUM" ]; then
        rm -- "$file"
        fail "$ARCHIVE has the SHA-256 $found, but SHA256SUMS says $CHECKSUM"
    fi
}

unpack() {
    mkdir -p -- "$folder/program"
    cd -- "$folder/program"
    case "$ARCHIVE" in
        *.zip)
            need unzip
            unzip -q -o "../archive/$ARCHIVE" || fail "cannot unpack $ARCHIVE"
            program="$PWD/${ARCHIVE%.zip}/interstage.exe"
            ;;
        *)
            need tar gzip
            tar -xzf "../archive/$ARCHIVE" || fail "cannot unpack $ARCHIVE"
            program="$PWD/${ARCHIVE%.tar.gz}/interstage"
            ;;
    esac
    [ -f "$program" ] || fail "$ARCHIVE has no file ${program#"$PWD"/}"
}

if [ -n "$PROGRAM" ]; then
    program=$(unix_path "$PROGRAM")
    [ -f "$program" ] || fail "input \`path\`: there is no file \`$PROGRAM\`"
    [ -x "$program" ] || fail "input \`path\`: \`$PROGRAM\` is not executable"
    program=$(cd -- "$(dirname -- "$program")" && pwd)/$(basename -- "$program")
    version_of "$program"
else
    folder=$(unix_path "$RUNNER_TEMP")/interstage
    fetch_archive
    unpack
    text=$(version_of "$program")
    printf '%s\n' "$text"
    [ "$text" = "interstage $VERSION" ] || fail "the program of $ARCHIVE calls itself \`$text\`"
fi
output program "$program"
folder=$(dirname -- "$program")
if command -v cygpath > /dev/null; then
    folder=$(cygpath --windows "$folder")
fi
printf '%s\n' "$folder" >> "$GITHUB_PATH"
