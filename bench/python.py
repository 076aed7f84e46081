#!/usr/bin/env python3
"""The Python package beside the command line and SciPy: ./saltus python bench/python.py [SECONDS per measurement]

Times are the least of repeated calls, in milliseconds of the processor. `--leak N` makes N simulations in one process instead and prints the resident memory before and after.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import saltus
from scipy.integrate import solve_ivp as scipy_solve_ivp

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build/release/tools/saltus/saltus"
VOLTERRA = """model Volterra
  parameter Real a = 1.5, b = 1, c = 3, d = 1;
  Real x(start = 10, fixed = true), y(start = 5, fixed = true);
equation
  der(x) = a*x - b*x*y; der(y) = -c*y + d*x*y;
end Volterra;
"""
VAN_DER_POL = """model VanDerPol
  parameter Real mu = 1000; Real x(start = 2, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = y; der(y) = mu*(1 - x^2)*y - x;
end VanDerPol;
"""


def volterra(t, z, a, b, c, d):
    x, y = z
    return [a * x - b * x * y, -c * y + d * x * y]


def van_der_pol(t, z):
    x, y = z
    return [y, 1000 * (1 - x * x) * y - x]


def spent():
    """Seconds of the processor, of this process and of those that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


def least(function, seconds):
    """The least time of a call, in milliseconds."""
    function()
    best, begin = np.inf, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        before = spent()
        function()
        best = min(best, spent() - before)
    return 1e3 * best


def beside_the_command_line(seconds):
    print(f"{'model':24}{'simulate()':>12}{'saltus run':>12}{'ratio':>8}")
    for name in ("stick_slip.mo", "pendulum.mo", "bouncing_ball.mo", "cartesian_pendulum.mo"):
        path = ROOT / "examples" / name
        model = saltus.load(path)
        with tempfile.TemporaryDirectory() as folder:
            command = [PROGRAM, "run", path, "-o", folder]
            ours = least(lambda: model.simulate(check=False), seconds)
            other = least(lambda: subprocess.run(command, capture_output=True, check=False), seconds) if PROGRAM.exists() else np.nan
        print(f"{name:24}{ours:12.3f}{other:12.3f}{other / ours:8.1f}")


def beside_scipy(seconds):
    print(f"\n{'problem':14}{'method':8}{'rtol':>8}{'SciPy':>10}{'callables':>11}{'ratio':>7}{'text':>9}{'ratio':>7}{'error SciPy':>13}{'callables':>11}{'text':>9}")
    for name, fun, args, text, y0, stop, methods in (
        ("Volterra", volterra, (1.5, 1, 3, 1), VOLTERRA, [10, 5], 15, ("RK45", "DOP853", "LSODA")),
        ("van der Pol", van_der_pol, (), VAN_DER_POL, [2, 0], 1500, ("Radau", "BDF", "LSODA")),
    ):
        model = saltus.load(text)
        exact = np.array(list(model.simulate(stop=stop, tolerance=1e-12, method="radau5").final.values()))
        for method in methods:
            for rtol in (1e-4, 1e-8):
                given = dict(method=method, args=args, rtol=rtol, atol=rtol * 1e-2)
                ways = (
                    lambda: scipy_solve_ivp(fun, [0, stop], y0, **given).y[:, -1],
                    lambda: saltus.solve_ivp(fun, [0, stop], y0, **given).y[:, -1],
                    lambda: list(model.simulate(stop=stop, interval="steps", dense=False, method=saltus._solve_ivp.METHODS[method], rtol=rtol, atol=rtol * 1e-2).final.values()),
                )
                a, b, c = (least(way, seconds) for way in ways)
                errors = [np.abs((np.array(way()) - exact) / exact).max() for way in ways]
                print(f"{name:14}{method:8}{rtol:8.0e}{a:10.2f}{b:11.2f}{a / b:7.1f}{c:9.3f}{a / c:7.0f}{errors[0]:13.1e}{errors[1]:11.1e}{errors[2]:9.1e}")


def roots(seconds):
    def event(t, y):
        return np.sin(50 * t)

    print(f"\n{'roots of sin(50 t) on ten seconds, 159':40}{'found':>8}{'ms':>10}")
    for name, solve in (("SciPy", scipy_solve_ivp), ("saltus", saltus.solve_ivp)):
        found = solve(lambda t, y: -0.1 * y, [0.001, 10], [1.0], events=event).t_events[0]
        print(f"{name:40}{len(found):8}{least(lambda: solve(lambda t, y: -0.1 * y, [0.001, 10], [1.0], events=event), seconds):10.2f}")


def leak(n):
    model = saltus.load(VOLTERRA)

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4

    def one(i):
        result = model.simulate(stop=0.1, set={"a": 1.5 + 1e-7 * i})
        result["x"], result.events, result.statistics, result(0.05, "x")
        if i % 10 == 0:
            saltus.solve_ivp(volterra, [0, 0.1], [10, 5], args=(1.5, 1, 3, 1), events=lambda t, y, *p: y[0] - 10.5)
        if i % 100 == 0:
            try:
                saltus.load("model M Real x; equation der(x) = y; end M;")
            except saltus.ModelError:
                pass

    for i in range(min(n, 2000)):
        one(i)
    before, begin = resident(), spent()
    for i in range(n):
        one(i)
    print(f"{n} simulations: {before} kB before, {resident()} kB after, {1e6 * (spent() - begin) / n:.0f} us each")


def main():
    if "--leak" in sys.argv:
        leak(int(sys.argv[sys.argv.index("--leak") + 1]))
        return
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    beside_the_command_line(seconds)
    beside_scipy(seconds)
    roots(seconds)


if __name__ == "__main__":
    main()
