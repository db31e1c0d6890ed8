#!/usr/bin/env bash
# Checks the inputs, and finds the archive of a release for this runner.
#
# Reads VERSION, PROGRAM, MESA, CACHE, INSTALL_ONLY (inputs of the action), RELEASES (the address of the releases), and
# PATHS, ADAPTER and ARGS for the key of a cache. Sets the outputs `key`, `folder` (what caches keep lies below it) and,
# if a release is needed, `version`, `archive` and `checksum`.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

# Fails unless the value of an input is `true` or `false`.
check_switch() {
    case "$2" in
        true | false) ;;
        *) fail "input \`$1\` is \`true\` or \`false\`, not \`$2\`" ;;
    esac
}

is_musl() {
    case "$(ldd --version 2>&1 || true)" in
        *musl*) true ;;
        *) false ;;
    esac
}

# The name that Rust has for this runner's system.
find_target() {
    local system="$RUNNER_OS-$RUNNER_ARCH"
    if [ "$RUNNER_OS" = Linux ] && is_musl; then
        system="$system-musl"
    fi
    case "$system" in
        Linux-X64) target=x86_64-unknown-linux-gnu ;;
        Linux-X64-musl) target=x86_64-unknown-linux-musl ;;
        Linux-ARM64) target=aarch64-unknown-linux-gnu ;;
        macOS-X64) target=x86_64-apple-darwin ;;
        macOS-ARM64) target=aarch64-apple-darwin ;;
        Windows-X64) target=x86_64-pc-windows-msvc ;;
        *) fail "no release has a program for $system: build it with \`cargo install\`, and give its path as \`path\`" ;;
    esac
}

# Downloads the checksums of the release, which also name its archives.
fetch_checksums() {
    local place tag
    case "$VERSION" in
        '' | latest) place=latest/download ;;
        *)
            tag=v${VERSION#v}
            [[ "$tag" =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "\`$VERSION\` is no version such as \`0.1.0\`, nor \`latest\`"
            place="download/$tag"
            ;;
    esac
    mkdir -p -- "$folder"
    if ! download "$RELEASES/$place/SHA256SUMS" "$folder/SHA256SUMS"; then
        fail "there is no release \`${tag:-latest}\`: $RELEASES lists the versions"
    fi
}

# Finds the archive for `target` among the checksums.
find_archive() {
    local sum name
    archive=
    while read -r sum name; do
        name=${name#\*}
        case "$name" in
            interstage-*-"$target".tar.gz | interstage-*-"$target".zip) ;;
            *) continue ;;
        esac
        [ -z "$archive" ] || fail "SHA256SUMS names two archives for $target: $archive and $name"
        [[ "$sum" =~ ^[0-9a-f]{64}$ ]] || fail "SHA256SUMS has no checksum for $name but \`$sum\`"
        archive=$name checksum=$sum
    done < "$folder/SHA256SUMS"
    [ -n "$archive" ] || fail "the release \`${VERSION:-latest}\` has no archive for $target"
    version=${archive#interstage-}
    version=${version%%-"$target".*}
    [[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "SHA256SUMS names an archive without a version: $archive"
    case "$VERSION" in
        '' | latest | "$version" | "v$version") ;;
        *) fail "the release \`$VERSION\` has an archive of version $version" ;;
    esac
}

check_switch mesa "$MESA"
check_switch cache "$CACHE"
check_switch install-only "$INSTALL_ONLY"
key=$(printf '%s\n--\n%s\n--\n%s\n' "$PATHS" "$ADAPTER" "$ARGS" | sha256 -)
output key "${key:0:12}"
# Not the context `runner.temp`, which is a path outside the container in a job with one.
output folder "$RUNNER_TEMP/interstage"
if [ -n "$PROGRAM" ]; then
    [ -z "$VERSION" ] || fail "inputs \`version\` and \`path\` exclude each other"
    exit 0
fi
folder=$(unix_path "$RUNNER_TEMP")/interstage
find_target
fetch_checksums
find_archive
output version "$version"
output archive "$archive"
output checksum "$checksum"
