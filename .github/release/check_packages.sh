#!/usr/bin/env bash
# Packs every published crate as for crates.io, uploads nothing, and fails if cargo warns about one.
set -euo pipefail

log=$(mktemp)
trap 'rm -- "$log"' EXIT
CARGO_TERM_COLOR=never cargo publish --workspace --dry-run --no-verify "$@" 2>&1 | tee -- "$log"
if grep '^warning' "$log" | grep --invert-match 'aborting upload due to dry run'; then
    printf 'error: cargo warns about a package\n' >&2
    exit 1
fi
