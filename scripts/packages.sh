# The Debian 12 packages saltus needs, in groups, and `require_packages GROUP...`, which installs what is missing.
# Sourced by ./saltus, ./test and bench/run; expects `root` (the folder of the repository).

packages_build="cmake ninja-build g++ libfmt-dev libsuitesparse-dev libcli11-dev nlohmann-json3-dev"
packages_python="pybind11-dev python3-dev python3-numpy python3-pandas python3-matplotlib"
packages_test="pkg-config libeigen3-dev libgtest-dev libgmock-dev python3 $packages_python python3-scipy python3-pip python3-venv"
packages_bench="libsundials-dev libboost-dev"
packages_clang="clang"
packages_tidy="clang clang-tidy clang-format"

# Prints those of the given packages that dpkg does not report as installed.
missing_packages() {
  local name
  for name in "$@"; do
    if [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$name" 2>/dev/null)" != "ii " ]; then
      echo "$name"
    fi
  done
}

require_packages() {
  local group names="" stamp missing log="$root/build/packages.log"
  for group in "$@"; do
    group="packages_$group"
    names="$names ${!group}"
  done
  # One stamp for each distinct list: a changed list, or an emptied build folder, checks anew.
  stamp="$root/build/.packages-$(cksum <<<"$names" | cut -d' ' -f1)"
  [ -e "$stamp" ] && return 0
  mkdir -p "$root/build"
  if ! command -v dpkg-query >/dev/null; then
    echo "saltus: this is not a Debian system; the libraries behind these packages must be present:$names" >&2
    touch "$stamp"
    return 0
  fi
  missing=$(missing_packages $names | tr '\n' ' ')
  if [ -n "$missing" ]; then
    echo "saltus: installing missing packages: $missing" >&2
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
      if ! command -v sudo >/dev/null; then
        echo "saltus: neither root nor sudo here; as root, run: apt-get install -y $missing" >&2
        return 1
      fi
      as_root=(sudo)
    fi
    if ! { "${as_root[@]}" apt-get update &&
           "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
         </dev/null >"$log" 2>&1; then
      tail -n 15 "$log" >&2
      echo "saltus: could not install: $missing" >&2
      echo "saltus: is there a network connection? The whole output is in $log" >&2
      return 1
    fi
  fi
  touch "$stamp"
}
