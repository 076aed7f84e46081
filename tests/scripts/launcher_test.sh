#!/usr/bin/env bash
# ./saltus in a tree with a stand-in for ninja: when it builds, and that arguments, folder and exit code are passed on.
# Usage: launcher_test.sh FOLDER_OF_THE_REPOSITORY
set -u
source_root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
expect() {
  local description=$1
  shift
  if ! "$@"; then echo "launcher_test: failed: $description"; failures=$((failures + 1)); fi
}

root="$work/with space"
mkdir -p "$root"/{scripts,src/base,include,tools,cmake,examples,build/release} "$work/bin" "$work/elsewhere"
cp "$source_root/saltus" "$root"
cp "$source_root"/scripts/{packages,build}.sh "$root/scripts"
touch "$root"/{CMakeLists.txt,CMakePresets.json,src/base/a.cpp}
export PATH="$work/bin:$PATH"
printf '#!/bin/bash\nprintf "ii "\n' >"$work/bin/dpkg-query"
printf '#!/bin/bash\ntouch build/release/build.ninja build/release/CMakeCache.txt\n' >"$work/bin/cmake"
# Builds a program that prints its folder and arguments and ends with exit code 7.
cat >"$work/bin/ninja" <<'END'
#!/bin/bash
echo built >>"$NINJA_CALLS"
[ -e "$NINJA_CALLS.fail" ] && { echo "a.cpp:1: error: broken"; exit 1; }
mkdir -p "$2/tools/saltus"
printf '#!/bin/bash\npwd\nprintf "<%%s>" "$@"\nexit 7\n' >"$2/tools/saltus/saltus"
chmod +x "$2/tools/saltus/saltus"
END
chmod +x "$work/bin"/*
export NINJA_CALLS="$work/calls"
touch "$NINJA_CALLS"
builds() { wc -l <"$NINJA_CALLS"; }

cd "$work/elsewhere" || exit 3
output=$("$root/saltus" run "a b" '' 2>"$work/err"); code=$?
expect "first start builds" [ "$(builds)" -eq 1 ]
expect "exit code is passed on" [ $code -eq 7 ]
expect "folder and arguments are passed on" [ "$output" = "$work/elsewhere"$'\n'"<run><a b><>" ]
"$root/saltus" >/dev/null 2>"$work/err"
expect "second start does not build" [ "$(builds)" -eq 1 ]
expect "second start is silent" [ ! -s "$work/err" ]
sleep 0.02; touch "$root/src/base/a.cpp"; "$root/saltus" >/dev/null 2>&1
expect "a changed file builds" [ "$(builds)" -eq 2 ]
sleep 0.02; rm "$root/src/base/a.cpp"; "$root/saltus" >/dev/null 2>&1
expect "a deleted file builds" [ "$(builds)" -eq 3 ]
sleep 0.02; touch "$root/src/base/b.cpp" "$NINJA_CALLS.fail"; "$root/saltus" >"$work/out" 2>"$work/err"; code=$?
expect "a failed build: exit code 3" [ $code -eq 3 ]
expect "a failed build shows the error" grep -q 'a.cpp:1: error: broken' "$work/err"
expect "a failed build prints nothing to standard output" [ ! -s "$work/out" ]
rm "$NINJA_CALLS.fail"; "$root/saltus" >/dev/null 2>&1
expect "a failed build is tried again" [ "$(builds)" -eq 5 ]

exit $((failures > 0))
