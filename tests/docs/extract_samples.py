#!/usr/bin/env python3
"""Joins the ```cpp blocks of a document to one program. Usage: extract_samples.py DOCUMENT PROGRAM.cpp

The blocks are parts of one story: each may use what the ones before declared. Blocks that begin with an #include are a whole program; others are
put into one that succeeds if the options of the document are valid for its model.
"""

import re
import sys
from pathlib import Path

HEAD = """// Written by tests/docs/extract_samples.py.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <saltus/saltus.hpp>

int main() {
"""
TAIL = """
  (void)theta;
  return saltus::validate(model, options).has_errors() || !watched || problems.has_errors() ? 1 : 0;
}
"""


def main():
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    blocks = re.findall(r"^```cpp\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if not blocks:
        sys.exit(f"{sys.argv[1]}: no ```cpp block")
    is_whole = blocks[0].startswith("#include")
    program = "\n".join(blocks)
    Path(sys.argv[2]).write_text(program if is_whole else HEAD + program + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main()
