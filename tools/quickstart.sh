#!/usr/bin/env bash
# Shows what fdbjobs is for, on this machine and without a cluster: orders that bring jobs, workers that run them, one
# that is killed, a monitor that puts its jobs back, and every job's effect exactly once.
#
# usage: tools/quickstart.sh [--build <folder>] [--into <folder>]
#
#   --build   a build of fdbjobs to use as it is. Without it, installs what is missing and builds.
#   --into    where the installation, the example, its database and the logs go (default: build/quickstart)
#
# Leaves that folder to explore, and no process.
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "$0")/setup.sh"

orders=3000
workers=4
build=''
here=$root/build/quickstart
while (($#)); do
  case $1 in
    --build) build=$(cd "${2:?--build takes a folder}" && pwd) ;;
    --into) here=$(mkdir -p "${2:?--into takes a folder}" && cd "$2" && pwd) ;;
    *)
      echo "usage: tools/quickstart.sh [--build <folder>] [--into <folder>]" >&2
      exit 2
      ;;
  esac
  shift 2
done
programs=$here/package/bin
shop=$here/example/shop
db=embedded:$here/shop
log=$here/logs

pids=()
stop_what_we_started() {
  ((${#pids[@]} == 0)) || kill -9 "${pids[@]}" 2>/dev/null || true
}
trap stop_what_we_started EXIT
trap 'exit 130' INT TERM

bold='' plain=''
if [[ -t 1 ]]; then bold=$'\033[1m' plain=$'\033[0m'; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
fail() {
  echo "quickstart: $*" >&2
  echo "quickstart: what each process said is in $log" >&2
  exit 1
}
# show <program> <arguments>: the command as you would type it, and what it says.
show() {
  local program=$1
  shift
  echo "\$ $(basename "$program") $*"
  "$program" "$@"
}

# --- Setting up ----------------------------------------------------------------------------------------------------

say "Setting up: packages, build, installation and the example, all in $here"
# The database of an earlier run goes, and nothing else.
rm -rf "$here/shop" "$log"
mkdir -p "$log"
{
  if [[ -z $build ]]; then
    build=$root/build/release
    "$root/tools/packages.sh"
    build_preset release fdbjobs_package
  fi
  use_ccache
  cmake --install "$build" --prefix "$here/package"
  cmake -G Ninja -S "$root/docs/example" -B "$here/example" -DCMAKE_PREFIX_PATH="$here/package" \
    -DCMAKE_BUILD_TYPE=Release
  cmake --build "$here/example"
} >"$log/setup.log" 2>&1 || {
  tail -n 30 "$log/setup.log"
  fail "setting up failed; all of its output is in $log/setup.log"
}
started=$SECONDS
export FDBJOBS_DB=$db

# --- Orders --------------------------------------------------------------------------------------------------------

say "1. A shop takes $orders orders. Each order and the job that is to send its invoice are written in one transaction."
show "$shop" "$db" order "$orders"
show "$programs/fdbjobs-cli" summary

# --- Work ----------------------------------------------------------------------------------------------------------

say "2. $workers worker processes run the jobs, and fdbjobs-monitor watches over them. No server: they share a folder."
"$programs/fdbjobs-monitor" --db "$db" --metrics off >"$log/monitor.log" 2>&1 &
monitor=$!
pids+=("$monitor")
worker_pids=()
for ((i = 1; i <= workers; i++)); do
  touch "$log/worker$i.log"
  "$shop" "$db" work >"$log/worker$i.log" 2>&1 &
  worker_pids+=($!)
  echo "worker $i is process $!"
done
pids+=("${worker_pids[@]}")
"$shop" "$db" progress &
progress=$!
pids+=("$progress")

# Until worker 1 has come some way and is in the midst of jobs again. By awk and not by $(): bash may run a trap while it
# takes a substitution apart, and then it ends with an error of its own.
victim=${worker_pids[0]}
until awk '/^sent/ { n++ } { last = $0 } END { exit !(n >= 8 && last ~ /^page 1 /) }' "$log/worker1.log"; do
  kill -0 "$victim" 2>/dev/null || fail "worker 1 ended early: $(tail -n 1 "$log/worker1.log")"
  sleep 0.02
done
kill -9 "$victim"
wait "$victim" 2>/dev/null || true
left=$(awk '$1 == "took" { n += $2 } $1 == "sent" { n -= $2 } END { print n }' "$log/worker1.log")
say "3. kill -9 $victim: worker 1 is dead, with $left jobs in its hands. They stay 'running' until it has been silent for
   three seconds. Then the monitor puts them back, and the other workers take them. Look at 'longest silent'."

give_up=$((SECONDS + 120))
while kill -0 "$progress" 2>/dev/null; do
  ((SECONDS < give_up)) || fail "the jobs did not finish in time; the monitor said: $(tail -n 3 "$log/monitor.log")"
  sleep 0.1
done
wait "$progress" || fail "looking at the progress failed"
for ((i = 1; i < workers; i++)); do
  wait "${worker_pids[i]}" || fail "worker $((i + 1)) failed: $(tail -n 1 "$log/worker$((i + 1)).log")"
done
kill -TERM "$monitor"
wait "$monitor" || fail "the monitor failed: $(tail -n 3 "$log/monitor.log")"
pids=()
echo
echo "The monitor said:"
tail -n 5 "$log/monitor.log" | sed 's/^/  /'

# --- Counting ------------------------------------------------------------------------------------------------------

say "4. Every job is finished. Now we count the invoices."
show "$shop" "$db" count || fail "This is a bug: please report it, with the folder $here."

say "5. What an operator sees: the state of all jobs, and a check of every row that fdbjobs keeps."
show "$programs/fdbjobs-cli" summary
show "$programs/fdbjobs-cli" check

say "What just happened ($((SECONDS - started)) seconds)"
cat <<END
An order was never there without its job, since one transaction wrote both. A worker wrote an invoice in the transaction
that finished its job, so an invoice was sent if and only if the job was finished. When a worker was killed, its jobs were
put back, and nothing that it had half done was ever visible. On a FoundationDB cluster the same programs take
fdb:/etc/foundationdb/fdb.cluster instead of a folder; nothing else changes.

${bold}What to type next${plain}
  export PATH=$programs:$here/example:\$PATH FDBJOBS_DB=$db
  fdbjobs-cli list invoice --limit 5      the jobs themselves
  fdbjobs-cli show invoice 7              one of them
  shop \$FDBJOBS_DB order 5000; shop \$FDBJOBS_DB work & fdbjobs-cli top
                                          more of them, live; q quits
  less docs/example/shop.cc               the program
  less docs/guide.md                      how to write your own
  rm -r $here
                                          when you have seen enough
END
