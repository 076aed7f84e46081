#!/usr/bin/env python3
"""Reference solutions of examples from engineering, computed without saltus: `engineering_references.py [NAME]...`.

Needs SciPy (no test runs it). Every mode is an ODE written by hand, integrated with DOP853 at 1e-12; where a guard changes its sign the mode is
left at the root of the dense output, and the rules below say what follows. Prints the events and the values at the end.
"""

import math
import sys

import numpy as np
from scipy.integrate import solve_ivp


def follow(modes, mode, x, stop, t=0.0, max_step=np.inf, atol=1e-13):
    """modes[name] = (rate(t, x), [(guard(t, x), next(t, x) -> (name, x))]); a mode is left where a guard falls through zero."""
    events = []
    while t < stop:
        rate, exits = modes[mode]
        guards = []
        for guard, _ in exits:
            def falling(t, x, guard=guard):
                return guard(t, x)
            falling.terminal, falling.direction = True, -1
            guards.append(falling)
        found = solve_ivp(rate, (t, stop), x, method="DOP853", rtol=1e-12, atol=atol, events=guards, max_step=max_step)
        t, x = found.t[-1], found.y[:, -1]
        if found.status != 1:
            break
        fired = next(k for k, times in enumerate(found.t_events) if len(times))
        left, (mode, x) = mode, exits[fired][1](t, np.array(x))
        events.append((t, f"{left}->{mode}"))
    return events, x


def cuk_converter(stop=2e-3):
    """On: the diode blocks, the capacitor feeds the output coil. Off: it conducts, or, with i1 + i2 = 0, both coils are in series."""
    V, L1, L2, C1, C2, R, T, D = 24, 200e-6, 200e-6, 10e-6, 100e-6, 200, 20e-6, 0.3
    modes = {
        "on": (lambda t, x: [V/L1, (x[2] - x[3])/L2, -x[1]/C1, (x[1] - x[3]/R)/C2], []),
        "off": (lambda t, x: [(V - x[2])/L1, -x[3]/L2, x[0]/C1, (x[1] - x[3]/R)/C2],
                [(lambda t, x: x[0] + x[1], lambda t, x: ("none", np.array([x[0], -x[0], x[2], x[3]])))]),
        "none": (lambda t, x: [(V - x[2] + x[3])/(L1 + L2), -(V - x[2] + x[3])/(L1 + L2), x[0]/C1, (x[1] - x[3]/R)/C2], []),
    }
    events, x = [], np.array([0.0, 0.0, 24.0, 0.0])
    for k in range(round(stop/T)):
        _, x = follow(modes, "on", x, (k + D)*T, k*T, T/20)
        more, x = follow(modes, "off", x, (k + 1)*T, (k + D)*T, T/20)
        events += more
    return events, dict(zip(("i1", "i2", "v1", "v2"), x))


def six_pulse_rectifier(stop=0.04):
    """Currents of the six diodes. Those that conduct give a linear system for their rates and the voltages; one more begins where its voltage would be
    positive, one of several ends where its current is zero."""
    V, w, R, L, Ls = 100, 2*math.pi*50, 5, 0.02, 1e-3

    def solved(t, x, upper, lower):
        n = len(upper) + len(lower)
        A, b = np.zeros((n + 5, n + 5)), np.zeros(n + 5)
        for k in range(3):  # Ls*(rate of the source's current) + va = e
            for j, diode in enumerate(upper):
                A[k, j] = Ls*(diode == k)
            for j, diode in enumerate(lower):
                A[k, len(upper) + j] = -Ls*(diode == k)
            A[k, n + 2 + k], b[k] = 1, V*math.sin(w*t + (0, -2*math.pi/3, 2*math.pi/3)[k])
        for row, (rail, diode) in enumerate([(n, k) for k in upper] + [(n + 1, k) for k in lower]):
            A[3 + row, rail], A[3 + row, n + 2 + diode] = 1, -1
        A[n + 3, :len(upper)], A[n + 3, len(upper):n] = 1, -1
        A[n + 4, :len(upper)], A[n + 4, n], A[n + 4, n + 1], b[n + 4] = L, -1, 1, -R*sum(x[:3])
        z = np.linalg.solve(A, b)
        rates = np.zeros(6)
        rates[list(upper)] = z[:len(upper)]
        rates[[3 + k for k in lower]] = z[len(upper):n]
        return rates, z[n], z[n + 1], z[n + 2:]

    def mode(upper, lower):
        exits = []
        for k in range(3):
            if k not in upper:
                exits.append((lambda t, x, k=k: (lambda s: s[1] - s[3][k])(solved(t, x, upper, lower)), (upper + (k,), lower)))
            elif len(upper) > 1:
                exits.append((lambda t, x, k=k: x[k], (tuple(j for j in upper if j != k), lower)))
            if k not in lower:
                exits.append((lambda t, x, k=k: (lambda s: s[3][k] - s[2])(solved(t, x, upper, lower)), (upper, lower + (k,))))
            elif len(lower) > 1:
                exits.append((lambda t, x, k=k: x[3 + k], (upper, tuple(j for j in lower if j != k))))
        return (lambda t, x: solved(t, x, upper, lower)[0], [(guard, lambda t, x, to=to: (to, x)) for guard, to in exits])

    class Modes(dict):
        def __missing__(self, conducting):
            return mode(*conducting)
    events, x = follow(Modes(), ((2,), (1,)), np.zeros(6), stop, max_step=1e-4)
    return events, {"i": sum(x[:3]), "is[1]": x[0] - x[3], "is[2]": x[1] - x[4], "is[3]": x[2] - x[5]}


def gear_backlash(stop=5.0):
    """Free: two wheels. In contact: one inertia; an impact keeps the sum of angular momenta. Contact ends where its moment changes its sign."""
    J1, J2, b, M0, w, d = 0.01, 0.1, 0.02, 2, 12, 0.2

    def moment(t, x):
        return (J2*M0*math.sin(w*t) + J1*d*x[3])/(J1 + J2)

    def touch(name, gap):
        return lambda t, x: (name, np.array([x[1] + gap, x[1], *[(J1*x[2] + J2*x[3])/(J1 + J2)]*2]))

    def together(t, x):
        a = (M0*math.sin(w*t) - d*x[3])/(J1 + J2)
        return [x[2], x[3], a, a]
    modes = {
        "free": (lambda t, x: [x[2], x[3], M0*math.sin(w*t)/J1, -d*x[3]/J2],
                 [(lambda t, x: b - x[0] + x[1], touch("up", b)), (lambda t, x: x[0] - x[1] + b, touch("down", -b))]),
        "up": (together, [(moment, lambda t, x: ("free", x))]),
        "down": (together, [(lambda t, x: -moment(t, x), lambda t, x: ("free", x))]),
    }
    events, x = follow(modes, "free", np.zeros(4), stop, max_step=0.01)
    return events, dict(zip(("p1", "p2", "w1", "w2"), x))


def anti_lock_brake(stop=10.0):
    m, J, r, g, most = 400, 1.2, 0.3, 9.81, 2000

    def slip(x):
        return (x[0] - x[1]*r)/x[0]

    def rate(pressure):
        def of(t, x):
            mu = 1.28*(1 - math.exp(-23.99*slip(x))) - 0.52*slip(x)
            return [-mu*g, (mu*m*g*r - x[2])/J, pressure, x[0]]
        return of
    stopped = (lambda t, x: x[0] - 1, lambda t, x: ("stopped", x))

    def release(t, x):
        return 0.22 - slip(x)
    modes = {
        "build": (rate(8000), [(release, lambda t, x: ("release", x)), (lambda t, x: most - x[2], lambda t, x: ("full", x)), stopped]),
        "full": (rate(0), [(release, lambda t, x: ("release", x)), stopped]),
        "release": (rate(-16000), [(lambda t, x: slip(x) - 0.12, lambda t, x: ("build", x)), (lambda t, x: x[2], lambda t, x: ("empty", x)), stopped]),
        "empty": (rate(0), [(lambda t, x: slip(x) - 0.12, lambda t, x: ("build", x)), stopped]),
        "stopped": (lambda t, x: [0, 0, 0, 0], []),
    }
    events, x = follow(modes, "build", np.array([30.0, 100.0, 0.0, 0.0]), stop, max_step=0.01)
    return events, dict(zip(("v", "w", "P", "s"), x))


def three_tanks(stop=60.0):
    """Pieces between the times at which a level passes the pipe or the rim; just above the pipe q = sqrt(h - 0.5) needs the small steps that DOP853 takes."""
    k, pipe = 0.4, 0.5

    def flow(a, b):
        a, b = max(a, pipe), max(b, pipe)
        return k*math.copysign(math.sqrt(abs(a - b)), a - b)

    def rate(t, h):
        q12, q23 = flow(h[0], h[1]), flow(h[1], h[2])
        over = [2*max(level - 1, 0) for level in h]
        return [0.3*(1 + math.sin(0.5*t)) - q12 - over[0], q12 - q23 - over[1], q23 - over[2] - 0.1*math.sqrt(max(h[2], 0))]

    events, h, t = [], np.zeros(3), 0.0
    while t < stop:
        guards = []
        for j in range(3):
            for level in (pipe, 1.0):
                def passes(t, h, j=j, level=level):
                    return h[j] - level
                passes.terminal, passes.name = True, (j, level)
                guards.append(passes)
        found = solve_ivp(rate, (t, stop), h, method="DOP853", rtol=1e-12, atol=1e-13, events=guards, max_step=0.02)
        t, h = found.t[-1], found.y[:, -1]
        if found.status != 1:
            break
        for guard, times in zip(guards, found.t_events):
            if len(times):
                events.append((t, f"h[{guard.name[0] + 1}] at {guard.name[1]}"))
        step = 1e-9  # away from the level; the field is continuous
        h = h + step*np.array(rate(t, h))
        t += step
    return events, {f"h[{j + 1}]": h[j] for j in range(3)}


def main():
    problems = (cuk_converter, six_pulse_rectifier, gear_backlash, anti_lock_brake, three_tanks)
    for problem in problems:
        if len(sys.argv) > 1 and problem.__name__ not in sys.argv[1:]:
            continue
        events, values = problem()
        print(problem.__name__, len(events))
        for t, text in events:
            print(f"  {t:.12g} {text}")
        for name, value in values.items():
            print(f"  {name} = {value:.14g}")


if __name__ == "__main__":
    main()
