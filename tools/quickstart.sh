#!/usr/bin/env bash
# Builds and installs fdbjobs below build/quickstart, and shows on this machine, without a cluster, what there is.
#
# usage: tools/quickstart.sh
#
# Leaves build/quickstart to explore, and no process.
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "$0")/setup.sh"

here=$root/build/quickstart
package=$here/package
guestbook=$here/example/guestbook
folder=$here/book
book=embedded:$folder

pids=()
stop_what_we_started() {
  ((${#pids[@]} == 0)) || kill -9 "${pids[@]}" 2>/dev/null || true
}
trap stop_what_we_started EXIT

bold='' plain=''
if [[ -t 1 ]]; then bold=$'\033[1m' plain=$'\033[0m'; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
# sign <text>, read_book: what they run, and what it says.
sign() {
  echo "\$ guestbook embedded:book sign \"$1\""
  "$guestbook" "$book" sign "$1"
}
read_book() {
  echo "\$ guestbook embedded:book read"
  "$guestbook" "$book" read
}
# wait_for_lines <file> <n>: until the file has n lines.
wait_for_lines() {
  until [[ -e $1 ]] && (($(wc -l <"$1") >= $2)); do sleep 0.02; done
}

say "Setting up: packages, build, installation into build/quickstart/package, and the example on top of it."
mkdir -p "$here"
{
  install_what_is_missing
  build_preset release fdbjobs_package
  cmake --install "$root/build/release" --prefix "$package"
  cmake -G Ninja -S "$root/docs/example" -B "$here/example" -DCMAKE_PREFIX_PATH="$package" -DCMAKE_BUILD_TYPE=Release
  cmake --build "$here/example"
} >"$here/setup.log" 2>&1 || {
  tail -n 30 "$here/setup.log"
  echo "Setting up failed; all of its output is in $here/setup.log" >&2
  exit 1
}
rm -rf "$folder"

say "1. One folder, many processes, no server. Each command below is a process of its own."
sign "Hello from one process"
sign "and from another"
read_book

say "2. A watch. One process waits; it wakes when another commits."
"$guestbook" "$book" wait >"$here/wait.log" &
waiting=$!
pids+=("$waiting")
wait_for_lines "$here/wait.log" 1
sign "Wake up"
wait "$waiting"
echo "the waiting process said: $(tail -n 1 "$here/wait.log")"

say "3. kill -9. Two processes sign as fast as they can; both are killed in the middle."
"$guestbook" "$book" fill >"$here/fill1.log" &
first=$!
"$guestbook" "$book" fill >"$here/fill2.log" &
second=$!
pids+=("$first" "$second")
wait_for_lines "$here/fill1.log" 200
kill -9 "$first"
wait "$first" 2>/dev/null || true
after_first=$(wc -l <"$here/fill2.log")
wait_for_lines "$here/fill2.log" "$((after_first + 200))"
kill -9 "$second"
wait "$second" 2>/dev/null || true
acknowledged=$((3 + $(wc -l <"$here/fill1.log") + $(wc -l <"$here/fill2.log")))
echo "acknowledged before the kills: $acknowledged. The second process went on when the first was dead."
"$guestbook" "$book" read >"$here/read.log"
tail -n 1 "$here/read.log"
found=$(($(wc -l <"$here/read.log") - 1))
# A commit whose acknowledgement was not printed any more may be there too: one for each killed process.
if ((found < acknowledged || found > acknowledged + 2)); then
  echo "That is not what was acknowledged. This is a bug: please report it." >&2
  exit 1
fi
echo "Nothing that was acknowledged is missing, and no entry is there without its count."

say "4. A client that nobody here wrote. The Node.js binding for FoundationDB, from npm, reads the same folder."
engine=$(dirname "$(find "$package" -name libfdb_c.so)")
LD_LIBRARY_PATH=$engine NODE_PATH=$root/build/npm/node_modules node "$root/docs/example/guestbook.mjs" "$folder"

say "What just happened"
cat <<END
An ordinary FoundationDB program ran on a folder. The engine is $engine/libfdb_c.so:
SQLite below, FoundationDB's C interface above. On a cluster the same program takes fdb:/path/to/fdb.cluster.
The jobs layer comes on top of this; it is not there yet.

What to type next:
  $guestbook $book read
  less docs/example/guestbook.cc     the program
  tools/test.sh                      every test
END
