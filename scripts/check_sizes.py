#!/usr/bin/env python3
"""Checks the length of source files, more than 800 lines fails, more than 500 is printed as a warning; and that no folder of src has more
than 40 files.

Coefficient tables and generated data (`_table` or `_generated` in the name) are exempt.
Usage: check_sizes.py [ROOT]; `check_sizes.py --self-test`.
"""

import sys
import tempfile
from pathlib import Path

TREES = ("src", "include", "tools", "tests", "bench", "fuzz", "python", "scripts", "cmake", "examples")
SUFFIXES = (".hpp", ".cpp", ".h", ".py", ".sh", ".cmake", ".mo", ".saltus")
WARN_LINES = 500
FAIL_LINES = 800
FAIL_FILES = 40


def check(root):
    """Lists of failures and of warnings."""
    failures, warnings = [], []
    for tree in TREES:
        for path in sorted((root / tree).rglob("*")):
            if path.suffix not in SUFFIXES or "_table" in path.stem or "_generated" in path.stem:
                continue
            n_lines = len(path.read_bytes().splitlines())
            text = f"{path.relative_to(root)}: {n_lines} lines"
            if n_lines > FAIL_LINES:
                failures.append(f"{text} (more than {FAIL_LINES}: the file has more than one subject)")
            elif n_lines > WARN_LINES:
                warnings.append(f"{text} (think about splitting it)")
    for folder in sorted(p for p in (root / "src").rglob("*") if p.is_dir()):
        n_files = sum(1 for p in folder.iterdir() if p.is_file())
        if n_files > FAIL_FILES:
            failures.append(f"{folder.relative_to(root)}: {n_files} files (more than {FAIL_FILES}: the folder has more than one subject)")
    return failures, warnings


def self_test():
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "src/a").mkdir(parents=True)
        (root / "src/a/long.cpp").write_text("\n" * (FAIL_LINES + 1))
        (root / "src/a/middle.cpp").write_text("\n" * FAIL_LINES)
        (root / "src/a/short.cpp").write_text("\n" * WARN_LINES)
        (root / "src/a/dopri5_table.cpp").write_text("\n" * (FAIL_LINES + 1))
        (root / "src/b").mkdir()
        for i in range(FAIL_FILES + 1):
            (root / f"src/b/{i}.cpp").write_text("")
        failures, warnings = check(root)
    good = len(failures) == 2 and "long.cpp" in failures[0] and "src/b:" in failures[1] and len(warnings) == 1 and "middle.cpp" in warnings[0]
    if not good:
        print(f"check_sizes self-test: {failures} {warnings}")
    return 0 if good else 1


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent).resolve()
    failures, warnings = check(root)
    for line in warnings:
        print(f"warning: {line}")
    for line in failures:
        print(f"error: {line}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
