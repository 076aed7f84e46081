"""Reference solutions of the circuits and processes among the examples whose modes differ in index or size; see hybrid_dae_references.py."""

import math

import numpy as np
from event_references import Piece, run
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

PI = math.pi


def root(f, a, b):
    return brentq(f, a, b, xtol=1e-16, rtol=1e-15, maxiter=500)


def first_root(f, a, b, n=2000):
    """The first change of sign of f in (a, b), or None; f(a) itself is not looked at."""
    step = (b - a)/n
    t, before = a + 1e-9*step, f(a + 1e-9*step)
    for k in range(1, n + 1):
        after = f(a + k*step)
        if before*after < 0 or (after == 0 and before != 0):
            return root(f, t, a + k*step)
        t, before = a + k*step, after
    return None


def peak_detector(stop=0.5):
    """Conducting: v = source, i = C v' + v/R. Blocking: v decays."""
    C, R, V, w = 1e-3, 100, 10, 50
    events, t = [], 0.0
    while True:
        # i = C V w cos(wt) + V sin(wt)/R falls through zero
        turn = math.ceil((w*t - (PI - math.atan(w*R*C)))/(2*PI) - 1e-9)
        t = (PI - math.atan(w*R*C) + 2*PI*turn)/w
        if t > stop:
            v, i = V*math.sin(w*stop), C*V*w*math.cos(w*stop) + V*math.sin(w*stop)/R
            break
        events.append((t, "conducting->blocking"))
        t1, v1 = t, V*math.sin(w*t)
        t = first_root(lambda s, t1=t1, v1=v1: V*math.sin(w*s) - v1*math.exp(-(s - t1)/(R*C)), t1 + 0.25*PI/w, min(t1 + 2*PI/w, stop))
        if t is None:
            v, i = v1*math.exp(-(stop - t1)/(R*C)), 0.0
            break
        events.append((t, "blocking->conducting"))
    return events, {"v": v, "i": i, "vd": V*math.sin(w*stop) - v}


def switched(pieces, x0, toggles, stop, rtol, max_step):
    """A circuit with a switch by the clock: pieces {name: (f, [(guard, direction, target)], {toggle: target}, map on entry)}; toggles [(t, closed)]."""
    events, t, x, name = [], 0.0, np.array(x0, float), next(iter(pieces))
    for t_toggle, closed in [*toggles, (stop, None)]:
        while t < t_toggle:
            f, exits, _, _ = pieces[name]
            piece = Piece(f, [(guard, direction, target, lambda t, x: (None, x)) for guard, direction, target in exits])
            found, (t, x) = run(piece, x, t_toggle, rtol, max_step=max_step, t0=t)
            if found:
                events.append((t, f"{name}->{found[0][2]}"))
                name = found[0][2]
                x = np.array(pieces[name][3](x), float)
        target = pieces[name][2].get(closed)
        if target:
            events.append((t, f"{name}->{target}"))
            name = target
            x = np.array(pieces[name][3](x), float)
    return events, x


def boost_toggles(first_closed=0.1, period=0.16, stop=1.0):
    times = [(k*period + first_closed, True) for k in range(20)] + [((k + 1)*period, False) for k in range(20)]
    return sorted(t for t in times if t[0] < stop)


def same(x):
    return x


def boost_converter_literal(rtol=1e-13):
    """States (vC, iL). Both closed: the capacitor is shorted. Neither: the coil is cut off."""
    Vi, R, C, L, eta = 48, 2, 1e-2, 1, 1e-9
    pieces = {
        "diode": (lambda t, x: [(x[1] - x[0]/R)/C, (-x[0] - Vi)/L], [(lambda t, x: x[1] + eta, -1, "neither")], {True: "both"}, same),
        "switch": (lambda t, x: [-x[0]/(R*C), -Vi/L], [(lambda t, x: -x[0] - eta, 1, "both")], {False: "neither"}, same),
        "neither": (lambda t, x: [-x[0]/(R*C), 0.0], [(lambda t, x: -x[0] - Vi - eta, 1, "diode")], {True: "switch"}, lambda x: [x[0], 0.0]),
        "both": (lambda t, x: [0.0, -Vi/L], [], {False: "diode"}, lambda x: [0.0, x[1]])}
    events, x = switched(pieces, [10, 10], boost_toggles(), 1.0, rtol, 0.01)
    return events, {"vC": x[0], "iL": x[1], "vS": Vi, "vD": -x[0] - Vi}


def boost_converter(rtol=1e-13):
    Vi, R, C, L = 48, 20, 1e-2, 0.1
    pieces = {
        "conducting": (lambda t, x: [(x[1] - x[0]/R)/C, (Vi - x[0])/L], [(lambda t, x: x[1], -1, "neither")], {True: "charging"}, same),
        "charging": (lambda t, x: [-x[0]/(R*C), Vi/L], [], {False: "conducting"}, same),
        "neither": (lambda t, x: [-x[0]/(R*C), 0.0], [(lambda t, x: Vi - x[0], 1, "conducting")], {True: "charging"}, lambda x: [x[0], 0.0])}
    events, x = switched(pieces, [0, 0], boost_toggles(), 1.0, rtol, 0.01)
    return events, {"vC": x[0], "iL": x[1], "vS": -x[0], "vD": 0.0}


def buck_converter(rtol=1e-13, stop=1e-3):
    """Times in microseconds inside, so that absolute tolerances mean something."""
    Vin, L, C, R, T, on = 24, 50.0, 100.0, 30, 20.0, 8.0
    pieces = {
        "rising": (lambda t, x: [(Vin - x[1])/L, (x[0] - x[1]/R)/C], [], {False: "falling"}, same),
        "falling": (lambda t, x: [-x[1]/L, (x[0] - x[1]/R)/C], [(lambda t, x: x[0], -1, "empty")], {True: "rising"}, same),
        "empty": (lambda t, x: [0.0, -x[1]/(R*C)], [], {True: "rising"}, lambda x: [0.0, x[1]])}
    toggles = sorted([(k*T + on, False) for k in range(50)] + [((k + 1)*T, True) for k in range(49)])
    events, x = switched(pieces, [0, 12], toggles, stop*1e6, rtol, 1.0)
    return [(t*1e-6, what) for t, what in events] + [(stop, "empty->rising")], {"i": x[0], "v": x[1]}


def thyristor_bridge(alpha=2.0, stop=0.1):
    """L i' + R i = +-V sin(wt): i = V/Z (sin(wt - phi) - ...) in closed form."""
    V, w, R, L = 325, 100*PI, 10, 0.03
    Z, phi = math.hypot(R, w*L), math.atan2(w*L, R)
    events, i, half, k, t = [], 0.0, PI/w, 0, 0.0
    mode, current = "blocking", (lambda s: 0.0)
    while True:
        t_fire = alpha/w + k*half
        if mode != "blocking":
            t_off = first_root(current, t, min(t_fire, stop))
            if t_off is not None:
                events.append((t_off, f"{mode}->blocking"))
                mode, current = "blocking", (lambda s: 0.0)
        if t_fire > stop:
            return events, {"i": current(stop)}
        target = ("first", "second")[k % 2]
        events.append((t_fire, f"{mode}->{target}"))
        i, sign, t, mode = current(t_fire), (-1)**k, t_fire, target

        def current(s, i=i, sign=sign, t=t):
            steady = sign*V/Z*math.sin(w*s - phi)
            return steady + (i - sign*V/Z*math.sin(w*t - phi))*math.exp(-(s - t)*R/L)
        k += 1


def thyristor_bridge_continuous():
    return thyristor_bridge(0.6)


def bridge_rectifier(rtol=1e-13, stop=0.04):
    """State v. With the conductances of the diodes known, the potentials a and b solve two linear equations. Milliseconds inside."""
    V, w, Rs, C, R, Ron, Goff = 20, 0.1*PI, 0.5, 2.0, 50, 1e-3, 1e-6

    def solve(t, v, conducting):
        g = [1/Ron if k in conducting else Goff for k in (1, 2, 3, 4)]
        source = V*math.sin(w*t)
        a, b = np.linalg.solve([[1/Rs + g[0] + g[2], -1/Rs], [-1/Rs, 1/Rs + g[1] + g[3]]], [source/Rs + g[0]*v, g[1]*v - source/Rs])
        return a, b, (g[0]*(a - v) + g[1]*(b - v) - v/R)/C
    pieces = {"none": (), "plus": (1, 4), "minus": (2, 3)}

    def piece(name, exits):
        on = pieces[name]
        return Piece(lambda t, x: [solve(t, x[0], on)[2]],
                     [(lambda t, x, d=drop: d(x[0], *solve(t, x[0], on)[:2]), direction, f"{name}->{target}", lambda t, x: (made[target], x))
                      for drop, direction, target in exits])
    made = {}
    made["plus"] = piece("plus", [(lambda v, a, b: a - v, -1, "none")])
    made["minus"] = piece("minus", [(lambda v, a, b: b - v, -1, "none")])
    on = pieces["none"]
    made["none"] = Piece(lambda t, x: [solve(t, x[0], on)[2]],
                         [(lambda t, x: solve(t, x[0], on)[0] - x[0], 1, "none->plus", lambda t, x: (made["plus"], x)),
                          (lambda t, x: solve(t, x[0], on)[1] - x[0], 1, "none->minus", lambda t, x: (made["minus"], x))])
    events, (t, x) = run(made["plus"], [0.0], stop*1e3, rtol, max_step=0.05)
    a, b, _ = solve(t, x[0], on)
    return [(t*1e-3, name) for t, _, name in events], {"v": x[0], "a": a, "b": b}


def half_wave_rectifier(rtol=1e-13, stop=0.5):
    """State v. Hundredths of a second inside."""
    C, R, V, w, Rs = 0.1, 100, 10, 0.5, 1.0

    def source(t):
        return V*math.sin(w*t)
    on, off = Piece(lambda t, v: [((source(t) - v[0])/Rs - v[0]/R)/C], []), Piece(lambda t, v: [-v[0]/(R*C)], [])
    on.exits = [(lambda t, v: source(t) - v[0], -1, "on->off", lambda t, v: (off, v))]
    off.exits = [(lambda t, v: source(t) - v[0], 1, "off->on", lambda t, v: (on, v))]
    events, (t, v) = run(on, [0.0], stop*100, rtol, max_step=0.1)
    return [(t/100, name) for t, _, name in events], {"v": v[0], "vd": source(t) - v[0], "i": 0.0}


def tank_overflow(rtol=1e-13, stop=20.0):
    def inflow(t):
        return 0.5 + 0.4*math.sin(t)
    below, full = Piece(lambda t, h: [inflow(t) - 0.5*math.sqrt(h[0])], []), Piece(lambda t, h: [0.0], [])
    below.exits = [(lambda t, h: h[0] - 1, 1, "below->full", lambda t, h: (full, [1.0]))]
    full.exits = [(lambda t, h: inflow(t) - 0.5, -1, "full->below", lambda t, h: (below, h))]
    events, (t, h) = run(below, [0.5], stop, rtol, max_step=0.1)
    return [(t, name) for t, _, name in events], {"h": h[0], "outflow": 0.5*math.sqrt(h[0]), "over": 0.0}


def reactor_vapour(rtol=1e-12, stop=110.0):
    """States A, H. One phase: T from H. Boiling: temperature and amount of vapour by bisection, one inside the other."""
    cl, cv, T0, latent, TA, TB, trouton, k0, activation = 150, 100, 300, 35000, 400, 340, 10.5, 1e5, 5000

    def k(T):
        return math.exp(trouton*(1 - TA/T)), math.exp(trouton*(1 - TB/T))

    def flash(A, H):
        """T, vapour, xA: for an amount of vapour the equilibrium gives T (Rachford and Rice); the enthalpy decides the amount, a little below 0 too."""
        def temperature(vapour):
            return root(lambda T: sum(z*(f - 1)/(1 + vapour*(f - 1)) for z, f in zip((A, 1 - A), k(T))), TB - 5, TA + 5)

        def enthalpy(vapour):
            T = temperature(vapour)
            return (1 - vapour)*cl*(T - T0) + vapour*(cv*(T - T0) + latent)
        vapour = root(lambda q: enthalpy(q) - H, -0.05, 1.0)
        T = temperature(vapour)
        return T, vapour, A/(1 + vapour*(k(T)[0] - 1))

    def rate(T, amount):
        return k0*math.exp(-activation/T)*amount

    def bubble_pressure(s):
        T = T0 + s[1]/cl
        kA, kB = k(T)
        return s[0]*kA + (1 - s[0])*kB

    def boiling_rate(s):
        T, vapour, xA = flash(s[0], s[1])
        return rate(T, xA*(1 - vapour))
    events, t, s, mode = [], 0.0, np.array([1.0, 1500.0]), "one_phase"
    for t_end, heat in ((60.0, 500.0), (stop, -600.0)):
        while t < t_end:
            if mode == "one_phase":
                piece = Piece(lambda t, s, heat=heat: [-rate(T0 + s[1]/cl, s[0]), heat],
                              [(lambda t, s: bubble_pressure(s) - 1, 1, "boiling", lambda t, s: (None, s))])
            else:
                piece = Piece(lambda t, s, heat=heat: [-boiling_rate(s), heat],
                              [(lambda t, s: flash(s[0], s[1])[1], -1, "one_phase", lambda t, s: (None, s))])
            found, (t, s) = run(piece, s, t_end, rtol, max_step=2.0, t0=t)
            if found:
                events.append((t, f"{mode}->{found[0][2]}"))
                mode = found[0][2]
                if mode == "boiling":
                    at_boiling = T0 + s[1]/cl
    return events, {"A": s[0], "B": 1 - s[0], "T": T0 + s[1]/cl, "T at first vapour": at_boiling}

def op_amp(rtol=1e-13, stop=0.6):
    """State vc; the output follows from which of three branches holds. Milliseconds inside."""
    A, limit, RC = 1e5, 12, 10.0

    def minus(s, side):
        return s[0] + side*limit if side else s[0]/(1 + A)

    def branch(side):
        return Piece(lambda t, s: [(2*math.sin(0.02*t) - minus(s, side))/RC], [])
    linear, high, low = branch(0), branch(1), branch(-1)
    linear.exits = [(lambda t, s: -A*minus(s, 0) - limit, 1, "linear->high", lambda t, s: (high, s)),
                    (lambda t, s: -A*minus(s, 0) + limit, -1, "linear->low", lambda t, s: (low, s))]
    high.exits = [(lambda t, s: -A*minus(s, 1) - limit, -1, "high->linear", lambda t, s: (linear, s))]
    low.exits = [(lambda t, s: -A*minus(s, -1) + limit, 1, "low->linear", lambda t, s: (linear, s))]
    events, (_, s) = run(linear, [0.0], stop*1e3, rtol, max_step=1.0)
    return [(t*1e-3, name) for t, _, name in events], {"vc": s[0], "out": -A*minus(s, 0), "minus": minus(s, 0)}

def voltage_multiplier(stop=0.2, n=2):
    """Currents of the diodes are max(0, drop/R): an ODE with kinks, by Radau IIA in steps that do not hide them."""
    V, w, C, R, load = 10, 100*PI, 1e-5, 10, 1e5

    def f(t, c):
        node = [0.0, c[0] + V*math.sin(w*t)]
        for k in range(1, 2*n):
            node.append(node[k - 1] + c[k])
        i = [max(0.0, (a - b)/R) for a, b in zip(node, node[1:])]
        return [(sum((-1)**(j - k)*i[j] for j in range(k, 2*n)) - (node[-1]/load if k % 2 else 0.0))/C for k in range(2*n)]
    solution = solve_ivp(f, (0, stop), [0.0]*(2*n), method="Radau", rtol=1e-11, atol=1e-12, max_step=2e-5)
    return [], {f"c[{k + 1}]": v for k, v in enumerate(solution.y[:, -1])}


PROBLEMS = {f.__name__: f for f in (peak_detector, boost_converter_literal, boost_converter, buck_converter, thyristor_bridge,
                                    thyristor_bridge_continuous, bridge_rectifier, half_wave_rectifier, tank_overflow, reactor_vapour,
                                    op_amp, voltage_multiplier)}
