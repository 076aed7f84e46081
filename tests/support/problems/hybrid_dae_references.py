#!/usr/bin/env python3
"""Reference solutions of the examples whose modes differ in index or size, computed without saltus: `hybrid_dae_references.py [NAME]...`.

Needs SciPy (no test runs it). Every mode is reduced by hand: constraints are solved for the variables they fix, forces and currents that
belong to them follow in closed form, and what is left is an ODE in minimal coordinates. Where it has an elementary solution, that is used
with the root of a scalar function; else the ODE is integrated as in event_references.py (DOP853 at 1e-13, roots corrected by Newton's
method). Events are printed with the mode left and entered, end values with the names of the model.
"""

import math
import sys

import numpy as np
from event_references import Piece, run
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


def string_pendulum(rtol=1e-13, stop=5.0):
    """Tight: angle p from the lowest point and its rate. Slack: a parabola; its meeting with the circle is the root of a quartic."""
    g, L = 9.81, 1.0

    def force(_, s):
        return s[1]**2 + g/L*math.cos(s[0])

    def cartesian(s):
        p, w = s
        return [L*math.sin(p), -L*math.cos(p), L*w*math.cos(p), L*w*math.sin(p)]
    tight = Piece(lambda t, s: [s[1], -g/L*math.sin(s[0])], [])
    tight.exits = [(force, -1, "tight->slack", lambda t, s: (None, s))]
    events, t, s = [], 0.0, np.array([0.0, 6.5])
    while True:
        found, (t_end, s) = run(tight, s, stop, rtol, max_step=0.05, t0=t)
        if not found:
            x, y, vx, vy = cartesian(s)
            return events, {"x": x, "y": y, "vx": vx, "vy": vy, "force": force(0, s)}
        t = t_end
        x, y, vx, vy = cartesian(s)
        events.append((t, "tight->slack"))
        # |q + v h - g h^2/2|^2 = L^2; h = 0 is a root three times over (length, its rate, the force)
        h = 4*vy/g
        if t + h > stop:
            h = stop - t
            return events, {"x": x + vx*h, "y": y + vy*h - g*h*h/2, "vx": vx, "vy": vy - g*h}
        x, y, vx, vy, t = x + vx*h, y + vy*h - g*h*h/2, vx, vy - g*h, t + h
        events.append((t, "slack->tight"))
        s = np.array([math.atan2(x, -y), (-y*vx + x*vy)/L**2])


def tank_overflow(rtol=1e-13, stop=20.0):
    def inflow(t):
        return 0.5 + 0.4*math.sin(t)
    below, full = Piece(lambda t, h: [inflow(t) - 0.5*math.sqrt(h[0])], []), Piece(lambda t, h: [0.0], [])
    below.exits = [(lambda t, h: h[0] - 1, 1, "below->full", lambda t, h: (full, [1.0]))]
    full.exits = [(lambda t, h: inflow(t) - 0.5, -1, "full->below", lambda t, h: (below, h))]
    events, (t, h) = run(below, [0.5], stop, rtol, max_step=0.1)
    return [(t, name) for t, _, name in events], {"h": h[0], "outflow": 0.5*math.sqrt(h[0]), "over": 0.0}


def pendulum_release(rtol=1e-13, stop=5.0):
    """Held: the angle from the lowest point. Free: a parabola."""
    g, limit = 9.81, 4.0
    held = Piece(lambda t, s: [s[1], -g*math.sin(s[0]) + t*math.cos(3*t)*math.cos(s[0])], [])
    held.exits = [(lambda t, s: s[1]**2 - limit**2, 1, "held->free", lambda t, s: (None, s))]
    events, (t, (p, w)) = run(held, [0.0, 0.0], stop, rtol, max_step=0.05)
    h, vx, vy = stop - t, w*math.cos(p), w*math.sin(p)
    return [(t, "held->free")], {"x": math.sin(p) + vx*h, "y": -math.cos(p) + vy*h - g*h*h/2, "vx": vx, "vy": vy - g*h}


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


def clutch(static=1.2, rtol=1e-13, stop=10.0):
    J1, J2, b, capacity = 0.2, 0.5, 0.1, 20
    events, t, x, mode = [], 0.0, np.array([100.0, 0.0]), "faster"

    def engine(t):
        return 5 + 10*math.sin(2*t)
    for t_end, press, load in ((1.0, lambda t: t, 2), (6.0, lambda t: 1, 2), (7.0, lambda t: 1, 60), (stop, lambda t: 1, 2)):
        def locked_torque(t, x, load=load):
            return (J2*engine(t) + J1*(load + b*x[1]))/(J1 + J2)

        def faster(t, x, press=press, load=load):
            return [(engine(t) - capacity*press(t))/J1, (capacity*press(t) - load - b*x[1])/J2]

        def locked(t, x, load=load):
            return [(engine(t) - load - b*x[1])/(J1 + J2)]*2
        while t < t_end:
            if mode == "faster":
                piece = Piece(faster, [(lambda t, x: x[0] - x[1], -1, "locked", lambda t, x: (None, x))])
            else:
                piece = Piece(locked, [(lambda t, x, torque=locked_torque: torque(t, x) - static*capacity, 1, "faster", lambda t, x: (None, x))])
            found, (t, x) = run(piece, x, t_end, rtol, max_step=0.05, t0=t)
            if found:
                events.append((t, f"{mode}->{found[0][2]}"))
                mode = found[0][2]
                x = np.array([x[1], x[1]])
    return events, {"w1": x[0], "w2": x[1], "torque": locked_torque(t, x)}


def clutch_friction():
    """Friction that holds no more than it gives while slipping."""
    return clutch(1.0)


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


def bowed_string(n=20, c=3, rtol=1e-12, stop=6.0, band=None):
    """States of the bow and of the nodes between the fixed ends. Sticking: node and bow move together, the friction follows from both equations."""
    L, T, rho, mb, v0, Omega, limit = 0.7, 55, 0.5, 1, 0.5, 2, 0.4*1.8
    m, at = n - 1, c - 2
    stiffness = T/(L/n)**2

    def forces(t, s):
        y = np.concatenate([[0], s[2:2 + m], [0]])
        return stiffness*(y[:-2] - 2*y[1:-1] + y[2:]), -v0*Omega*math.sin(Omega*t)

    def sticking(t, s):
        string, bow = forces(t, s)
        # (string + F)/rho = (bow - F)/mb
        return (bow/mb - string[at]/rho)/(1/rho + 1/mb)

    def field(friction):
        def f(t, s):
            string, bow = forces(t, s)
            force = friction(t, s)
            string[at] += force
            return np.concatenate([[s[1], (bow - force)/mb], s[2 + m:], string/rho])
        return f

    def slip(t, s):
        return s[2 + m + at] - s[1]

    def level(t, s):
        s[2 + m + at] = s[1]
        return s
    slower, stick, faster = Piece(field(lambda t, s: limit), []), Piece(field(sticking), []), Piece(field(lambda t, s: -limit), [])

    def arrive(t, s):
        """Beyond the friction that holds: the side that it points to."""
        force = sticking(t, level(t, s))
        return (stick if abs(force) <= limit else slower if force > limit else faster), s
    slower.exits = [(slip, 1, "arrive", arrive)]
    faster.exits = [(slip, -1, "arrive", arrive)]
    stick.exits = [(lambda t, s: sticking(t, s) - limit, 1, "stick->slower", lambda t, s: (slower, s)),
                   (lambda t, s: sticking(t, s) + limit, -1, "stick->faster", lambda t, s: (faster, s))]
    if band:
        slower.exits = [(lambda t, s: slip(t, s) - band, 1, "slower->faster", lambda t, s: (faster, s))]
        faster.exits = [(lambda t, s: slip(t, s) + band, -1, "faster->slower", lambda t, s: (slower, s))]
    start = np.zeros(2 + 2*m)
    start[1] = v0
    events, (_, s) = run(slower, start, stop, rtol, max_step=2e-4)
    return [(t, name) for t, _, name in events], {"yb": s[0], "vb": s[1], f"y[{c}]": s[2 + at], f"v[{c}]": s[2 + m + at]}


def bowed_string_band():
    return bowed_string(band=0.005)


def friction_pendulum(rtol=1e-13, stop=10.0):
    """In the angle: sticking while the torques of weight and push stay below friction."""
    g, mu, push = 9.81, 2.0, 6.0

    def torque(t, s):
        return -g*math.sin(s[0]) + push*math.sin(t)*math.cos(s[0])
    left, right, stick = Piece(lambda t, s: [s[1], torque(t, s) + mu], []), Piece(lambda t, s: [s[1], torque(t, s) - mu], []), Piece(lambda t, s: [0.0, 0.0], [])

    def arrive(t, s):
        needed = torque(t, s)
        return (stick if abs(needed) <= mu else right if needed > mu else left), np.array([s[0], 0.0])
    left.exits = [(lambda t, s: s[1], 1, "left->", arrive)]
    right.exits = [(lambda t, s: s[1], -1, "right->", arrive)]
    stick.exits = [(lambda t, s: torque(t, s) - mu, 1, "stick->right", lambda t, s: (right, s)),
                   (lambda t, s: torque(t, s) + mu, -1, "stick->left", lambda t, s: (left, s))]
    events, (t, (p, w)) = run(left, [math.atan2(0.6, 0.8), 0.0], stop, rtol, max_step=0.02)
    sign = math.copysign(mu, w)
    force = w*w + g*math.cos(p) + push*math.sin(t)*math.sin(p)
    return [(t, name) for t, _, name in events], {"x": math.sin(p), "y": -math.cos(p), "w": w, "torque": sign, "force": force}


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


def compass_walker(rtol=1e-13, stop=5.0):
    """In the angles of both legs; the impact by solving for their rates."""
    mh, m, L, g, slope = 10, 5, 1, 9.81, 3*PI/180
    A, B, c = (mh + 1.25*m)*L**2, m*L**2/4, m*L**2/2

    def f(t, q):
        a, b, wa, wb = q
        k, sn = c*math.cos(a + b), c*math.sin(a + b)
        rates = np.linalg.solve([[A, k], [k, B]], [sn*wb**2 + g*(mh + 1.5*m)*L*math.sin(a), sn*wa**2 - g*m*L/2*math.sin(b)])
        return [wa, wb, rates[0], rates[1]]

    def cross(u, v):
        return u[0]*v[1] - u[1]*v[0]

    def impact(t, q):
        a, b, wa, wb = q
        # positions relative to the hip; the foot in front is the new standing foot
        behind, front = L*np.array([-math.sin(a), -math.cos(a)]), L*np.array([math.sin(b), -math.cos(b)])
        hip = L*wa*np.array([math.cos(a), -math.sin(a)])
        swing = hip + L*wb*np.array([math.cos(b), math.sin(b)])
        whole = mh*cross(-front, hip) + m*cross(front/2 - front, (hip + swing)/2) + m*cross(behind/2 - front, hip/2)
        trailing = m*cross(behind/2, hip/2)
        a2, b2 = -b, -a
        dh = L*np.array([math.cos(a2), -math.sin(a2)])
        db = L*np.array([math.cos(b2), math.sin(b2)])

        def momenta(wa2, wb2):
            v = wa2*dh
            leg = v + wb2*db/2
            return np.array([mh*cross(-front, v) + m*cross(-front/2, v/2) + m*cross(behind/2 - front, leg), m*cross(behind/2, leg)])
        rates = np.linalg.solve(np.column_stack([momenta(1, 0), momenta(0, 1)]), [whole, trailing])
        place.append(place[-1] + np.array([L*(math.sin(a) + math.sin(b)), L*(math.cos(a) - math.cos(b))]))
        return walk, np.array([a2, b2, *rates])
    place = [np.zeros(2)]
    # the height of the swinging foot over the ground has the factor that vanishes when the legs meet; the other one is this
    walk = Piece(f, [])
    walk.exits = [(lambda t, q: math.sin((q[0] - q[1])/2) - math.tan(slope)*math.cos((q[0] - q[1])/2) if q[0] + q[1] > 0.1 else -1.0, 1, "step", impact)]
    events, (t, q) = run(walk, [-0.2187, -0.2187 - 2*slope, 1.0918, -0.3772], stop, rtol, max_step=0.01)
    a, b, wa, wb = q
    p = place[-1]
    return [(t, name) for t, _, name in events], {"x": p[0] + L*math.sin(a), "y": p[1] + L*math.cos(a), "vx": L*wa*math.cos(a), "vy": -L*wa*math.sin(a),
                                                  "xs": p[0] + L*(math.sin(a) + math.sin(b)), "px": p[0], "py": p[1]}


def pendulum_wall(rtol=1e-13, stop=3.0):
    g, wall, e = 9.81, 0.3, 0.8
    swing = Piece(lambda t, s: [s[1], -g*math.sin(s[0])], [])
    swing.exits = [(lambda t, s: math.sin(s[0]) - wall, 1, "impact", lambda t, s: (swing, np.array([s[0], -e*s[1]])))]
    events, (_, (p, w)) = run(swing, [math.atan2(-0.8, 0.6), 0.0], stop, rtol, max_step=0.02)
    return [(t, name) for t, _, name in events], {"x": math.sin(p), "y": -math.cos(p), "vx": w*math.cos(p), "vy": w*math.sin(p),
                                                  "force": w*w + g*math.cos(p)}


PROBLEMS = {f.__name__: f for f in (peak_detector, string_pendulum, tank_overflow, pendulum_release, boost_converter_literal, boost_converter,
                                    buck_converter, thyristor_bridge, thyristor_bridge_continuous, clutch, clutch_friction, reactor_vapour,
                                    bridge_rectifier, bowed_string, bowed_string_band, friction_pendulum,
                                    half_wave_rectifier, compass_walker, pendulum_wall)}


def main():
    for name in sys.argv[1:] or PROBLEMS:
        events, end = PROBLEMS[name]()
        print(name)
        if len(events) < 30:
            print("  " + ", ".join(what for _, what in events))
        print("  " + ", ".join(f"{t:.12g}" for t, _ in events))
        print("  end " + ", ".join(f"{k} = {v:.14g}" for k, v in end.items()) + "\n")


if __name__ == "__main__":
    main()
