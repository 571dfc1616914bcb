#!/usr/bin/env bash
# Installs the build into a folder, moves it, and uses it from there: docs/example by CMake and by pkg-config, the
# example of the README, and every public header on its own. Engine only: the programs run on an embedded folder.
#
# usage: installed_package_test.sh <source folder> <build folder> <C++ compiler> <sanitizers, or empty>
set -euo pipefail

source=$1
build=$2
compiler=$3
# The installed libraries were built with it, so the programs must be too.
flags=(${4:+-fsanitize=$4})

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

# use_shop <program>: orders, two workers, and each order has one invoice.
use_shop() {
  local shop=embedded:$work/shop-$RANDOM said other
  "$1" "$shop" order 120
  "$1" "$shop" work >"$work/other.log" &
  other=$!
  "$1" "$shop" work >/dev/null
  wait "$other" || fail "the second worker: $(cat "$work/other.log")"
  said=$("$1" "$shop" count) || fail "$1 count: $said"
  [[ $said == '120 orders of '*$'\nEach order has exactly one invoice.' ]] || fail "$1 count: $said"
}

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || fail "install: $(cat "$work/install.log")"
# A package that was moved as a whole goes on working.
mv "$work/first" "$work/moved"
prefix=$work/moved
pkgconfig=$(dirname "$(find "$prefix" -name fdbjobs.pc)")
engine=$(find "$prefix" -name libfdb_c.so)
[[ -f $engine ]] || fail "the embedded engine was not installed"
# A sanitizer's own dlopen does not look at the program's run path.
((${#flags[@]} == 0)) || export FDBJOBS_EMBEDDED_LIBRARY=$engine
# What we build ourselves with must not reach a user's build.
! grep -rqE 'Werror|Wextra' "$prefix/" --include='*.cmake' --include='*.pc' || fail "our warning flags are exported"
! grep -rqF "$source" "$prefix/" --include='*.cmake' --include='*.pc' --include='*.h' || fail "a path of the source tree is exported"

echo "== docs/example by CMake"
cmake -G Ninja -S "$source/docs/example" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="${flags[*]}" >"$work/cmake.log" || fail "configure: $(cat "$work/cmake.log")"
cmake --build "$work/by-cmake"
use_shop "$work/by-cmake/shop"

echo "== docs/example by pkg-config"
read -ra package <<<"$(PKG_CONFIG_PATH=$pkgconfig pkg-config --cflags --libs fdbjobs)"
"$compiler" -std=c++20 "${flags[@]}" -o "$work/shop" "$source/docs/example/shop.cc" "${package[@]}"
use_shop "$work/shop"
PKG_CONFIG_PATH=$pkgconfig pkg-config --variable=embedded_library fdbjobs | xargs test -f || fail "embedded_library"

echo "== the example of the README"
# shellcheck disable=SC2016  # the backquotes are Markdown's
sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$source/README.md" >"$work/readme.cc"
[[ -s $work/readme.cc ]] || fail "the README has no C++ example"
"$compiler" -std=c++20 -Wall -Wextra -Werror "${flags[@]}" -o "$work/readme" "$work/readme.cc" "${package[@]}"
"$work/readme" "embedded:$work/readme-data"

echo "== every public header on its own"
cd "$prefix/include"
while read -r header; do
  echo "#include \"$header\"" | "$compiler" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I. -x c++ - ||
    fail "$header does not compile on its own"
done < <(find fdbjobs -name '*.h' | sort)
echo "ok"
