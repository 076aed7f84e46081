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

# Differential-algebraic models: tests/support/problems/dae_references.py; car axis and squeezer: published values of the test set (quadruple
# precision; PSIDE). Rotating mechanisms turn many times, so that an error of the speed grows to an error of the angle.
END_VALUES |= {
    "cartesian_pendulum": {"x": (-0.915728346703793, 1e-5), "y": (0.40179795301014, 1e-5), "vx": (-1.86291852664197, 1e-4),
                           "lambda": (17.55508624291, 1e-3)},
    "car_axis": {"xl": (0.0493455784275403, 1e-5), "yl": (0.496989460230171, 1e-5), "xr": (1.04174252488542, 1e-5),
                 "yr": (0.373911027265361, 1e-5), "vr": (0.770341043779252, 1e-3), "lambda1": (-0.00473688659084893, 1e-4)},
    "slider_crank": {"phi1": (35.8930456284002, 1e-5), "w1": (60.4192491359926, 1e-4), "phi2": (0.429883509053517, 1e-5),
                     "x3": (0.283189189783793, 1e-5)},
    "four_bar": {"phi1": (81.0017631885816, 1e-4), "phi2": (1.35480769952874, 1e-4), "w1": (35.6284542518831, 1e-3)},
    "andrews_squeezer": {"beta": (15.81077119629904, 1e-5), "gamma": (0.04082224013073101, 1e-6), "epsilon": (1.048080741042263, 1e-6),
                         "vbeta": (1139.920302151208, 1e-2), "lambda[1]": (199.1753333731910, 1e-2)},
    # The angle of the pendulum above; the sphere: M, J and the accelerations of its constraints by hand, scipy's DOP853 at 1e-13.
    "compound_pendulum": {"theta": (0.373894218666272, 1e-4), "omega": (0.861155269495715, 1e-4), "x": (0.5*math.cos(0.373894218666272), 1e-4)},
    "rolling_sphere": {"rho": (0.6, 1e-10), "alpha": (-0.721256676724194, 1e-5), "phi": (13.8781637597936, 1e-4),
                       "theta": (2.30529618939657, 1e-4), "vpsi": (1.70524787447432, 1e-4), "E": (0.00485769591806562, 1e-8)},
    # v(0) - 2/7 s(0); the slip ends at |s(0)|/(3.5 mu g).
    "bowling_ball": {"v[1]": (6 - 2/7*2.7, 1e-5), "v[2]": (0.5 + 2/7*1.7, 1e-5), "x[1]": (5.407785689573606, 1e-5), "x[2]": (0.872875676935137, 1e-5)},
    # Rolling: v(0) - 2/7 c(0), c = v + R*w.
    "thrown_ball": {"v[1]": (2 + 2/7, 1e-6), "v[2]": (0.5 - 2/7*2.5, 1e-6), "w[1]": (-10*(2 + 2/7), 1e-5), "h": (0.0, 1e-9), "N": (9.81, 1e-9)},
    "parallel_bars": {"x": (-0.581339544425948, 1e-4), "y": (-0.813661068312004, 1e-4), "phi": (0.0, 1e-9)},
    "prescribed_trajectory": {"force": (-(3 - 0.2)*math.sin(10), 1e-7), "x2": (0.9*math.sin(10), 1e-8)},
    "circle_three_equations": {"x": (math.cos(10), 1e-6), "y": (math.sin(10), 1e-6)},
    "transistor_amplifier": {"y1": (-0.005562145012262709, 1e-5), "y3": (2.849958788608128, 1e-4), "y5": (2.704617865010554, 1e-4),
                             "y8": (1.236995868091548, 1e-4)},
    "akzo_nobel": {"y1": (0.115079492066166, 1e-5), "y2": (0.00120383147156771, 1e-7), "y6": (0.00487353131030716, 1e-6)},
    "robertson": {"y1": (0.0178659211421, 1e-6), "y2": (7.27475146843654e-08, 1e-11), "y3": (0.982134006110385, 1e-6)},
    "hires": {"y[1]": (0.000737131257332582, 1e-7), "y[5]": (0.0023863561988318, 1e-6), "y[8]": (0.00285000160481369, 1e-6)},
    "diode_ladder": {"v[1]": (-0.725303357431127, 1e-5), "v[5]": (-2.43546088383169, 1e-5), "v[10]": (-3.01500242957369, 1e-5)},
    "rc_ladder": {"v[2]": (0.223671821601528, 1e-6), "v[10]": (0.0210094888859684, 1e-6), "supply": (1.09735549093949, 1e-6)},
    "stokes": {"u[4,6]": (0.507925830599916, 1e-5), "u[4,2]": (-0.122604497030691, 1e-5), "v[2,4]": (0.155148012519827, 1e-5)},
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
        done = subprocess.run([program, "run", str(folder / f"{name}.mo"), "-o", out, "--quiet", "--verify", "full", *OPTIONS.get(name, [])], capture_output=True,
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
