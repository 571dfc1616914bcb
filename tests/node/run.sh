#!/usr/bin/env bash
# Runs a Node test on the database under test.
#
# usage: run.sh <folder of the embedded libfdb_c.so> <folder of node_modules> <script> [arguments]
#
# FDBJOBS_TEST_DB       fdb:/path/to/fdb.cluster: the system's libfdb_c.so on that cluster. embedded:/folder: our engine
#                       on that folder. Unset: our engine on a fresh folder, which is removed at the end.
# FDBJOBS_NODE_PRELOAD  the runtime of a sanitizer, since node itself is built without
#
# The script finds the database in FDB_CLUSTER_FILE, as any FoundationDB client does, and npm packages by `require`.
# FDBJOBS_TEST_DB has its name, for C++ programs that the script starts.
set -euo pipefail

engine=$1
modules=$2
shift 2

if [[ ! -d $modules/foundationdb ]]; then
  echo "The npm packages of tests/node/package-lock.json are not in $modules: tools/test.sh installs them." >&2
  exit 1
fi

database=${FDBJOBS_TEST_DB:-}
if [[ -z $database ]]; then
  fresh=$(mktemp -d)
  trap 'rm -rf "$fresh"' EXIT
  database=embedded:$fresh
fi

run=(env "FDBJOBS_TEST_DB=$database" "NODE_PATH=$modules:$(dirname "${BASH_SOURCE[0]}")/stand_in")
case $database in
  fdb:) ;;
  fdb:*) run+=("FDB_CLUSTER_FILE=${database#fdb:}") ;;
  embedded:*) run+=("FDB_CLUSTER_FILE=${database#embedded:}" "LD_LIBRARY_PATH=$engine${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}") ;;
  *)
    echo "FDBJOBS_TEST_DB must begin with fdb: or embedded:, and is $database" >&2
    exit 1
    ;;
esac
[[ -z ${FDBJOBS_NODE_PRELOAD:-} ]] || run+=("LD_PRELOAD=$FDBJOBS_NODE_PRELOAD")

"${run[@]}" node "$@"
