#!/usr/bin/env python3
"""Checks the includes of src/, include/ and tools/ against scripts/layers.toml.

Fails on: an include of a folder or library that the table does not allow, a folder or room that is not in the table, an include of
a later room of the same folder, a cycle between folders in the table, a cycle between headers, and a DEPENDS edge of
src/CMakeLists.txt that is not in the table.
Usage: check_layers.py [ROOT]; `check_layers.py --self-test` shows that each of these is found in a bad tree.
"""

import re
import sys
import tempfile
import tomllib
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
DEPENDS = re.compile(r"saltus_library\(\s*(\w+)((?:[^()]|\n)*)\)")


def find_cycle(edges):
    """One cycle of a directed graph given as {node: iterable of nodes}, as a list of nodes, or None."""
    state = {}
    for start in sorted(edges):
        if start in state:
            continue
        state[start] = "open"
        path = [start]
        stack = [iter(sorted(edges.get(start, ())))]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                state[path.pop()] = "done"
            elif state.get(node) == "open":
                return path[path.index(node):] + [node]
            elif node not in state and node in edges:
                state[node] = "open"
                path.append(node)
                stack.append(iter(sorted(edges[node])))
    return None


def source_files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".hpp", ".cpp", ".h"))


class Checker:
    def __init__(self, root):
        self.root = root
        table = tomllib.loads((root / "scripts/layers.toml").read_text())
        self.folders = table["folders"]
        self.trees = table["trees"]
        self.external = table["external"]
        self.rooms = table.get("rooms", {})
        self.public_owner = {name: folder for folder, names in table["public"].items() for name in names}
        self.problems = []
        self.header_edges = {}

    def report(self, path, line, message):
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def library_of(self, include):
        for name, entry in self.external.items():
            if any(include == p or (p.endswith("/") and include.startswith(p)) for p in entry["prefixes"]):
                return name
        return None

    def check_file(self, path, owner, rule):
        """owner: a folder of src, or a tree; rule: its entry in the table."""
        text = path.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            quote, include = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            if quote == "<" and "/" not in include and self.library_of(include) is None:
                continue  # the standard library, and the system's headers in the tool
            if include.startswith("sys/"):
                continue
            library = self.library_of(include)
            if library is not None:
                if library not in rule["external"]:
                    self.report(path, line, f"{owner} may not include <{include}> ({library})")
                elif self.external[library]["only"] == "cpp" and path.suffix != ".cpp":
                    self.report(path, line, f"<{include}> ({library}) may be included in .cpp files only")
                continue
            self.check_own(path, line, owner, rule, include)

    def room_of(self, folder, path):
        """The place of a file's room in the order of its folder, or None: the room is not in the table."""
        order = self.rooms.get(folder, ["."])
        parts = path.relative_to(self.root / "src" / folder).parts
        room = parts[0] if len(parts) > 1 else "."
        return order.index(room) if room in order else None

    def check_room(self, path, line, folder, target, include):
        own, other = self.room_of(folder, path), self.room_of(folder, target)
        if own is not None and other is not None and other > own:
            self.report(path, line, f'"{include}" is in a later room of {folder}')

    def check_own(self, path, line, owner, rule, include):
        first, _, rest = include.partition("/")
        if first == "saltus":
            folder = self.public_owner.get(Path(rest).stem, "api")
            target = self.root / "include" / include
            allowed = "public" in rule["includes"] or folder == owner or folder in rule["includes"] or folder == "base"
        else:
            folder = first
            target = self.root / "src" / include
            if folder not in self.folders:
                # A header beside the including file (tools, private headers of a tree).
                if (path.parent / include).exists():
                    return
                self.report(path, line, f'"{include}" is in no known folder')
                return
            allowed = folder == owner or folder in rule["includes"]
        if not allowed:
            self.report(path, line, f'{owner} may not include "{include}" ({folder})')
        if not target.exists():
            self.report(path, line, f'"{include}" does not exist')
            return
        if folder == owner and first != "saltus":
            self.check_room(path, line, folder, target, include)
        if path.suffix == ".hpp":
            self.header_edges.setdefault(str(path.relative_to(self.root)), set()).add(
                str(target.relative_to(self.root)))

    def check_cmake(self):
        listing = self.root / "src/CMakeLists.txt"
        text = re.sub(r"#.*", "", listing.read_text())
        for match in DEPENDS.finditer(text):
            name, arguments = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            words = arguments.split()
            if name not in self.folders:
                self.report(listing, line, f"target {name} is not in scripts/layers.toml")
                continue
            depends = words[words.index("DEPENDS") + 1:] if "DEPENDS" in words else []
            if "LINK" in depends:
                depends = depends[:depends.index("LINK")]
            for dependency in depends:
                if dependency not in self.folders[name]["includes"]:
                    self.report(listing, line, f"{name} may not depend on {dependency}")

    def run(self):
        cycle = find_cycle({name: set(rule["includes"]) for name, rule in self.folders.items()})
        if cycle:
            self.problems.append("scripts/layers.toml: cycle of folders: " + " -> ".join(cycle))
        src = self.root / "src"
        for folder in sorted(p for p in src.iterdir() if p.is_dir()):
            if folder.name not in self.folders:
                self.report(folder, 1, "folder is not in scripts/layers.toml")
                continue
            for path in source_files(folder):
                if self.room_of(folder.name, path) is None:
                    self.report(path, 1, f"its room of {folder.name} is not in scripts/layers.toml")
                self.check_file(path, folder.name, self.folders[folder.name])
        for tree, rule in self.trees.items():
            for path in source_files(self.root / tree):
                self.check_file(path, tree, rule)
        self.check_cmake()
        cycle = find_cycle(self.header_edges)
        if cycle:
            self.problems.append("cycle of headers: " + " -> ".join(cycle))
        return self.problems


def self_test():
    real = Path(__file__).resolve().parent / "layers.toml"

    def problems(files, layers=None):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            good = {
                "scripts/layers.toml": layers or real.read_text(),
                "src/CMakeLists.txt": "saltus_library(base)\nsaltus_library(expr DEPENDS base LINK fmt::fmt)\n",
                "src/base/ids.hpp": "#include <vector>\n",
                "src/expr/graph.hpp": '#include "base/ids.hpp"\n#include "saltus/result.hpp"\n',
                "include/saltus/result.hpp": "#include <variant>\n",
                "include/saltus/model.hpp": '#include "saltus/result.hpp"\n',
                "tools/saltus/main.cpp": '#include <CLI/CLI.hpp>\n#include "saltus/model.hpp"\n',
            }
            for path, text in (good | files).items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return Checker(root).run()

    cases = [
        ("upward include", {"src/base/ids.hpp": '#include "expr/graph.hpp"\n'}, "base may not include"),
        ("other tower", {"src/expr/a.cpp": '#include "linalg/dense.hpp"\n', "src/linalg/dense.hpp": ""},
         "expr may not include"),
        ("library not allowed", {"src/expr/a.cpp": "#include <Eigen/Dense>\n"}, "(eigen)"),
        ("library in a header", {"src/expr/graph.hpp": "#include <fmt/format.h>\n"}, ".cpp files only"),
        ("inner header in a public one", {"include/saltus/model.hpp": '#include "expr/graph.hpp"\n'},
         "include/saltus may not include"),
        ("inner header in the tool", {"tools/saltus/main.cpp": '#include "base/ids.hpp"\n'},
         "tools/saltus may not include"),
        ("api header in a folder below", {"src/expr/a.cpp": '#include "saltus/model.hpp"\n'}, "(api)"),
        ("missing header", {"src/expr/a.cpp": '#include "base/nothing.hpp"\n'}, "does not exist"),
        ("unknown folder", {"src/other/a.hpp": ""}, "not in scripts/layers.toml"),
        ("unknown room", {"src/expr/attic/a.hpp": ""}, "its room of expr is not"),
        ("later room", {"src/program/vm/a.cpp": '#include "program/guards/b.hpp"\n', "src/program/guards/b.hpp": ""},
         "later room of program"),
        ("header cycle", {"src/base/ids.hpp": '#include "base/b.hpp"\n', "src/base/b.hpp": '#include "base/ids.hpp"\n'},
         "cycle of headers"),
        ("CMake edge", {"src/CMakeLists.txt": "saltus_library(expr\n  DEPENDS base linalg)\n"},
         "expr may not depend on linalg"),
    ]
    failures = []
    if problems({}):
        failures.append(f"the good tree is refused: {problems({})}")
    for name, files, expected in cases:
        found = problems(files)
        if not any(expected in p for p in found):
            failures.append(f"{name}: expected '{expected}', found {found}")
    cyclic = real.read_text().replace('base = { includes = []', 'base = { includes = ["expr"]')
    if not any("cycle of folders" in p for p in problems({}, cyclic)):
        failures.append("cycle in the table is not found")
    for failure in failures:
        print(f"check_layers self-test: {failure}")
    return 1 if failures else 0


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent).resolve()
    problems = Checker(root).run()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
