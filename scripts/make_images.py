#!/usr/bin/env python3
"""Makes the pictures of docs/images from runs of examples: scripts/make_images.py [PROGRAM], ./saltus by default."""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs/images"
MARGIN = 24  # pixels around a picture


def rows_of(program, example, *options):
    """The rows of trajectory.csv of one run."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "run", str(ROOT / "examples" / example), *options, "-o", folder, "--quiet"], check=True)
        with open(f"{folder}/trajectory.csv", newline="") as file:
            return list(csv.DictReader(file))


def text(x, y, words, colour="#555", anchor="start"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="14" fill="{colour}" font-family="sans-serif" '
            f'text-anchor="{anchor}">{words}</text>')


def write(name, width, height, body):
    (IMAGES / name).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}"><rect width="100%" height="100%" fill="#fff"/>{body}</svg>\n')


def line(points, colour):
    path = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-linejoin="round"/>'


def arenstorf(program):
    """The orbit in the plane; earth and moon."""
    scale, label = 220, 30  # pixels per unit of length, for a name at the right
    rows = rows_of(program, "arenstorf.mo", "--tolerance", "1e-10", "--interval", "0.01")
    points = [(float(row["x"]), -float(row["y"])) for row in rows]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)

    def place(x, y):
        return MARGIN + scale * (x - left), MARGIN + scale * (y - top)

    def circle(x, y, radius, fill, name):
        px, py = place(x, y)
        return f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{radius}" fill="{fill}"/>' + text(px + radius + 4, py - radius, name)

    mu = 0.012277471
    write("arenstorf.svg", 2 * MARGIN + scale * (right - left) + label, 2 * MARGIN + scale * (bottom - top),
          line([place(x, y) for x, y in points], "#1f5fa8")
          + circle(-mu, 0, 7, "#2b7a4b", "earth") + circle(1 - mu, 0, 3.5, "#888", "moon"))


def stick_slip(program):
    """Both velocities and the friction over time; where the bodies stick together is shaded."""
    across, up, height = 68, 110, 260  # pixels per unit of time and of the values, of the picture
    rows = rows_of(program, "stick_slip.mo", "--interval", "0.05")
    base = MARGIN + 1.1 * up

    def place(row, name):
        return MARGIN + across * float(row["time"]), base - up * float(row[name])

    body, stretch = "", None
    for row in rows + [None]:
        sticks = row is not None and "sliding" in row["mode"]
        if sticks:
            stretch = (stretch[0] if stretch else float(row["time"]), float(row["time"]))
        elif stretch:
            begin, end = (MARGIN + across * t for t in stretch)
            body += f'<rect x="{begin:.1f}" y="{MARGIN / 2}" width="{end - begin:.1f}" height="{height - MARGIN}" fill="#e3f1e7"/>'
            stretch = None
    for name, colour in (("friction", "#c77d0a"), ("v2", "#a33fa3"), ("v1", "#1f5fa8")):
        body += line([place(row, name) for row in rows], colour)
    body += text(338, 128, "v1", "#1f5fa8") + text(385, 102, "v2", "#a33fa3") + text(330, 182, "friction", "#c77d0a")
    body += text(30, height - 18, "stick", "#2b7a4b") + text(140, height - 18, "slip")
    write("stick_slip.svg", 2 * MARGIN + across * 10, height, body)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "saltus")
    arenstorf(program)
    stick_slip(program)


if __name__ == "__main__":
    main()
