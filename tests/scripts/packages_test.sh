#!/usr/bin/env bash
# scripts/packages.sh with stand-ins for dpkg-query, apt-get and id: what is installed, when, and what is said when it fails.
# Usage: packages_test.sh FOLDER_OF_THE_REPOSITORY
set -u
source_root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
export PATH="$work/bin:$PATH"
failures=0

stand_in() { printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"; chmod +x "$work/bin/$1"; }
expect() {  # expect DESCRIPTION CONDITION...
  local description=$1
  shift
  if ! "$@"; then echo "packages_test: failed: $description"; failures=$((failures + 1)); fi
}
fresh() { rm -rf "$work/root" "$work/calls"; mkdir -p "$work/root"; touch "$work/calls"; }
require() { (root="$work/root"; . "$source_root/scripts/packages.sh"; require_packages "$@") >"$work/out" 2>&1; }

stand_in id 'echo 0'
stand_in apt-get "echo apt-get \"\$@\" >>'$work/calls'"
stand_in dpkg-query 'case "${@: -1}" in libsundials-dev) exit 1 ;; libboost-dev) printf "rc " ;; *) printf "ii " ;; esac'

fresh
require build; code=$?
expect "nothing missing: success" [ $code -eq 0 ]
expect "nothing missing: apt-get is not called" [ ! -s "$work/calls" ]
expect "nothing missing: silent" [ ! -s "$work/out" ]

fresh
require build bench; code=$?
expect "missing: success" [ $code -eq 0 ]
expect "missing: the list is updated first" grep -q '^apt-get update' "$work/calls"
expect "missing: only what is missing, removed packages included" \
  grep -qE '^apt-get install -y --no-install-recommends libsundials-dev libboost-dev$' "$work/calls"
expect "missing: said" grep -q 'installing missing packages: libsundials-dev libboost-dev' "$work/out"
: >"$work/calls"
require build bench
expect "second time: nothing is asked or done" [ ! -s "$work/calls" ]

fresh
stand_in id 'echo 1000'
stand_in sudo "echo sudo \"\$@\" >>'$work/calls'; exec \"\$@\""
require bench
expect "not root: by sudo" grep -q '^sudo .*apt-get install' "$work/calls"

fresh
stand_in apt-get 'echo "Temporary failure resolving"; exit 100'
require bench; code=$?
expect "offline: failure" [ $code -ne 0 ]
expect "offline: apt's words are shown" grep -q 'Temporary failure resolving' "$work/out"
expect "offline: says what is missing and asks for the network" grep -q 'is there a network connection' "$work/out"
require bench; code=$?
expect "offline: a failure is not remembered as success" [ $code -ne 0 ]

exit $((failures > 0))
