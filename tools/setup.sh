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

# build_preset <preset> [targets]: configures and builds build/<preset>, or only the targets.
build_preset() {
  local preset=$1 launcher=()
  shift
  if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  (cd "$root" && cmake --preset "$preset" "${launcher[@]}" && cmake --build --preset "$preset" ${1+--target "$@"})
}
