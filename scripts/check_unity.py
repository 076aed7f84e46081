#!/usr/bin/env python3
"""Whether the library compiles as users build it: preset release joins the files of a folder (unity build), in which names that are
local to files may clash. The compiler reads every joined file and makes nothing.

usage: check_unity.py BUILD_FOLDER         (which is made if need be)
       check_unity.py --self-test COMPILER
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def syntax_errors(command: dict) -> str:
    words = shlex.split(command["command"])
    place = words.index("-o")
    words = [w for w in words[:place] + words[place + 2:] if not w.startswith("-O")]
    if pathlib.Path(words[0]).name == "ccache":
        words = words[1:]
    result = subprocess.run(words + ["-fsyntax-only"], cwd=command["directory"], capture_output=True, text=True)
    return "" if result.returncode == 0 else result.stderr


def self_test(compiler: str) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, constant in (("a", "kOne"), ("b", "kOne"), ("c", "kTwo")):
            (folder / f"{file}.cpp").write_text(f"namespace {{ constexpr int {constant} = 1; }}\n")
        verdicts = []
        for pair in ("ab", "ac"):
            joined = folder / f"{pair}.cxx"
            joined.write_text("".join(f'#include "{file}.cpp"\n' for file in pair))
            command = f"{compiler} -O2 -std=gnu++20 -o {joined}.o -c {joined}"
            verdicts.append(bool(syntax_errors({"command": command, "directory": name})))
    return 0 if verdicts == [True, False] else 1


def main() -> int:
    if sys.argv[1] == "--self-test":
        return self_test(sys.argv[2])
    build = pathlib.Path(sys.argv[1]).resolve()
    if build == ROOT:
        print("the build folder is not the source folder: check_unity.py build/unity")
        return 2
    configured = subprocess.run(
        ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSALTUS_DEVELOPER_MODE=OFF",
         "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"],
        capture_output=True, text=True)
    if configured.returncode != 0:
        print(configured.stdout + configured.stderr)
        return 1
    commands = [c for c in json.loads((build / "compile_commands.json").read_text())
                if "/Unity/" in c["file"] and "/src/CMakeFiles/" in c["file"]]
    if not commands:
        print("no joined files: SALTUS_UNITY is off in the release preset?")
        return 1
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [e for e in pool.map(syntax_errors, commands) if e]
    for error in errors:
        print(error)
    print(f"{len(commands)} joined files, {len(errors)} with errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
