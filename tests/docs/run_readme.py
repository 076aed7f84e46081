#!/usr/bin/env python3
"""Runs every model that README.md and docs/*.md show in a ```modelica block. Usage: run_readme.py PROGRAM ROOT"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    program, root = sys.argv[1], Path(sys.argv[2])
    n_models, problems = 0, []
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        for text in re.findall(r"^```modelica\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            n_models += 1
            with tempfile.TemporaryDirectory() as folder:
                model = Path(folder) / "sample.mo"
                model.write_text(text)
                done = subprocess.run([program, "run", str(model), "-o", f"{folder}/out", "--quiet"], capture_output=True,
                                      text=True, timeout=60, check=False)
            if done.returncode != 0:
                problems.append(f"{path.name}: exit code {done.returncode}\n{text}\n{done.stdout}{done.stderr}")
    if n_models == 0:
        problems.append("no model found in README.md: is its ```modelica block gone?")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
