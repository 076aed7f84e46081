# `build_preset PRESET LOG [ninja arguments]`: configures a preset when that is needed and builds it on all cores.
# Output goes to the log; it is shown only when something fails. Sourced by ./saltus, ./test and bench/run; expects `root`.

build_preset() {
  local preset=$1 log=$2
  shift 2
  local folder="$root/build/$preset"
  mkdir -p "$folder"
  # Two commands started at once must not build in one folder at the same time.
  exec 9>"$folder/.lock"
  flock 9
  if [ ! -e "$folder/build.ninja" ] || [ "$root/CMakePresets.json" -nt "$folder/CMakeCache.txt" ]; then
    if ! (cd "$root" && cmake --preset "$preset") >"$log" 2>&1; then
      show_failure "$log" "configuring the preset '$preset' failed"
      return 1
    fi
  fi
  if ! ninja -C "$folder" "$@" >"$log" 2>&1; then
    show_failure "$log" "building the preset '$preset' failed"
    return 1
  fi
  exec 9>&-
}

show_failure() {
  # The first errors say most; ninja puts what failed under a FAILED line.
  grep -nE -A 12 'FAILED:|CMake Error|error:' "$1" | head -n 80 >&2
  echo "saltus: $2; the whole output is in $1" >&2
}
