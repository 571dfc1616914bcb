#!/usr/bin/env bash
# Runs tools/quickstart.sh on the build at hand, once to its end and once until it is stopped in the midst. Engine only.
#
# usage: quickstart_test.sh <source folder> <build folder>
set -euo pipefail

source=$1
build=$2
quickstart=$source/tools/quickstart.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAIL: $*" >&2
  cat "$work"/*.log >&2
  exit 1
}

# has <expression>: the quick start said it.
has() { grep -qE -- "$1" "$work/said.log" || fail "it did not say: $1"; }
# wait_until <command>: a minute at most.
wait_until() {
  local give_up=$((SECONDS + 60))
  until "$@"; do
    ((SECONDS < give_up)) || fail "waited in vain for: $*"
    sleep 0.05
  done
}
# Every process of the quick start has a path of its folder among its arguments.
no_process_is_left() {
  local file arguments
  for file in /proc/[0-9]*/cmdline; do
    # A process may end while we look.
    arguments=$(tr '\0' ' ' 2>/dev/null <"$file") || continue
    [[ $arguments != *"$work/here/"* ]] || return 1
  done
}

echo "== what it does not understand changes nothing"
status=0
"$quickstart" --into "$work/here" --hurry 2>"$work/usage.log" || status=$?
((status == 2)) || fail "status $status for an unknown option"
grep -q '^usage:' "$work/usage.log" || fail "it does not say how it is used"

echo "== to its end"
"$quickstart" --build "$build" --into "$work/here" >"$work/said.log" 2>&1 || fail "it ended with status $?"
has '3000 orders placed, each with its job in the same transaction'
has 'worker 1 is dead, with [1-9][0-9]* jobs in its hands'
has 'longest silent: .*"page":1'
has 'their jobs were put back'
has 'pending 0, running 0, finished 3000'
has 'Each order has exactly one invoice.'
has 'rows checked, 0 violations'
has 'What to type next'
no_process_is_left || fail "a process is left"
"$work/here/example/shop" "embedded:$work/here/shop" count >"$work/count.log" || fail "the folder it left can't be used"

echo "== stopped in the midst"
# What the first run said must not be taken for the second's, which may be slow to begin.
rm "$work/said.log"
"$quickstart" --build "$build" --into "$work/here" >"$work/said.log" 2>&1 &
pid=$!
wait_until grep -qs '^worker 4 is process' "$work/said.log"
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
((status == 130)) || fail "status $status when it was stopped"
wait_until no_process_is_left
echo "ok"
