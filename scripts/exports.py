#!/usr/bin/env python3
"""The symbols that libsaltus.so shows: those of the public headers, as a version script for the linker.

    exports.py --write      writes cmake/saltus.map
    exports.py --check DIR  whether the one of DIR is up to date
    exports.py --self-test

A name of include/saltus that a .cpp file defines: functions of the namespace saltus (friends of a class among them), and classes and structs with everything that belongs to
them (functions, nested types, the table of virtual functions, the type that a catch needs). Patterns are matched by the linker against
demangled names.
"""
import pathlib
import re
import sys

HEAD = "# Written by scripts/exports.py --write: what the public headers declare.\n"
TYPE = re.compile(r"^(?:class|struct) (\w+)(?: final)?(?: :[^{;]*)? \{", re.M)
FUNCTION = re.compile(r"^(?!using |namespace |template |class |struct |enum |friend |#|//|\}|inline |constexpr )[^\n(]*?\b(operator[^\s(]+|\w+)\(", re.M)

FRIEND = re.compile(r"^  friend [^\n({]*?\b(operator[^\s(]+|\w+)\([^{;]*\);", re.M)  # defined elsewhere


def declared(text):
    """Types and functions of the namespace saltus itself; what stands in namespaces within it is not for users."""
    text = re.sub(r"//[^\n]*", "", text)
    inside = re.search(r"^namespace saltus \{\n(.*)^\}", text, re.M | re.S)
    if not inside:
        return set(), set()
    friends = set(FRIEND.findall(inside.group(1)))
    depth, outer = 0, []
    for line in inside.group(1).split("\n"):
        if depth == 0:
            outer.append(line)
        depth += line.count("{") - line.count("}")
    outer = "\n".join(outer)
    functions = set(FUNCTION.findall(outer)) - {"void"}  # function<void(…)>
    return set(TYPE.findall(outer)), functions | friends


def version_script(root):
    types, functions = set(), set()
    for header in sorted((root / "include/saltus").glob("*.hpp")):
        more_types, more_functions = declared(header.read_text())
        types |= more_types
        functions |= more_functions
    lines = [HEAD + "{\n  global:\n    extern \"C++\" {\n"]
    for name in sorted(types):
        lines.append(f"      saltus::{name}::*;\n")
        for what in ("vtable", "typeinfo", "typeinfo name"):
            lines.append(f'      "{what} for saltus::{name}";\n')
    # Parentheses and the signs of operators cannot be written in a pattern.
    patterns = {"operator*" if name.startswith("operator") else name + "[!a-zA-Z0-9_]*" for name in functions}
    lines += [f"      saltus::{pattern};\n" for pattern in sorted(patterns)]
    lines.append("      saltus::detail::*;\n")  # that templates of the headers call
    lines.append("    };\n  local: *;\n};\n")
    return "".join(lines)


def self_test():
    types, functions = declared(
        "namespace saltus {\nnamespace api {\nstruct Inner {\n};\n}\nclass A final : public B {\n  int f();\n  friend A sum(const A& a);\n  friend A same(const A& a) { return a; }\n};\n"
        "struct D {\n  int x = 0;\n};\n[[nodiscard]] Result<A> make(\n    int x);\nbool operator+(const A& a);\ninline int g() {\n  return h();\n}\n}\n")
    assert types == {"A", "D"}, types
    assert functions == {"make", "operator+", "sum"}, functions


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent.parent)
    target = root / "cmake/saltus.map"
    wanted = version_script(root)
    if sys.argv[1:2] == ["--write"]:
        target.write_text(wanted)
        return 0
    if not target.exists() or target.read_text() != wanted:
        print("cmake/saltus.map is not what the public headers declare: scripts/exports.py --write")
        return 1
    return 0


sys.exit(main())
