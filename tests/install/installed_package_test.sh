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

# use_guestbook <program>: signs, and reads what was signed.
use_guestbook() {
  local book=embedded:$work/book-$RANDOM said
  "$1" "$book" sign first
  "$1" "$book" sign second
  said=$("$1" "$book" read)
  [[ $said == $'1. first\n2. second\n2 entries, and the count agrees' ]] || fail "$1 read: $said"
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
use_guestbook "$work/by-cmake/guestbook"

echo "== docs/example by pkg-config"
read -ra package <<<"$(PKG_CONFIG_PATH=$pkgconfig pkg-config --cflags --libs fdbjobs)"
"$compiler" -std=c++20 "${flags[@]}" -o "$work/guestbook" "$source/docs/example/guestbook.cc" "${package[@]}"
use_guestbook "$work/guestbook"
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
