# `run_python ARGUMENTS`: the interpreter of the system with the package saltus, which is built when a source has changed. Sourced by
# ./saltus; expects `root`. Does not return.

run_python() {
  local build="$root/build/release" stamp="$root/build/release/.built-python" started newer=new
  if [ -e "$stamp" ]; then
    newer=$(find "$root"/{src,include,python/src,python/saltus,python/CMakeLists.txt,cmake,library,CMakeLists.txt,CMakePresets.json,scripts/packages.sh} \
                 -newer "$stamp" -print -quit)
  fi
  if [ -n "$newer" ]; then
    . "$root/scripts/packages.sh"
    . "$root/scripts/build.sh"
    require_packages build python || exit 3
    mkdir -p "$build"
    started="$build/.started-python.$$"
    touch "$started"  # the stamp bears the time before the build: what is edited meanwhile is built next time
    echo "saltus: building the Python module (log: build/python.log) …" >&2
    if ! (cd "$root" && cmake --preset release -DSALTUS_PYTHON=ON -DSALTUS_PYTHON_EXECUTABLE=/usr/bin/python3) >"$root/build/python.log" 2>&1; then
      rm -f "$started"
      show_failure "$root/build/python.log" "configuring failed"
      exit 3
    fi
    build_preset release "$root/build/python.log" saltus_python || { rm -f "$started"; exit 3; }
    mv -f "$started" "$stamp"
  fi
  PYTHONPATH="$build/python${PYTHONPATH:+:$PYTHONPATH}" exec /usr/bin/python3 "$@"
}
