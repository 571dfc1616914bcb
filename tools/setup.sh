# What tools/test.sh and tools/quickstart.sh share: packages, configure, build. To be sourced, not run.
# shellcheck shell=bash

# The top of the source tree.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Debian packages for the build, npm packages for the tests with a foreign client. Those go to build/npm.
install_what_is_missing() {
  "$root/tools/packages.sh"
  local npm=$root/build/npm
  mkdir -p "$npm"
  if ! cmp -s "$root/tests/node/package-lock.json" "$npm/installed-lock.json"; then
    cp "$root/tests/node/package.json" "$root/tests/node/package-lock.json" "$npm/"
    (cd "$npm" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp "$npm/package-lock.json" "$npm/installed-lock.json"
  fi
}

# Makes the first configuration of a build folder use ccache, where that is installed.
use_ccache() {
  if command -v ccache >/dev/null; then
    # What one clone has compiled serves another one too, wherever they are.
    export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
}

# build_preset <preset> [targets]: configures and builds build/<preset>, or only the targets.
build_preset() {
  local preset=$1
  shift
  use_ccache
  (cd "$root" && cmake --preset "$preset" && cmake --build --preset "$preset" ${1+--target "$@"})
}
