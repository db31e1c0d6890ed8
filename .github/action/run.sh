#!/usr/bin/env bash
# Runs cases, and ends with interstage's exit code.
#
# Reads PROGRAM (its path), PATHS, ADAPTER, ARGS, RESULTS (inputs of the action) and SHADERS (the folder for the shader
# cache of Mesa, or nothing). Sets the outputs `results`, `passed`, `failed` and `exit-code`. interstage itself writes
# annotations and the summary of the job.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

case "$ARGS" in
    *[\"\'\\]*) fail "input \`args\` is split at spaces and lines, and has no quotes or backslashes: $ARGS" ;;
esac
[ -n "$RESULTS" ] || fail "input \`results\` is empty"
results=$(unix_path "$RESULTS")
# Its counts would be taken for those of this run if this one wrote none.
[ ! -e "$results/junit.xml" ] || fail "input \`results\`: \`$RESULTS\` has the results of another run"
output results "$RESULTS"

arguments=(run --results "$results")
if [ -n "$ADAPTER" ]; then
    arguments+=(--adapter "$ADAPTER")
fi
ARGS=${ARGS//$'\r'/ }
read -r -d '' -a words <<< "$ARGS" || true
arguments+=(${words[@]+"${words[@]}"} --)
while IFS= read -r path || [ -n "$path" ]; do
    path=${path%$'\r'}
    if [ -n "$path" ]; then
        arguments+=("$path")
    fi
done <<< "$PATHS"

if [ -n "$SHADERS" ]; then
    mkdir -p -- "$SHADERS"
    # The second one is for Mesa before 22.
    export MESA_SHADER_CACHE_DIR=$SHADERS MESA_GLSL_CACHE_DIR=$SHADERS
fi

# In the background, so that a cancelled job reaches the program, which then writes the results that it has.
"$PROGRAM" "${arguments[@]}" &
child=$!
trap 'kill -TERM "$child" 2> /dev/null || true' INT TERM
code=0
wait "$child" || code=$?
# A trapped signal ends `wait` before the program ends.
while kill -0 "$child" 2> /dev/null; do
    code=0
    wait "$child" || code=$?
done
output exit-code "$code"

# The number of `$1` in the head of junit.xml, which counts all adapters.
count() {
    sed -n "s/^<testsuites .*[ ]$1=\"\([0-9]*\)\".*/\1/p" "$results/junit.xml" | head -n 1
}

if [ -f "$results/junit.xml" ]; then
    tests=$(count tests) skipped=$(count skipped) failures=$(count failures) errors=$(count errors)
    if [ -z "$tests" ] || [ -z "$skipped" ] || [ -z "$failures" ] || [ -z "$errors" ]; then
        fail "$RESULTS/junit.xml has no totals"
    fi
    output failed "$((failures + errors))"
    output passed "$((tests - skipped - failures - errors))"
fi
exit "$code"
