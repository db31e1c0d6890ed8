#!/usr/bin/env bash
# Installs Mesa's software drivers lavapipe and llvmpipe with apt. Sets the output `key`:
# Mesa's version and a hash of the processor, because the shader caches hold machine code.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${BASH_SOURCE[0]%/*}/lib.sh"

packages=(mesa-vulkan-drivers libvulkan1 libegl1 libgl1-mesa-dri)

[ "$RUNNER_OS" = Linux ] || fail "input \`mesa\`: Mesa's drivers are installed on Linux only, not on $RUNNER_OS"
command -v apt-get > /dev/null || fail "input \`mesa\`: this system has no \`apt-get\`; install Mesa's drivers in an earlier step"
need dpkg-query

are_installed() {
    local package
    for package in "${packages[@]}"; do
        # shellcheck disable=SC2016 # dpkg-query replaces it.
        [ "$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || return 1
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        need sudo
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

if ! are_installed; then
    as_root apt-get update || fail "input \`mesa\`: \`apt-get update\` failed"
    as_root apt-get install --yes --no-install-recommends "${packages[@]}" \
        || fail "input \`mesa\`: \`apt-get install ${packages[*]}\` failed"
fi
# shellcheck disable=SC2016 # dpkg-query replaces it.
version=$(dpkg-query --show --showformat '${Version}' mesa-vulkan-drivers)
printf 'Mesa %s\n' "$version"
processor=$(grep -E '^(model name|flags|Features|CPU )' /proc/cpuinfo | sort -u | sha256 -)
output key "$version-${processor:0:12}"
