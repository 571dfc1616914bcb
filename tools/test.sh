#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#
# usage: tools/test.sh [release|asan|tsan] [-- <ctest arguments>]
#
#   tools/test.sh                       all tests, optimised build
#   tools/test.sh tsan -- -L embedded   the tests of the embedded engine under ThreadSanitizer
#
# FDBJOBS_TEST_DB    the database under test: fdb:/path/to/fdb.cluster or embedded:/folder (default: fresh folders)
# FDBJOBS_TEST_SEED  the seed of the random tests (default: a new one each time; they print it)
# FDBJOBS_TEST_JOBS  how many tests run side by side (default: 2)
#
# The last line counts the tests: "<n> passed, <m> failed".
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "$0")/setup.sh"

preset=release
if (($#)) && [[ $1 != -- ]]; then
  preset=$1
  shift
fi
case $preset in
  release | asan | tsan) ;;
  *)
    echo "usage: tools/test.sh [release|asan|tsan] [-- <ctest arguments>]" >&2
    exit 2
    ;;
esac
if (($#)); then
  [[ $1 == -- ]] || { echo "tools/test.sh: '$1' is not understood; ctest arguments come after --" >&2; exit 2; }
  shift
fi

install_what_is_missing
build_preset "$preset"

# ThreadSanitizer's runtime refuses the memory layout of kernels that randomise much.
run=()
if [[ $preset == tsan ]] && setarch "$(uname -m)" -R true 2>/dev/null; then
  run=(setarch "$(uname -m)" -R)
fi

log=$root/build/$preset/test.log
status=0
"${run[@]}" ctest --test-dir "$root/build/$preset" --output-on-failure --no-tests=error \
  --parallel "${FDBJOBS_TEST_JOBS:-2}" "$@" 2>&1 | tee "$log" || status=$?

# ctest's closing line: "<p>% tests passed, <failed> tests failed out of <total>".
closing=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of ([0-9]+)$/\1 \2/p' "$log" | tail -n 1)
if [[ -n $closing ]]; then
  read -r failed total <<<"$closing"
  echo
  echo "$((total - failed)) passed, $failed failed"
fi
exit "$status"
