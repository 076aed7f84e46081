#!/usr/bin/env python3
"""Draws the folders of src: their size, their rooms in order, and which folders they really include.

The drawing stands in docs/architecture.md between two lines; `draw_folders.py --write` renews it, `draw_folders.py --check [ROOT]` fails where
it shows other folders, rooms or includes than there are. Sizes are rounded, so that only a change of the house changes the drawing.
"""

import re
import sys
import tomllib
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
BEGIN, END = "<!-- folders: made by scripts/draw_folders.py -->", "<!-- end of folders -->"


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".hpp", ".cpp"))


def size(paths):
    lines = sum(len(p.read_bytes().splitlines()) for p in paths)
    return f"{max(0.5, round(2 * lines / 1000) / 2):g}k"


def draw(root):
    table = tomllib.loads((root / "scripts/layers.toml").read_text())
    folders = [name for name in table["folders"] if (root / "src" / name).is_dir()]
    lines = [f"{'folder':<12}{'lines':>6}   includes"]
    for name in folders:
        paths = sources(root / "src" / name)
        included = {i.partition("/")[0] for p in paths for i in INCLUDE.findall(p.read_text(encoding="utf-8"))}
        edges = [other for other in folders if other in included and other != name]
        lines.append(f"{name:<12}{size(paths):>6}   {' '.join(edges)}".rstrip())
        rooms = table.get("rooms", {}).get(name, [])
        if rooms:
            shown = []
            for room in rooms:
                inner = [p for p in paths if (p.relative_to(root / "src" / name).parts[0] if
                                              len(p.relative_to(root / "src" / name).parts) > 1 else ".") == room]
                shown.append(f"{'the rest' if room == '.' else room} {size(inner)}")
            lines.append(f"{'':<18}   {' ◄ '.join(shown)}")
    return "```\n" + "\n".join(lines) + "\n```"


def without_sizes(text):
    return re.sub(r"\s+[\d.]+k\b", "", text)


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    root = Path(words[0] if words else Path(__file__).resolve().parent.parent).resolve()
    page = root / "docs/architecture.md"
    text = page.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        print(f"{page.relative_to(root)} has no place for the drawing")
        return 1
    head, rest = text.split(BEGIN, 1)
    old, tail = rest.split(END, 1)
    new = f"\n\n{draw(root)}\n\n"
    if "--write" in sys.argv[1:]:
        page.write_text(head + BEGIN + new + END + tail, encoding="utf-8")
        return 0
    if without_sizes(old) != without_sizes(new):
        print("docs/architecture.md shows other folders than there are: scripts/draw_folders.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
