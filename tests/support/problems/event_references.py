#!/usr/bin/env python3
"""Reference solutions of the example models with events, computed without saltus: `event_references.py [--header] [NAME]...`.

Needs SciPy (a tool for whoever checks or adds a reference; no test runs it). Each problem is written as its smooth pieces by hand, sliding pieces with
the Filippov field in closed form. A piece is integrated by DOP853 at rtol 1e-13, the root of the guard is found on its dense output and
corrected by Newton's method on solutions that end exactly at the root, so that times and states have the accuracy of the integration (about
1e-11; two tolerances are compared at the end).
"""

import math
import sys

import numpy as np
from scipy.integrate import solve_ivp


class Piece:
    """A smooth piece: f(t, x), and exits [(guard, direction, name, reaction)]; reaction(t, x) gives (next piece, x after)."""

    def __init__(self, f, exits):
        self.f = f
        self.exits = exits


def flow(f, t0, x0, t1, rtol):
    if t1 == t0:
        return np.array(x0, float)
    solution = solve_ivp(f, (t0, t1), x0, method="DOP853", rtol=rtol, atol=rtol)
    return solution.y[:, -1]


def polish(piece, guard, t0, x0, t, rtol):
    """Newton's method for guard(t, x(t)) = 0 with the time derivative by a central difference along the field."""
    for _ in range(4):
        x = flow(piece.f, t0, x0, t, rtol)
        f = np.asarray(piece.f(t, x))
        d = 1e-6
        slope = (guard(t + d, x + d*f) - guard(t - d, x - d*f))/(2*d)
        if slope == 0:
            break
        step = guard(t, x)/slope
        t -= step
        if abs(step) < 1e-15*max(1.0, abs(t)):
            break
    return t, flow(piece.f, t0, x0, t, rtol)


def run(piece, x0, t_end, rtol=1e-13, max_step=np.inf, t0=0.0, max_events=10**6):
    """All events [(t, x before, name)] and the end (t, x)."""
    t, x = t0, np.array(x0, float)
    events = []
    while t < t_end and len(events) < max_events:
        functions = []
        for guard, direction, _, _ in piece.exits:
            def function(s, y, guard=guard):
                return guard(s, y)
            function.terminal = True
            function.direction = direction
            functions.append(function)
        # A guard that is zero at the start of a piece is not an event there: the first 1e-9 are passed without watching.
        skip = min(1e-9, t_end - t)
        x_skip = flow(piece.f, t, x, t + skip, rtol)
        solution = solve_ivp(piece.f, (t + skip, t_end), x_skip, method="DOP853", rtol=rtol, atol=rtol, events=functions,
                             max_step=max_step, dense_output=False)
        if solution.status != 1:
            return events, (t_end, solution.y[:, -1])
        found = min((times[0], k) for k, times in enumerate(solution.t_events) if len(times))
        guard, _, name, reaction = piece.exits[found[1]]
        t_event, x_event = polish(piece, guard, t, x, found[0], rtol)
        events.append((t_event, x_event.copy(), name))
        piece, x = reaction(t_event, x_event.copy())
        if piece is None:
            return events, (t_event, x)
        t = t_event
    return events, (t, x)


def show(name, result):
    events, (t, x) = result
    print(f"## {name}: {len(events)} events")
    for k, (te, xe, what) in enumerate(events[:60]):
        print(f"{k + 1} {te:.12f} {np.array2string(xe, precision=12)} {what}")
    if len(events) > 60:
        print(f"... {events[-1][0]:.12f} {events[-1][1]}")
    print(f"end {t!r} {[float(v) for v in x]!r}")


# DISODE45, problem 1: side +1, -1, or 0 for sliding.
def filippov_cycle(rtol=1e-13):
    def g(y):
        return y[1] - 0.2 - math.sin(2*y[0])

    def field(u):
        return lambda t, y: [y[1] - math.sin(2*y[0]), 2*math.cos(2*y[0])*(y[1] - math.sin(2*y[0])) - y[0] + u(y)]
    above = Piece(field(lambda y: -1/(1 + abs(g(y))**1.5)), [])
    below = Piece(field(lambda y: 1/(1 + abs(g(y))**1.5)), [])
    # On the surface g' = y2' - 2cos(2 y1) y1' = -y1 + u = 0: u = y1, and |y1| < 1 while it slides.
    slide = Piece(lambda t, y: [0.2, 2*math.cos(2*y[0])*0.2], [])

    def hit(t, y):
        if abs(y[0]) < 1:
            return slide, np.array([y[0], 0.2 + math.sin(2*y[0])])
        return (below if y[0] > 0 else above), y
    above.exits = [(lambda t, y: g(y), -1, "from above", hit)]
    below.exits = [(lambda t, y: g(y), 1, "from below", hit)]
    slide.exits = [(lambda t, y: y[0] - 1, 1, "slide exit", lambda t, y: (below, np.array([1.0, 0.2 + math.sin(2.0)])))]
    return run(below, [-0.75, -1 - math.sin(1.5)], 30, rtol)


# DISODE45, problem 2.
def structural_pounding(rtol=1e-13):
    c = 2.47e6

    def field(force):
        return lambda t, y: [y[1], (-4.1*y[1] - 210.125*y[0] - force(y) - 2*math.sin(14*t))/2]

    def spring(y):
        return c*max(y[0] - 0.005, 0)**1.5
    free = Piece(field(lambda y: 0), [])
    closing = Piece(field(lambda y: spring(y) + 1.98*math.sqrt(2*c*math.sqrt(max(y[0] - 0.005, 0)))*y[1]), [])
    opening = Piece(field(spring), [])
    free.exits = [(lambda t, y: y[0] - 0.005, 1, "contact", lambda t, y: (closing, np.array([0.005, y[1]])))]
    closing.exits = [(lambda t, y: y[1], -1, "deepest", lambda t, y: (opening, y))]
    opening.exits = [(lambda t, y: y[0] - 0.005, -1, "release", lambda t, y: (free, y))]
    return run(free, [0, 0], 3, rtol, max_step=0.01)


# DISODE45, problem 3: on the surface y1' = y2 - s = 0, s = y2, and |y2| < 1 while it slides.
def relay_feedback(rtol=1e-13):
    w, z = 25, 0.05

    def field(s):
        return lambda t, y: [-(2*z*w + 1)*y[0] + y[1] - s, -(2*z*w + w*w)*y[0] + y[2] + 2*s, -w*w*y[0] - s]
    plus, minus = Piece(field(1), []), Piece(field(-1), [])
    slide = Piece(lambda t, y: [0, y[2] + 2*y[1], -y[1]], [])

    def hit(t, y):
        y[0] = 0
        if abs(y[1]) < 1:
            return slide, y
        return (plus if y[1] > 0 else minus), y
    plus.exits = [(lambda t, y: y[0], -1, "enter", hit)]
    minus.exits = [(lambda t, y: y[0], 1, "enter", hit)]
    slide.exits = [(lambda t, y: y[1] - 1, 1, "leave", lambda t, y: (plus, y)), (lambda t, y: y[1] + 1, -1, "leave", lambda t, y: (minus, y))]
    return run(slide, [0, 0.2, 0.06], 4*math.pi, rtol, max_step=0.002)


# Masses with Coulomb friction, the friction of each given by a function of its place (0 for none known: constant).
class FrictionChain:
    """x'' = force(x) - F_i(x) sign(v_i): signs by event, sticking while |force_i| <= F_i. Pieces are built as they are met."""

    def __init__(self, n, force, friction, places=()):
        self.n, self.force, self.friction, self.places = n, force, friction, places

    def piece(self, signs, sides):
        n = self.n

        def field(t, y):
            a = self.force(y[:n])
            F = self.friction(sides)
            acceleration = [0.0 if signs[i] == 0 else a[i] - F[i]*signs[i] for i in range(n)]
            return np.concatenate([[0.0 if signs[i] == 0 else y[n + i] for i in range(n)], acceleration])
        exits = []
        for i in range(n):
            if signs[i] != 0:
                exits.append((lambda t, y, i=i: y[n + i], -signs[i], f"v{i + 1}", self.stop(signs, sides, i)))
            else:
                F = self.friction(sides)[i]
                exits.append((lambda t, y, i=i, F=F: self.force(y[:n])[i] - F, 1, f"go{i + 1}+", self.go(signs, sides, i, 1)))
                exits.append((lambda t, y, i=i, F=F: self.force(y[:n])[i] + F, -1, f"go{i + 1}-", self.go(signs, sides, i, -1)))
        for i in self.places:
            exits.append((lambda t, y, i=i: y[i], 0, f"y{i + 1}", self.cross(signs, sides, i)))
        return Piece(field, exits)

    def stop(self, signs, sides, i):
        def reaction(t, y):
            y[self.n + i] = 0.0
            a, F = self.force(y[:self.n])[i], self.friction(sides)[i]
            new = list(signs)
            new[i] = 0 if abs(a) <= F else (1 if a > 0 else -1)
            return self.piece(tuple(new), sides), y
        return reaction

    def go(self, signs, sides, i, sign):
        def reaction(t, y):
            new = list(signs)
            new[i] = sign
            return self.piece(tuple(new), sides), y
        return reaction

    def cross(self, signs, sides, i):
        def reaction(t, y):
            new = dict(sides)
            new[i] = -sides[i]
            y[i] = 0.0
            return self.piece(signs, new), y
        return reaction


def two_masses_with_friction(rtol=1e-13):
    chain = FrictionChain(2, lambda x: [x[1] - x[0], x[0] - x[1]],
                          lambda sides: [1 if sides[0] > 0 else 0.6, 0.2 if sides[1] > 0 else 0.5], places=(0, 1))
    return run(chain.piece((1, -1), {0: -1, 1: 1}), [-2, 3, 0, 0], 11, rtol, max_step=0.02)


def friction_blocks(rtol=1e-12, N=20, F=0.01, t_end=40):
    def force(x):
        tension = np.diff(x)
        return np.concatenate([[tension[0]], tension[1:] - tension[:-1], [-tension[-1]]])
    chain = FrictionChain(N, force, lambda sides: [F]*N)
    x0 = np.array([math.exp(-0.1*i*i) for i in range(N)])
    a = force(x0)
    signs = tuple(0 if abs(a[i]) <= F else (1 if a[i] > 0 else -1) for i in range(N))
    return run(chain.piece(signs, {}), np.concatenate([x0, np.zeros(N)]), t_end, rtol, max_step=0.05)


def belt(rtol=1e-13, eps=0.0):
    """eps > 0: the mass sticks when it has left the band, as the automaton with --sliding hysteresis."""
    slower = Piece(lambda t, y: [y[1], -3*y[0] + 1/(1 - 3*(y[1] - 0.2))], [])
    faster = Piece(lambda t, y: [y[1], -3*y[0] - 1/(1 + 3*(y[1] - 0.2))], [])
    stick = Piece(lambda t, y: [0.2, 0], [])
    slower.exits = [(lambda t, y: y[1] - 0.2 - eps, 1, "stick", lambda t, y: (stick if abs(3*y[0]) < 1 else faster, np.array([y[0], 0.2])))]
    stick.exits = [(lambda t, y: 3*y[0] - 1, 1, "slip", lambda t, y: (slower, y))]
    return run(slower, [0, 0], 15, rtol, max_step=0.05)


def stick_slip(rtol=1e-13, eps=0.0):
    """eps > 0: slipping ends at the edge of the band, the relative velocity is then set to zero (sliding on the middle)."""
    mu = 0.4

    def slip(s):
        return lambda t, y: [y[2], y[3], math.sin(t) - mu*s, mu*s]
    right, left = Piece(slip(1), []), Piece(slip(-1), [])
    stick = Piece(lambda t, y: [y[2], y[3], math.sin(t)/2, math.sin(t)/2], [])

    def enter(t, y):
        y[2] = y[3] = (y[2] + y[3])/2
        return stick, y
    right.exits = [(lambda t, y: y[2] - y[3] + eps, -1, "stick", enter)]
    left.exits = [(lambda t, y: y[2] - y[3] - eps, 1, "stick", enter)]
    stick.exits = [(lambda t, y: math.sin(t) - 2*mu, 1, "slip right", lambda t, y: (right, y)),
                   (lambda t, y: math.sin(t) + 2*mu, -1, "slip left", lambda t, y: (left, y))]
    return run(stick if eps == 0 else right, [1, 1, 0, 0], 10, rtol, max_step=0.05)


def belt_hysteresis(rtol=1e-13):
    return belt(rtol, 1e-5)


def stick_slip_hysteresis(rtol=1e-13):
    return stick_slip(rtol, 0.003)


def rectifier(rtol=1e-13):
    R, L, R3, L3 = 2, 0.04, 10, 0.2

    def v(t):
        return 100*math.cos(100*math.pi*t)

    def one(t, i):
        return [(v(t) - (R + R3)*i[0])/(L + L3), 0]

    def two(t, i):
        return [0, (-v(t) - (R + R3)*i[1])/(L + L3)]

    def both(t, i):
        A = np.array([[L + L3, L3], [L3, L + L3]])
        s = R3*(i[0] + i[1])
        return np.linalg.solve(A, [v(t) - R*i[0] - s, -v(t) - R*i[1] - s])

    def v3(f, t, i):
        d = f(t, i)
        return R3*(i[0] + i[1]) + L3*(d[0] + d[1])
    p1, p2, pb = Piece(one, []), Piece(two, []), Piece(both, [])
    p1.exits = [(lambda t, i: -v(t) - v3(one, t, i), 1, "one->both", lambda t, i: (pb, i))]
    p2.exits = [(lambda t, i: v(t) - v3(two, t, i), 1, "two->both", lambda t, i: (pb, i))]
    pb.exits = [(lambda t, i: i[0], -1, "both->two", lambda t, i: (p2, np.array([0, i[1]]))),
                (lambda t, i: i[1], -1, "both->one", lambda t, i: (p1, np.array([i[0], 0])))]
    return run(p1, [0, 0], 0.05, rtol, max_step=1e-4)


def two_tanks(rtol=1e-13):
    area, inflow, pipe, height, outlet = 0.0154, 1e-4, 1.2e-4, 0.3, 0.8e-4

    def piece(pumping, above1, above2, is_open):
        def f(t, h):
            q = 0.0
            if above1:
                q = pipe*math.sqrt(max(h[0] - h[1], 0)) if above2 else pipe*math.sqrt(max(h[0] - height, 0))
            out = outlet*math.sqrt(max(h[1], 0)) if is_open else 0.0
            return [((inflow if pumping else 0) - q)/area, (q - out)/area]
        exits = [(lambda t, h: h[0] - height, -1 if above1 else 1, "h1 pipe", lambda t, h: (piece(pumping, not above1, above2, is_open), h)),
                 (lambda t, h: h[1] - height, -1 if above2 else 1, "h2 pipe", lambda t, h: (piece(pumping, above1, not above2, is_open), h))]
        if pumping:
            exits.append((lambda t, h: h[0] - 0.5, 1, "pump off", lambda t, h: (piece(False, above1, above2, is_open), h)))
        else:
            exits.append((lambda t, h: h[0] - 0.4, -1, "pump on", lambda t, h: (piece(True, above1, above2, is_open), h)))
        p = Piece(f, exits)
        p.pumping, p.sides = pumping, (above1, above2)
        return p
    events, x, t = [], np.array([0.1, 0.05]), 0.0
    state = [True, False, False]
    for k in range(5):
        for is_open, t1 in ((False, 100*k + 60.0), (True, 100*k + 100.0)):
            found, (t, x) = run(piece(*state, is_open), x, t1, rtol, max_step=0.5, t0=t)
            for e in found:
                if e[2] == "pump off":
                    state[0] = False
                elif e[2] == "pump on":
                    state[0] = True
                elif e[2] == "h1 pipe":
                    state[1] = not state[1]
                else:
                    state[2] = not state[2]
            events += found
    return events, (t, x)


def colliding_pendulums(rtol=1e-13):
    m1, m2, e, w = 1, 2, 0.9, 2
    piece = Piece(lambda t, y: [y[1], -w*w*y[0], y[3], -w*w*y[2]], [])

    def impact(t, y):
        p, d = m1*y[1] + m2*y[3], -e*(y[1] - y[3])
        y[3] = (p - m1*d)/(m1 + m2)
        y[1] = y[3] + d
        return piece, y
    piece.exits = [(lambda t, y: y[0] - y[2], 1, "impact", impact)]
    return run(piece, [-1, 0, 0, 0], 10, rtol, max_step=0.05)


PROBLEMS = {f.__name__: f for f in (filippov_cycle, structural_pounding, relay_feedback, two_masses_with_friction, friction_blocks,
                                    belt, belt_hysteresis, stick_slip,
                                    stick_slip_hysteresis, rectifier, two_tanks, colliding_pendulums)}


def print_header(names):
    """The events and the end of these problems as C++, for bench/disode45_reference.hpp."""
    for name in names:
        events, (t, x) = PROBLEMS[name]()
        print(f"inline const ReferenceSolution k{''.join(part.capitalize() for part in name.split('_'))}{{")
        print("    {")
        for te, xe, _ in events:
            xe = [0.0 if abs(v) < 1e-13 else float(f"{v:.14g}") for v in xe]
            print(f"        {{{te:.14g}, {{{', '.join(repr(v) for v in xe)}}}}},")
        print(f"    }},\n    {{{', '.join(repr(float(f'{v:.14g}')) for v in x)}}}}};\n")


def main():
    if sys.argv[1:2] == ["--header"]:
        print_header(sys.argv[2:])
        return
    for name in sys.argv[1:] or PROBLEMS:
        result = PROBLEMS[name]()
        show(name, result)
        coarser = PROBLEMS[name](rtol=1e-11)
        shift = max([abs(a[0] - b[0]) for a, b in zip(result[0], coarser[0])] or [0.0])
        print(f"differs from rtol 1e-11 by {shift:.1e} in times, {np.abs(result[1][1] - coarser[1][1]).max():.1e} at the end, "
              f"{len(coarser[0]) - len(result[0])} in number\n")


if __name__ == "__main__":
    main()
