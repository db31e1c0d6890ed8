# What the scripts of the action share. They are for bash 3.2, which macOS has, and take their inputs from variables.
# shellcheck shell=bash
set -euo pipefail

# Writes an annotation, and ends the script with interstage's exit code for wrong use.
fail() {
    local text=$1
    text=${text//'%'/%25}
    text=${text//$'\r'/%0D}
    text=${text//$'\n'/%0A}
    printf '::error title=interstage::%s\n' "$text" >&2
    exit 3
}

# Fails unless these programs are there.
need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" > /dev/null || fail "the action needs \`$tool\`, which is not installed on this runner"
    done
}

# The path as bash writes it. Windows writes paths with a drive and backslashes.
unix_path() {
    if command -v cygpath > /dev/null; then
        cygpath --unix "$1"
    else
        printf '%s\n' "$1"
    fi
}

# Sets an output of the step.
output() {
    case "$2" in
        *$'\n'* | *$'\r'*) fail "\`$1\` has more than one line: $2" ;;
    esac
    printf '%s=%s\n' "$1" "$2" >> "$GITHUB_OUTPUT"
}

# The SHA-256 of a file; `-` is standard input.
sha256() {
    if command -v sha256sum > /dev/null; then
        sha256sum -- "$1" | cut -c 1-64
    else
        need shasum
        shasum -a 256 -- "$1" | cut -c 1-64
    fi
}

# Downloads address $1 to file $2. Returns 1 if there is no such file.
download() {
    need curl
    local code=0
    curl --fail --location --silent --show-error --retry 3 --connect-timeout 30 \
        --proto '=https,file' --proto-redir '=https' --output "$2.part" -- "$1" || code=$?
    case "$code" in
        0) mv -- "$2.part" "$2" ;;
        # An answer such as 404, and a file that cannot be read.
        22 | 37) return 1 ;;
        *) fail "cannot download $1: curl ended with exit code $code" ;;
    esac
}
