#!/usr/bin/env python3
"""Checks that every public header compiles alone: twice in one file, with nothing before it and the include folder only.

Usage: check_headers.py COMPILER [ROOT]; `check_headers.py COMPILER --self-test` shows that a header with a missing
include, one without a guard and one that includes an inner header are refused.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-x", "c++"]


def check(compiler, root):
    problems = []
    for header in sorted((root / "include").rglob("*.hpp")):
        name = header.relative_to(root / "include")
        text = f'#include "{name}"\n#include "{name}"\n'
        done = subprocess.run([compiler, *FLAGS, f"-I{root / 'include'}", "-"], input=text, text=True,
                              capture_output=True, check=False)
        if done.returncode != 0:
            problems.append(f"include/{name} does not compile alone:\n{done.stderr}")
    return problems


def self_test(compiler):
    cases = {
        "missing include": "#pragma once\ninline std::string a();\n",
        "no guard": "struct A {};\n",
        "inner header": '#pragma once\n#include "expr/graph.hpp"\n',
    }
    failures = []
    for name, text in {"good": "#pragma once\nstruct A {};\n", **cases}.items():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "include/saltus").mkdir(parents=True)
            (root / "include/saltus/a.hpp").write_text(text)
            if bool(check(compiler, root)) != (name != "good"):
                failures.append(name)
    for failure in failures:
        print(f"check_headers self-test: wrong answer for '{failure}'")
    return 1 if failures else 0


def main():
    compiler, *arguments = sys.argv[1:]
    if "--self-test" in arguments:
        return self_test(compiler)
    root = Path(arguments[0] if arguments else Path(__file__).resolve().parent.parent).resolve()
    problems = check(compiler, root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
