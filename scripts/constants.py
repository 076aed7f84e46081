#!/usr/bin/env python3
"""The table of numerical constants, docs/math/constants.md, and what becomes of events when one of them is doubled or halved.

Every named number that decides an answer has a row: each `constexpr double k…` of src, and whole numbers that are limits or counts of an
algorithm (not sentinels, cost units, sizes of storage and lengths of messages: NOT_NUMERICAL). The comment at a constant, or what comments of
its file say about it by name, is its source, a measurement or the reason.

  constants.py --write [ROOT]       renews the table; what was tried stays as long as the value does
  constants.py --check [ROOT]       fails on a table that is not up to date, a constant without such a comment, a name defined twice
  constants.py --scalable FOLDER    copies the sources to FOLDER with constants that SALTUS_SCALE=NAME:FACTOR changes when the program starts; build it
                                    like any other copy (cmake -S FOLDER -B FOLDER/build -DCMAKE_BUILD_TYPE=Release -DSALTUS_DEVELOPER_MODE=OFF)
  constants.py --try PROGRAM [NAME…]   runs all examples by the program of such a copy, with each constant (or those named) times 2 and divided
                                    by 2, and puts into the table whose events become others; --without=A,B leaves examples out
  constants.py --self-test          shows that each fault is found
"""

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/math/constants.md"
BEGIN, END = "<!-- constants: made by scripts/constants.py -->", "<!-- end of constants -->"
FOLDERS = ("base", "expr", "flat", "structure", "linalg", "nonlinear", "system", "trajectory", "reduce", "integrate", "locate", "slide", "settle", "hybrid", "program", "api")
COUNTED = ("structure", "linalg", "nonlinear", "system", "reduce", "integrate", "locate", "slide", "settle", "hybrid", "program")  # whole numbers of these are listed
DECLARATION = re.compile(
    r"^([ \t]*)((?:static |inline )*)constexpr (double|int|Index|std::size_t|std::int64_t|std::uint32_t) (k\w+)\s*(?:=\s*|(?=\{))([^;]*);"
    r"[ \t]*(//[^\n]*)?$", re.MULTILINE)
NOT_NUMERICAL = re.compile(
    r"k(No[A-Z]\w*|None|Nowhere|NotYet|NotChosen|NotPolynomial|MayJump|All|Far|Kept|Is[A-Z]\w*|Algebraic|WorkOf\w*|OperationsOf\w*|Vectors\w*|"
    r"\w*Alignment|\w*Segment|MaxOffset|Spaces|Forms|Lanes|FiniteSums|Sums|Slots|Stack|Bias|MantissaBits|ShortRun|ShortSlab|FewElements|ChunkRows|"
    r"Piece|Named\w*|Most(Names|Reports|Parts|Notes|Listed|Told|RowsNamed|CausesNamed|Rows|Equations|Values|Written|Numbers)|"
    r"Longest(Quotation|Equation|Text)|(Known|Variable|Operation)Rank|NeverAlias|Infinite|Fixed|Differential|Other|FirstFree|Held(Level|Tier)|"
    r"Last(Stage|Grade)|SlidAlgebraically|Stages|Extra|PolynomialDegree|StagesWithExtra|Terms|Nodes|N|Remembered|InProgress|FirstDraw|BlockPart)")
LEAST_COMMENT = 12  # characters
MOST_NAMED = 4  # examples in one row
TIME_SHARE = 1e-3  # of the run: further apart are not the same events
SAME_INSTANT = 1e-6  # of the run: two diodes of a symmetric bridge switch in an order that rounding decides
NOT_COMPARED = {"twisting"}  # its events accumulate: 120, 122 or 216 of them, by the tolerance


def sources(root):
    for folder in FOLDERS:
        for path in sorted((root / "src" / folder).rglob("*")):
            if path.suffix in (".hpp", ".cpp"):
                yield folder, path


def plain(comment):
    """The text of comment lines, in one line."""
    words = (re.sub(r"^\s*//[/!]?<?\s?", "", line).strip() for line in comment.splitlines())
    return " ".join(words).strip()


def comment_above(lines, index, shares):
    """The comment over a declaration; with `shares`, over the first of a run of declarations without comments of their own."""
    while shares and index > 0 and DECLARATION.match(lines[index - 1]) and "//" not in lines[index - 1]:
        index -= 1
    end = index
    while index > 0 and re.match(r"^\s*//", lines[index - 1]):
        index -= 1
    return plain("\n".join(lines[index:end]))


def comment_by_name(name, text):
    """What comments say about a constant by its name: from `kName = value: …` on if there is that, else the longest sentence with its name."""
    comments = plain("\n".join(line for line in text.splitlines() if re.match(r"^\s*//", line)))
    sentences = [s for s in re.split(r"(?<=[.;])\s+|\s(?=(?:Choices|Contract|Method|Fails when|Cost|Checked by)  )", comments) if re.search(rf"\b{name}\b", s)]
    stated = [s[s.index(name):] for s in sentences if f"{name} = " in s]
    return max(stated or sentences, key=len, default="")


class Constant:
    def __init__(self, name, kind, value, path, line, comment):
        self.name, self.kind, self.value, self.path, self.line, self.comment = name, kind, value, path, line, comment

    def place(self):
        return f"{self.path}:{self.line}"


def find_constants(root):
    constants = []
    for folder, path in sources(root):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        header = path.with_suffix(".hpp")
        about = text + ("\n" + header.read_text(encoding="utf-8") if path.suffix == ".cpp" and header.exists() else "")
        for match in DECLARATION.finditer(text):
            _, _, kind, name, value, trailing = match.groups()
            value = re.sub(r"\s+", " ", value.strip().strip("{}"))
            is_counted = folder in COUNTED and not NOT_NUMERICAL.fullmatch(name) and "numeric_limits" not in value
            if re.search(r"quiet_NaN|infinity|::(max|min)\(", value) or (kind != "double" and not is_counted):
                continue
            line = text.count("\n", 0, match.start(2)) + 1
            said = [plain(trailing or ""), comment_above(lines, line - 1, False), comment_by_name(name, about), comment_above(lines, line - 1, True)]
            if re.fullmatch(r"std::numeric_limits<double>::epsilon\(\)", value):
                said.append("spacing of doubles at 1")
            comment = re.sub(r"\s+", " ", next((s for s in said if len(s) >= LEAST_COMMENT), ""))
            constants.append(Constant(name, kind, value, str(path.relative_to(root)), line, comment))
    return constants


def problems_of(constants):
    by_name = {}
    for constant in constants:
        by_name.setdefault(constant.name, []).append(constant)
    for name, same in sorted(by_name.items()):
        if len(same) > 1:
            yield f"{name} is defined {len(same)} times: {', '.join(c.place() for c in same)}"
    for constant in constants:
        if not constant.comment:
            yield f"{constant.place()}: {constant.name} has no comment with its source, a measurement or a reason"


def cell(text):
    return text.replace("|", "\\|")


def old_results(page):
    """By name: (value, result) of the table as it stands."""
    results = {}
    for line in page.splitlines():
        cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 4 and re.fullmatch(r"`k\w+`", cells[0]):
            results[cells[0].strip("`")] = (cells[1].strip("`"), cells[2])
    return results


def table(root, constants, results):
    scalable = {c.name for c in scalable_names(root, constants)}
    lines = []
    path = ""
    for constant in constants:
        if constant.path != path:
            path = constant.path
            lines += ["", f"**{path}**", "", "| constant | value | times 2, divided by 2 | source, measurement or reason |", "|---|---|---|---|"]
        value, result = results.get(constant.name, ("", ""))
        if constant.name in MATHEMATICS:
            result = "a formula's"
        elif constant.name not in scalable:
            result = "compile-time"
        elif value != constant.value or result in ("a formula's", "compile-time"):
            result = "not tried"
        why = f" **{WHY_OTHERS[constant.name]}**" if result.startswith("others") and constant.name in WHY_OTHERS else ""
        lines.append(f"| `{constant.name}` | `{cell(constant.value)}` | {cell(result)} | {cell(constant.comment)}{why} |")
    return "\n".join(lines) + "\n"


def page_with(root, constants, results=None):
    text = (root / PAGE).read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        return None
    head, rest = text.split(BEGIN, 1)
    old, tail = rest.split(END, 1)
    results = old_results(old) | (results or {})
    return head + BEGIN + "\n" + table(root, constants, results) + "\n" + END + tail


def check(root):
    constants = find_constants(root)
    problems = list(problems_of(constants))
    if page_with(root, constants) != (root / PAGE).read_text(encoding="utf-8"):
        problems.append(f"{PAGE} is not up to date: scripts/constants.py --write")
    return problems


# A copy of the sources in which constants can be changed when the program starts.

SCALED_HEADER = """#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace saltus {
/// SALTUS_SCALE=NAME:FACTOR
inline double factor_of(const char* name) {
  const char* const asked = std::getenv("SALTUS_SCALE");
  const std::size_t length = std::strlen(name);
  return asked != nullptr && std::strncmp(asked, name, length) == 0 && asked[length] == ':' ? std::atof(asked + length + 1) : 1.0;
}
inline double scaled_constant(const char* name, double value) { return value * factor_of(name); }
template <class Whole>
Whole scaled_count(const char* name, Whole value) {
  const double factor = factor_of(name);
  return factor == 1.0 ? value : std::max(Whole{1}, static_cast<Whole>(std::llround(static_cast<double>(value) * factor)));
}
}  // namespace saltus
"""
# Coefficients, exponents and places that a formula gives: another value would be another formula.
MATHEMATICS = {"kSquareRoot", "kGamma", "kAlpha", "kBeta", "kDiagonal", "kOrder4ErrorInMiddle", "k78Second", "kSquareOfStep", "kSlopeOfDifference",
               "kDeflatedError", "kFirstPoint", "kSecondPoint", "kCheckPoint", "kPsiAtFirstPoint", "kEndPower", "kExtensionPower", "kOpen",
               "kLargestWeight", "kHermiteOrder", "kHighestOrder", "kHighestDegree", "kOrders", "kEpsilon"}
# Why events become others, where they do.
WHY_OTHERS = {
    "kShareOfMargin": "A share: more than 1 of the distance proves nothing, and events are missed.",
    "kExtrapolationLimit": "In units of the step: less than 1 does not reach its end.",
    "kRefineShare": "A share: with 1 a step that is to be smaller stays as it is.",
    "kBeyondEstimate": "x2 of carver leaves zero where the diodes switch, and is seen to have left when it is beyond the error of a step: 1e-7 later or at once.",
    "kSmallestCut": "Other steps: x2 of carver leaves zero where the diodes switch, and is seen to have left when it is beyond the error of a step.",
}
# What compile-time code needs stays as it is.
CONSTANT_EXPRESSIONS = [re.compile(p) for p in (
    r"std::array<[^;{()=]*>", r"\[[^\]\n]*\]\s*[;={]", r"static_assert\([^;]*;", r"<k[A-Z]\w*\b[^;{}\n]*>",
    r"constexpr (?!double |int |Index |std::size_t |std::int64_t |std::uint32_t )[^;]*;")]


def scalable_names(root, constants):
    fixed = set()
    for _, path in sources(root):
        text = path.read_text(encoding="utf-8")
        for pattern in CONSTANT_EXPRESSIONS:
            for expression in pattern.findall(text):
                fixed.update(re.findall(r"\bk[A-Z]\w*", expression))
    changed = True
    while changed:  # what a fixed one is made of is fixed
        changed = False
        for constant in constants:
            for name in re.findall(r"\bk[A-Z]\w+", constant.value) if constant.name in fixed else ():
                changed = changed or name not in fixed
                fixed.add(name)
    return [c for c in constants if c.name not in fixed and c.name not in MATHEMATICS]



def scaled_text(text, names):
    def scaled(match):
        indent, prefix, kind, name, value, _ = match.groups()
        if name not in names:
            return match.group(0)
        storage = "static const" if not indent else "static inline const" if "static" in prefix else "const"
        call = f'scaled_constant("{name}", {value})' if kind == "double" else f'scaled_count<{kind}>("{name}", {value})'
        return f"{indent}{storage} {kind} {name} = ::saltus::{call};"

    place = text.find("#include")
    return text[:place] + '#include "base/scaled_constants.hpp"\n' + DECLARATION.sub(scaled, text[place:])


def write_scalable(root, folder):
    """Files that stay the same are not written again: a second time only what has changed is built."""
    constants = find_constants(root)
    names = {c.name for c in scalable_names(root, constants)}
    scaled_files = {c.path for c in constants if c.name in names}
    files = subprocess.run(["git", "-C", str(root), "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
    texts = {name: (root / name).read_bytes() for name in files if (root / name).is_file()}
    texts["src/base/scaled_constants.hpp"] = SCALED_HEADER.encode()
    for name, text in texts.items():
        text = scaled_text(text.decode(), names).encode() if name in scaled_files else text
        target = folder / name
        if not target.exists() or target.read_bytes() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
            if (root / name).exists():
                shutil.copymode(root / name, target)
    for target in (folder / "src").rglob("*"):
        if target.is_file() and str(target.relative_to(folder)) not in texts:
            target.unlink()
    print(f"{len(names)} of {len(constants)} constants can be scaled")


# What becomes of the events of all examples.

def events_of(program, model, scale, folder):
    """(exit code, rows of events.csv without segment and detail), or None if the run does not end."""
    out = Path(tempfile.mkdtemp(dir=folder))
    try:
        # Few rows: they change no event.
        done = subprocess.run([program, "run", str(model), "-o", str(out), "--format", "csv", "--quiet", "--interval", "1e9"],
                              capture_output=True, timeout=120, env=os.environ | {"SALTUS_SCALE": scale}, check=False)
        with open(out / "events.csv", newline="", encoding="utf-8") as file:
            rows = [(float(r["time"]), r["kind"], r["from"], r["to"], r["guard"]) for r in csv.DictReader(file)]
        return done.returncode, rows
    except (subprocess.TimeoutExpired, OSError):
        return None
    finally:
        shutil.rmtree(out, ignore_errors=True)


def instants(rows, length):
    """Events that follow each other within SAME_INSTANT of the run belong together, in whatever order."""
    groups = []
    for row in rows:
        if groups and row[0] - groups[-1][-1][0] <= SAME_INSTANT * length:
            groups[-1].append(row)
        else:
            groups.append([row])
    return [(group[0][0], sorted(row[1:] for row in group)) for group in groups]


def same_events(one, other):
    if one is None or other is None or one[0] != other[0] or len(one[1]) != len(other[1]):
        return False
    length = max((row[0] for row in one[1]), default=0.0)
    first, second = instants(one[1], length), instants(other[1], length)
    return len(first) == len(second) and all(a[1] == b[1] and abs(a[0] - b[0]) <= TIME_SHARE * length for a, b in zip(first, second))


def try_all(root, program, only, without):
    constants = find_constants(root)
    models = sorted(p for p in (root / "examples").iterdir() if p.suffix in (".mo", ".saltus") and p.stem not in without | NOT_COMPARED)
    wanted = [c for c in scalable_names(root, constants) if not only or c.name in only]
    # Those that decide about events most directly are the first.
    folders = ("locate", "hybrid", "settle", "slide", "reduce", "integrate", "program", "linalg", "system", "structure")
    wanted.sort(key=lambda c: (c.kind != "double", next((i for i, f in enumerate(folders) if c.path.startswith(f"src/{f}/")), len(folders))))
    results = {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        def run(scale):
            return list(pool.map(lambda model: events_of(program, model, scale, folder), models))

        reference = run("")
        for constant in wanted:
            changed = []
            for word, factor in (("2", "2"), ("1/2", "0.5")):
                found = run(f"{constant.name}:{factor}")
                others = [model.stem for model, a, b in zip(models, reference, found) if not same_events(a, b)]
                more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
                changed += [f"others with {word}: {', '.join(others[:MOST_NAMED])}{more}"] if others else []
            results[constant.name] = (constant.value, "; ".join(changed) or "same")
            print(constant.name, results[constant.name][1], flush=True)
            text = page_with(root, constants, results)
            (root / PAGE).write_text(text, encoding="utf-8")
    return 0


def self_test():
    page = f"{BEGIN}\n{END}\n"
    good = "// Measured: 3 is best.\nconstexpr double kLimit = 3.0;\n"
    cases = [("no comment", {"src/locate/a.cpp": "constexpr double kLimit = 3.0;\n"}, "has no comment"),
             ("whole number", {"src/locate/a.cpp": "constexpr int kMostTries = 3;\n"}, "kMostTries has no comment"),
             ("twice", {"src/locate/a.cpp": good, "src/hybrid/b.hpp": good}, "is defined 2 times"),
             ("old table", {"src/locate/a.cpp": good, PAGE: f"{BEGIN}\n| `kOld` | `1` | same | x |\n{END}\n"}, "not up to date"),
             ("other value", {"src/locate/a.cpp": good, PAGE: page.replace("\n", "\n| `kLimit` | `2.0` | same | x |\n", 1)}, "not up to date")]
    accepted = [("own line", good), ("same line", "constexpr double kLimit = 3.0;  // measured: 3 is best\n"),
                ("by name", "/// Choices  kLimit = 3: measured, it is best.\nconstexpr double kLimit = 3.0;\n".replace("best.\n", "best.\n\n")),
                ("sentinel", "constexpr int kNone = -1;\n")]
    failures = []

    def found_in(files, write):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path, text in ({PAGE: page} | files).items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            if write:
                (root / PAGE).write_text(page_with(root, find_constants(root)))
            return check(root)

    for name, files, expected in cases:
        found = found_in(files, PAGE not in files)
        if not any(expected in problem for problem in found):
            failures.append(f"{name}: expected '{expected}', found {found}")
    for name, text in accepted:
        found = found_in({"src/locate/a.cpp": text}, True)
        if found:
            failures.append(f"{name} is refused: {found}")
    one = (0, [(1.0, "when", "a", "b", "g")])
    if not same_events(one, (0, [(1.0001, "when", "a", "b", "g")])) or same_events(one, (0, [(1.0, "when", "a", "c", "g")])):
        failures.append("events are not compared")
    for failure in failures:
        print(f"constants self-test: {failure}")
    return 1 if failures else 0


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    if "--self-test" in sys.argv[1:]:
        return self_test()
    if "--scalable" in sys.argv[1:]:
        write_scalable(ROOT, Path(words[0]))
        return 0
    if "--try" in sys.argv[1:]:
        without = {name for word in sys.argv[1:] if word.startswith("--without=") for name in word.partition("=")[2].split(",")}
        return try_all(ROOT, words[0], set(words[1:]), without)
    root = Path(words[0]).resolve() if words else ROOT
    if "--write" in sys.argv[1:]:
        (root / PAGE).write_text(page_with(root, find_constants(root)), encoding="utf-8")
        return 0
    problems = check(root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
