#!/usr/bin/env bash
# Installs the Debian packages that the build, the tests and the quickstart need. Does nothing when all are there.
#
# usage: tools/packages.sh
set -euo pipefail

# docs/dependencies.md says what each is for.
wanted=(
  g++ cmake ninja-build pkg-config ccache
  libabsl-dev libsqlite3-dev libxxhash-dev libcli11-dev libsimdjson-dev
  libspdlog-dev prometheus-cpp-dev libcivetweb-dev
  libgtest-dev libgmock-dev
  clang libclang-rt-dev
  ca-certificates
)

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [[ $status == 'install ok installed' ]] || missing+=("$package")
done
# Node.js may have come from elsewhere, so look for the programs and not for Debian's packages.
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)

((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "These Debian packages are missing, and this is neither root nor a user with sudo:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

# Somebody else may be at it, such as the upgrades that a fresh machine starts by itself: wait for them.
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -q -y --no-install-recommends "${missing[@]}"
