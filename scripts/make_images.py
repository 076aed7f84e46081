#!/usr/bin/env python3
"""Makes docs/images/arenstorf.svg from a run: scripts/make_images.py [PROGRAM], ./saltus by default."""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCALE, MARGIN, LABEL = 220, 24, 30  # pixels per unit of length, around, for a name at the right


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "saltus")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "run", str(ROOT / "examples/arenstorf.mo"), "--tolerance", "1e-10", "--interval", "0.01",
                        "-o", folder, "--quiet"], check=True)
        with open(f"{folder}/trajectory.csv", newline="") as file:
            points = [(float(row["x"]), -float(row["y"])) for row in csv.DictReader(file)]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)

    def place(x, y):
        return f"{MARGIN + SCALE * (x - left):.1f} {MARGIN + SCALE * (y - top):.1f}"

    def circle(x, y, radius, fill, name):
        px, py = place(x, y).split()
        return (f'<circle cx="{px}" cy="{py}" r="{radius}" fill="{fill}"/>'
                f'<text x="{float(px) + radius + 4:.1f}" y="{float(py) - radius:.1f}" font-size="14" fill="#555" '
                f'font-family="sans-serif">{name}</text>')

    width, height = (2 * MARGIN + SCALE * d for d in (right - left, bottom - top))
    width += LABEL  # the moon's name stands to the right of the orbit
    orbit = "M" + " L".join(place(x, y) for x, y in points)
    mu = 0.012277471
    (ROOT / "docs/images/arenstorf.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}"><rect width="100%" height="100%" fill="#fff"/>'
        f'<path d="{orbit}" fill="none" stroke="#1f5fa8" stroke-width="1.6" stroke-linejoin="round"/>'
        f'{circle(-mu, 0, 7, "#2b7a4b", "earth")}{circle(1 - mu, 0, 3.5, "#888", "moon")}</svg>\n')


if __name__ == "__main__":
    main()
