#!/usr/bin/env python3
"""Checks that a class which lists what it remembers (`void fields(Archive& …)`, src/base/archive.hpp) forgets nothing.

Every data member must occur in the body of `fields`, or of a member function whose name ends with `_fields`: in the code, or in its comment
"Not saved: …", which says why it need not be. References are given to an object when it is made and are left out.
Usage: check_saved.py [ROOT]; `check_saved.py --self-test`.
"""

import re
import sys
import tempfile
from pathlib import Path

HEAD = re.compile(r"\b(?:class|struct)\s+(?:\[\[\w+\]\]\s+)?((?:\w+::)*\w+)(?:<[^;{}]*>)?(?:\s+final)?\s*(?::[^;{}]*(?:<[^;{}]*>)?[^;{}]*)?\{")
SKIPPED = ("using ", "friend ", "static ", "enum ", "struct ", "class ", "typedef ", "template ", "public:", "private:", "protected:")


def blanked(text):
    """The text with comments and strings as spaces, so that braces and semicolons in them do not count."""
    pattern = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def end_of_block(text, begin):
    """The place behind the brace that closes the block which begins at `begin`."""
    depth = 1
    for place in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return len(text)


def statements(body):
    """What ends with a semicolon at the level of the class; nested blocks are left out."""
    found, statement, place = [], "", 0
    while place < len(body):
        char = body[place]
        if char == "{":
            place = end_of_block(body, place + 1)
            rest = body[place:].lstrip()
            if rest.startswith((";", ",")) or "=" in statement or statement.strip().split(" ")[0] in ("struct", "class", "enum"):
                statement += "{}"
            else:
                statement = ""
            continue
        if char == ";":
            found.append(re.sub(r"\s+", " ", statement).strip())
            statement = ""
        elif char == ":" and statement.strip() in ("public", "private", "protected"):
            statement = ""
        else:
            statement += char
        place += 1
    return found


def without_angles(text):
    """The text without what stands between angle brackets."""
    before = None
    while before != text:
        before, text = text, re.sub(r"<[^<>]*>", "", text)
    return text


def members_of(body):
    """Names of the data members of a class."""
    names = []
    for statement in statements(body):
        plain = without_angles(re.sub(r"\[\[[^\]]*\]\]|\balignas\([^)]*\)", "", statement)).strip()
        if not plain or plain.startswith(SKIPPED) or "operator" in plain:
            continue
        declared = re.split(r"=|\{", plain)[0]
        if "(" in declared or "&" in declared:
            continue
        for declarator in plain.split(","):
            name = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)?(?:=.*|\{.*)?$", declarator.strip())
            if name and not name.group(1).isdigit():
                names.append(name.group(1))
    return names


def functions(text, plain, owner):
    """Bodies of `owner::…fields(…)` in a file, with their comments."""
    bodies = ""
    for match in re.finditer(r"\b" + re.escape(owner) + r"(?:<\w+>)?::(?:\w+_)?fields\([^)]*\)[^;{]*\{", plain):
        bodies += text[match.end() : end_of_block(plain, match.end())]
    return bodies


def check(root):
    """Messages about members that are forgotten."""
    files = {path: path.read_text() for path in sorted((root / "src").rglob("*")) if path.suffix in (".hpp", ".cpp")}
    plain = {path: blanked(text) for path, text in files.items()}
    problems = []
    for path, text in files.items():
        if "fields(Archive&" not in text:
            continue
        for match in HEAD.finditer(plain[path]):
            begin, end = match.end(), end_of_block(plain[path], match.end())
            body, source = plain[path][begin : end - 1], text[begin : end - 1]
            own = re.sub(r"\{[^{}]*\}", "", body)
            for _ in range(8):
                own = re.sub(r"\{[^{}]*\}", "", own)
            if not re.search(r"\bvoid fields\(Archive&", own):
                continue
            name = match.group(1).split("::")[-1]
            said = ""
            for inline in re.finditer(r"\bvoid (?:\w+_)?fields\([^)]*\)[^;{]*\{", body):
                said += source[inline.end() : end_of_block(body, inline.end())]
            for other in files:
                if name + "::" in files[other] or name + "<" in files[other]:
                    said += functions(files[other], plain[other], name)
            if not said:
                continue  # an interface: others implement it
            for member in members_of(body):
                if not re.search(r"\b" + re.escape(member) + r"\b", said):
                    problems.append(f"{path.relative_to(root)}: {name}::{member} is neither saved nor said not to be")
    return problems


SELF_TEST = """
class Good final : public Base<int> {
 public:
  void fields(Archive& a) {
    // Not saved: c_, which is made anew.
    a(a_, b_);
  }
  int f() const { return a_; }
 private:
  struct Inner { int x = 0; };
  int a_ = 0;
  std::vector<std::pair<int, int>> b_;
  std::function<int(double)> c_;
  const Other& other_;
};
class Bad {
 public:
  void fields(Archive& a);
 private:
  double kept_{0.0};
  std::span<double> first_, forgotten_;
};
void Bad::fields(Archive& a) { a(kept_, first_); }
"""


def self_test():
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "src").mkdir()
        (Path(name) / "src/a.hpp").write_text(SELF_TEST)
        problems = check(Path(name))
    good = len(problems) == 1 and "Bad::forgotten_" in problems[0]
    if not good:
        print(f"check_saved self-test: {problems}")
    return 0 if good else 1


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    problems = check(root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
