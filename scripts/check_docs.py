#!/usr/bin/env python3
"""Checks that the documents and the sources speak of the same things.

* every path in docs/architecture.md exists, and every folder of src/ and every room of scripts/layers.toml is in it;
* citation keys such as [HNW93] in comments are in docs/references.bib;
* every DiagnosticCode constant has a section `## code` in docs/diagnostics/*.md and occurs in a test, and every section
  belongs to a constant;
* files of tests/ that comments name ("Checked by") exist;
* links in README.md and docs/ lead to existing files;
* docs/command-line.md has the options of the program, and no others;
* docs/requirements.md has every row once, and the tests it names exist.

Usage: check_docs.py [ROOT]; `check_docs.py --self-test` shows that each of these is found in a bad tree.
"""

import re
import sys
import tempfile
import tomllib
from pathlib import Path

SOURCE_TREES = ("src", "include", "tools", "tests", "bench", "fuzz", "docs/math")
SOURCE_SUFFIXES = (".hpp", ".cpp", ".h", ".md", ".mo", ".saltus")
CITATION = re.compile(r"\[([A-Z][A-Za-z]{0,8}[0-9]{2}[a-z]?)\]")
CODE = re.compile(r'DiagnosticCode\s+k\w+\s*\{\s*"([^"]+)"')
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`([^`\n]+)`")
# Codes that no test can provoke: a bug of saltus would be needed.
UNPROVOKABLE = {"internal-error"}
ROWS = {"G": 22, "D": 13, "S": 16, "C": 38, "W": 53, "T": 14, "P": 9}


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def sources(root, trees, suffixes):
    for tree in trees:
        for path in sorted((root / tree).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


def check_architecture(root):
    text = read(root / "docs/architecture.md")
    mentioned = {q.rstrip("/") for q in QUOTED.findall(text) if re.fullmatch(r"[\w.\-]+(/[\w.\-]+)*/?", q) and "/" in q}
    for path in sorted(mentioned):
        if not (root / path).exists():
            yield f"docs/architecture.md: {path} does not exist"
    for folder in sorted((root / "src").iterdir()):
        if folder.is_dir() and f"src/{folder.name}" not in mentioned:
            yield f"docs/architecture.md: src/{folder.name} is not listed"
    layers = root / "scripts/layers.toml"
    for folder, rooms in tomllib.loads(read(layers)).get("rooms", {}).items() if layers.exists() else ():
        for room in rooms:
            if room != "." and f"src/{folder}/{room}" not in mentioned:
                yield f"docs/architecture.md: the room src/{folder}/{room} is not listed"


def check_citations(root):
    known = set(re.findall(r"^@\w+\{([^,\s]+),", read(root / "docs/references.bib"), re.MULTILINE))
    for path in sources(root, SOURCE_TREES, SOURCE_SUFFIXES):
        for number, line in enumerate(read(path).splitlines(), 1):
            if path.suffix != ".md":
                # Only comments: `x[N10]` in code is a subscript.
                start = min((i for i in (line.find("//"), line.find("/*")) if i >= 0), default=-1)
                stripped = line.lstrip()
                if start < 0 and not stripped.startswith("*"):
                    continue
                line = line[max(start, 0):]
            for key in CITATION.findall(line):
                if key not in known:
                    yield f"{path.relative_to(root)}:{number}: [{key}] is not in docs/references.bib"


def check_codes(root):
    defined = {}
    for path in sources(root, ("src", "tools"), (".hpp", ".cpp")):
        for code in CODE.findall(read(path)):
            defined.setdefault(code, path.relative_to(root))
    sections = {}
    for path in sorted((root / "docs/diagnostics").glob("*.md")):
        for code in re.findall(r"^## (\S+)\s*$", read(path), re.MULTILINE):
            if code in sections:
                yield f"docs/diagnostics/{path.name}: second section '## {code}'"
            sections[code] = path.name
    tests = "\n".join(read(p) for p in sources(root, ("tests",), (".cpp", ".hpp", ".test", ".py")))
    for code, path in sorted(defined.items()):
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code):
            yield f"{path}: code '{code}' is not in kebab-case"
        if code not in sections:
            yield f"{path}: code '{code}' has no section in docs/diagnostics/"
        if code not in UNPROVOKABLE and not re.search(rf"(?<![\w-]){re.escape(code)}(?![\w-])", tests):
            yield f"{path}: code '{code}' occurs in no test"
    for code, name in sorted(sections.items()):
        if code not in defined:
            yield f"docs/diagnostics/{name}: section '## {code}' belongs to no code"


def check_named_tests(root):
    for path in sources(root, ("src", "include"), (".hpp", ".cpp")):
        for name in re.findall(r"tests/[\w/]+\.(?:cpp|hpp|py)", read(path)):
            if not (root / name).exists():
                yield f"{path.relative_to(root)}: {name} does not exist"


def check_links(root):
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        for target in LINK.findall(read(path)):
            if "://" in target or target.startswith("#"):
                continue
            if not (path.parent / target.split("#")[0]).exists():
                yield f"{path.relative_to(root)}: link to {target} leads nowhere"


def check_options(root):
    program = "".join(read(p) for p in sources(root, ("tools/saltus",), (".cpp", ".hpp")))
    tables = "".join(re.findall(r"k(?:Simulation|Fit|Gradient|Optimize|Sweep)Options\[\] = \{(.*?)\n\};", program, re.DOTALL))
    known = {f"--{name}" for name in re.findall(r'\{"([a-z-]+)",', tables)}
    for names in re.findall(r'"((?:-\w,)?--[a-z-]+(?:,--[a-z-]+)*)"', program):
        known |= {name for name in names.split(",") if name.startswith("--")}
    api = "".join(read(p) for p in sources(root, ("src/api",), (".cpp",)))
    planned = re.search(r"planned_options\(\) \{.*?\{(.*?)\}", api, re.DOTALL)
    known |= {f"--{name}" for name in re.findall(r'"([a-z-]+)"', planned.group(1) if planned else "")}
    page = root / "docs/command-line.md"
    shown = set(re.findall(r"(--[a-z][a-z-]*)", read(page))) if page.exists() else set()
    for name in sorted(known - shown - {"--version"}):
        yield f"docs/command-line.md: the option {name} of the program is missing"
    for name in sorted(shown - known):
        yield f"docs/command-line.md: the program has no option {name}"


def check_requirements(root):
    defined = set()
    for path in sources(root, ("tests",), (".cpp", ".hpp")):
        for suite, name in re.findall(r"\bTEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", read(path)):
            defined.add(f"{suite}.{name}")
    seen = {}
    for number, line in enumerate(read(root / "docs/requirements.md").splitlines(), 1):
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if not line.startswith("|") or not re.fullmatch(r"[GDSCWTP][0-9]+", cells[0]):
            continue
        where = f"docs/requirements.md:{number}"
        if len(cells) != 3:
            yield f"{where}: row {cells[0]} has {len(cells)} columns, not 3"
            continue
        if cells[0] in seen:
            yield f"{where}: row {cells[0]} is there twice"
        seen[cells[0]] = True
        for test in QUOTED.findall(cells[2]):
            if "/" in test:
                if not (root / test).exists():
                    yield f"{where}: {cells[0]} names {test}, which does not exist"
            elif test not in defined:
                yield f"{where}: {cells[0]} names the test {test}, which does not exist"
    for letter, count in ROWS.items():
        for i in range(1, count + 1):
            if f"{letter}{i}" not in seen:
                yield f"docs/requirements.md: row {letter}{i} is missing"


CHECKS = (check_architecture, check_citations, check_codes, check_named_tests, check_links, check_options,
          check_requirements)


def self_test():
    rows = "\n".join(f"| {letter}{i} | what | |" for letter, n in ROWS.items() for i in range(1, n + 1))
    good = {
        "README.md": "see [the map](docs/architecture.md)\n",
        "docs/architecture.md": "`src/base` holds `src/base/ids.hpp`\n",
        "docs/references.bib": "@book{HNW93,\n}\n",
        "docs/diagnostics/base.md": "## unknown-name\n",
        "docs/requirements.md": rows.replace("| G1 | what | |", "| G1 | what | `Ids.Compare` |") + "\n",
        "src/base/ids.hpp": '// [HNW93] II.4\ninline constexpr DiagnosticCode kUnknownName{"unknown-name"};\nint a = x[N10];\n',
        "tests/a_test.cpp": 'TEST(Ids, Compare) { "unknown-name"; }\n',
    }
    cases = [
        ("architecture path", {"docs/architecture.md": "`src/base` `src/base/gone.hpp`\n"}, "does not exist"),
        ("folder not listed", {"docs/architecture.md": "nothing\n"}, "is not listed"),
        ("room not listed", {"scripts/layers.toml": '[rooms]\nbase = ["inner", "."]\n'}, "src/base/inner is not listed"),
        ("citation", {"src/base/b.cpp": "// see [XY99], (3)\n"}, "[XY99] is not in"),
        ("no section", {"docs/diagnostics/base.md": "\n"}, "has no section"),
        ("no test", {"tests/a_test.cpp": 'TEST(Ids, Compare) { "unknown-names"; }\n'}, "occurs in no test"),
        ("no code", {"docs/diagnostics/base.md": "## unknown-name\n## other\n"}, "belongs to no code"),
        ("not kebab", {"src/base/b.hpp": 'inline constexpr DiagnosticCode kB{"Bad_code"};'}, "kebab"),
        ("named test", {"src/base/b.hpp": "/// Checked by tests/unit/gone_test.cpp\n"}, "gone_test.cpp does not exist"),
        ("link", {"README.md": "[x](docs/gone.md)\n"}, "leads nowhere"),
        ("option missing", {"tools/saltus/a.cpp": 'add("--quiet", "");'}, "--quiet of the program is missing"),
        ("option of a table missing", {"tools/saltus/a.cpp": 'x kSimulationOptions[] = {\n{"stop", "T"},\n};'},
         "--stop of the program is missing"),
        ("no such option", {"docs/command-line.md": "`--verbose`"}, "no option --verbose"),
        ("row missing", {"docs/requirements.md": rows.replace("| W53 | what | |", "")}, "row W53 is missing"),
        ("row twice", {"docs/requirements.md": rows + "\n| W53 | what | |"}, "is there twice"),
        ("test of a row", {"docs/requirements.md": rows.replace("| D1 | what | |", "| D1 | what | `Ids.Gone` |")},
         "which does not exist"),
    ]
    failures = []
    for name, files, expected in [("good tree", {}, None), *cases]:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path, text in (good | files).items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            found = [p for check in CHECKS for p in check(root)]
        if expected is None and found:
            failures.append(f"the good tree is refused: {found}")
        if expected is not None and not any(expected in p for p in found):
            failures.append(f"{name}: expected '{expected}', found {found}")
    for failure in failures:
        print(f"check_docs self-test: {failure}")
    return 1 if failures else 0


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent).resolve()
    problems = [p for check in CHECKS for p in check(root)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
