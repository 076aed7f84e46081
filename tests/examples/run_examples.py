#!/usr/bin/env python3
"""Runs the models of examples/ that have no events with the program and checks the end values.

Reference values: Fehlberg 7(8) in long double (odeint 1.74) at tolerance 1e-17, right-hand sides written by hand; the values of the
pleiades agree with those published with the problem, the pendulum with the reference of its source, to all digits that a run at
1e-15 confirms. The tolerance of a comparison is the model's own (experiment annotation) times the growth of errors, stated for each.
Usage: run_examples.py PROGRAM EXAMPLES_FOLDER [NAME]
"""

import csv
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

# name: {variable: (value, allowed difference)}
END_VALUES = {
    "arenstorf": {"x": (0.994, 2e-4), "y": (0.0, 2e-3)},  # one period: back at the start; errors grow by about 1e4
    "brusselator": {"y1": (0.4986370712683478, 1e-6), "y2": (4.596780349452011, 1e-6)},
    "coupled_oscillators": {"deviation": (0.0, 1e-6)},
    "double_pendulum": {"phi1": (-0.7531289, 1e-2), "phi2": (1.6279331, 1e-2)},
    "heat_chain": {"T[1]": (1.099777068990319, 1e-5), "T[5]": (0.647156912413411, 1e-5),
                   "T[10]": (0.4933379104801751, 1e-5), "hot": (1 + 0.5*math.sin(20), 1e-15)},
    "kepler": {"deviation": (0.0, 1e-6), "momentum": (0.8, 1e-8)},
    "linear_circuit": {"iL": (0.005857928593322116, 1e-8), "vC": (-9.408975635538418, 1e-6)},
    "lorenz": {"x": (0.02677816, 1e-2), "y": (0.1954869, 1e-2), "z": (14.3680516, 1e-2)},
    "lotka_volterra": {"predators": (0.6668297663478534, 1e-6), "prey": (1.180666611645331, 1e-6)},
    "pendulum": {"theta": (0.373894218666272, 1e-8), "omega": (0.861155269495715, 1e-8)},
    "pleiades": {"x[1]": (0.3706139143970529, 1e-5), "x[7]": (-0.7003092922212498, 1e-5),
                 "y[3]": (5.225081843456544, 1e-5), "v[6]": (2.344915448180937, 1e-5)},
    "sir": {"S": (21.08884314015773, 1e-5), "I": (17.29626879187518, 1e-5),
            "R": (763 - 21.08884314015773 - 17.29626879187518, 1e-5)},
    "van_der_pol": {"x": (-1.873961957050255, 1e-5)},
}

# Chaotic models amplify errors by about 1e8 up to the stop time: their end is compared at a finer tolerance.
OPTIONS = {"double_pendulum": ["--tolerance", "1e-12"], "lorenz": ["--tolerance", "1e-12"]}

# name: {variable: largest variation over all rows}
INVARIANTS = {
    "double_pendulum": {"energy": 1e-5},
    "kepler": {"momentum": 1e-7},
    "lotka_volterra": {"invariant": 1e-6},
    "pendulum": {"energy": 1e-6},
}


def check(program, folder, name):
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([program, "run", str(folder / f"{name}.mo"), "-o", out, "--quiet", *OPTIONS.get(name, [])], capture_output=True,
                              text=True, timeout=60, check=False)
        if done.returncode != 0:
            yield f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
            return
        summary = json.loads((Path(out) / "summary.json").read_text())
        rows = list(csv.DictReader((Path(out) / "trajectory.csv").open(newline="")))
    for variable, (value, allowed) in END_VALUES[name].items():
        found = summary["final"][variable]
        if not abs(found - value) <= allowed:
            yield f"{variable} = {found}, expected {value} within {allowed}"
    for variable, allowed in INVARIANTS.get(name, {}).items():
        values = [float(row[variable]) for row in rows]
        if not max(values) - min(values) <= allowed:
            yield f"{variable} varies by {max(values) - min(values)}, allowed {allowed}"


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    names = sys.argv[3:] or sorted(END_VALUES)
    problems = [f"{name}: no expected values in run_examples.py" for name in names if name not in END_VALUES]
    problems += [f"{name}: {p}" for name in names if name in END_VALUES for p in check(program, folder, name)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
