#!/usr/bin/env python3
"""Reference solutions of the examples whose modes differ in index or size, computed without saltus: `hybrid_dae_references.py [NAME]...`.

Needs SciPy (no test runs it). Every mode is reduced by hand: constraints are solved for the variables they fix, forces and currents that
belong to them follow in closed form, and what is left is an ODE in minimal coordinates. Where it has an elementary solution, that is used
with the root of a scalar function; else the ODE is integrated as in event_references.py (DOP853 at 1e-13, roots corrected by Newton's
method). Events are printed with the mode left and entered, end values with the names of the model.
"""

import math
import sys

import hybrid_circuit_references as circuits
import numpy as np
from event_references import Piece, run
from hybrid_circuit_references import first_root, root

PI = math.pi


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


def pendulum_release(rtol=1e-13, stop=5.0):
    """Held: the angle from the lowest point. Free: a parabola."""
    g, limit = 9.81, 4.0
    held = Piece(lambda t, s: [s[1], -g*math.sin(s[0]) + t*math.cos(3*t)*math.cos(s[0])], [])
    held.exits = [(lambda t, s: s[1]**2 - limit**2, 1, "held->free", lambda t, s: (None, s))]
    events, (t, (p, w)) = run(held, [0.0, 0.0], stop, rtol, max_step=0.05)
    h, vx, vy = stop - t, w*math.cos(p), w*math.sin(p)
    return [(t, "held->free")], {"x": math.sin(p) + vx*h, "y": -math.cos(p) + vy*h - g*h*h/2, "vx": vx, "vy": vy - g*h}


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


def bead_on_wire(rtol=1e-13, stop=6.0):
    """In x: the arc length and the curvature of the parabola in closed form."""
    g, mu = 9.81, 0.2

    def field(direction):
        def f(t, s):
            x, v = s
            r = math.sqrt(1 + 4*x*x)
            normal = g/r + 2/r**3*v*v
            return [v/r, -g*2*x/r - direction*mu*abs(normal)]
        return f
    left, right, stick = Piece(field(-1), []), Piece(field(1), []), Piece(lambda t, s: [0.0, 0.0], [])

    def arrive(t, s):
        return (stick if abs(2*s[0]) <= mu else left if s[0] > 0 else right), np.array([s[0], 0.0])
    left.exits = [(lambda t, s: s[1], 1, "left->", arrive)]
    right.exits = [(lambda t, s: s[1], -1, "right->", arrive)]
    events, (_, (x, v)) = run(left, [1.5, 0.0], stop, rtol, max_step=0.01)
    r = math.sqrt(1 + 4*x*x)
    return [(t, name) for t, _, name in events], {"x": x, "y": x*x, "vt": v, "N": g/r, "F": -g*2*x/r}


def tracking(stop=5.0):
    """Prescribed: derivatives of the path. Free: the centre of mass moves evenly, the difference swings."""
    m1, m2, k = 1, 2, 10
    t = root(lambda t: 0.5*math.sin(t) + 0.1*t*t - 1, 3, 3.5)
    x1, v1, a1, j1 = 1.0, 0.5*math.cos(t) + 0.2*t, -0.5*math.sin(t) + 0.2, -0.5*math.cos(t)
    x2, v2 = x1 + m1*a1/k, v1 + m1*j1/k
    h, w = stop - t, math.sqrt(k*(1/m1 + 1/m2))
    centre, speed = (m1*x1 + m2*x2)/(m1 + m2) + (m1*v1 + m2*v2)/(m1 + m2)*h, (m1*v1 + m2*v2)/(m1 + m2)
    d, dv = (x2 - x1)*math.cos(w*h) + (v2 - v1)/w*math.sin(w*h), (v2 - v1)*math.cos(w*h) - w*(x2 - x1)*math.sin(w*h)
    return [(t, "prescribed->free")], {"x1": centre - m2/(m1 + m2)*d, "x2": centre + m1/(m1 + m2)*d, "v1": speed - m2/(m1 + m2)*dv, "v2": speed + m1/(m1 + m2)*dv}


def ball_on_shaker(stop=2.0):
    """Lift-off where the table falls with g; landing where the parabola meets the table; the same in every period."""
    g, a, w = 9.81, 0.05, 17
    lift = math.asin(g/(a*w*w))/w
    y, v = a*math.sin(w*lift), a*w*math.cos(w*lift)
    land = first_root(lambda t: y + v*(t - lift) - g*(t - lift)**2/2 - a*math.sin(w*t), lift + 0.02, lift + 2*PI/w)
    events = sorted((t + 2*PI/w*k, what) for k in range(10) for t, what in ((lift, "resting->flying"), (land, "flying->resting")))
    events = [e for e in events if e[0] <= stop]
    h = stop - events[-1][0]
    return events, {"y": y + v*h - g*h*h/2, "v": v - g*h}

def breaking_bars(rtol=1e-13, stop=2.0):
    """Three or two bars: a pendulum. One bar: its angle a and that of the plate."""
    L, g, m, J = 1.0, 9.81, 2.0, 0.3

    def f(t, q):
        a, phi, da, w = q
        k = m*L*math.sin(a - phi)
        ax, ay = -L*math.sin(a)*da**2 - math.cos(phi)*w**2, L*math.cos(a)*da**2 - math.sin(phi)*w**2 + g
        left = -m*L*(math.cos(a)*ax + math.sin(a)*ay)
        right = -m*(-math.sin(phi)*ax + math.cos(phi)*ay)
        rates = np.linalg.solve([[m*L*L, k], [k, m + J]], [left, right])
        return [da, w, rates[0], rates[1]]
    pendulum, swing = Piece(lambda t, s: [s[1], -g/L*math.sin(s[0])], []), Piece(f, [])
    swing.exits = [(lambda t, q: q[1] + 1.5, -1, "one->none", lambda t, q: (None, q))]
    _, (_, (a, da)) = run(pendulum, [math.atan2(0.6, 0.8), 0.0], 1.0, rtol, max_step=0.02)
    events, (t, (a, phi, da, w)) = run(swing, [a, 0.0, da, 0.0], stop, rtol, max_step=0.01, t0=1.0)
    h = stop - t
    vx, vy = L*math.cos(a)*da - math.sin(phi)*w, L*math.sin(a)*da + math.cos(phi)*w
    x, y = L*math.sin(a) + math.cos(phi) - 1 + vx*h, -L*math.cos(a) + math.sin(phi) + vy*h - g*h*h/2
    return [(0.5, "three->two"), (1.0, "two->one"), (t, "one->none")], {"x": x, "y": y, "phi": phi + w*h, "vx": vx, "vy": vy - g*h, "w": w}

def double_pendulum_friction(rtol=1e-12, stop=8.0):
    """Angles a, b of the rods; each joint slips one way, the other way, or sticks, as long as the torque that this takes is below friction."""
    g, c1, c2 = 9.81, 1.5, 0.8

    def system(s, t1, t2):
        a, b, wa, wb = s
        sn = math.sin(a - b)
        return (np.array([[2, math.cos(a - b)], [math.cos(a - b), 1.0]]),
                np.array([-sn*wb**2 - 2*g*math.sin(a) - t1 + t2, sn*wa**2 - g*math.sin(b) - t2]))

    def torques(s, s1, s2):
        M, r = system(s, c1*s1, c2*s2)
        if s1 == 0 and s2 == 0:
            return r[0] + r[1], r[1]
        if s1 == 0:
            return r[0] - M[0, 1]*r[1]/M[1, 1], c2*s2
        return c1*s1, M[0].sum()*r.sum()/M.sum() - r[0] if s2 == 0 else c2*s2

    def field(s1, s2):
        def f(_, s):
            M, r = system(s, *torques(s, s1, s2))
            return [s[2], s[3], *np.linalg.solve(M, r)]
        return f

    def choose(t, s):
        """The one state of both joints that agrees with itself."""
        found = []
        for s1 in (1, -1, 0) if s[2] == 0 else (np.sign(s[2]),):
            for s2 in (1, -1, 0) if s[3] == s[2] else (np.sign(s[3] - s[2]),):
                d, (t1, t2) = field(s1, s2)(t, s), torques(s, s1, s2)
                first = s[2] != 0 or (abs(t1) < c1 - 1e-9 if s1 == 0 else s1*d[2] > -1e-9)
                second = s[3] != s[2] or (abs(t2) < c2 - 1e-9 if s2 == 0 else s2*(d[3] - d[2]) > -1e-9)
                if first and second:
                    found.append((s1, s2))
        (found,) = found
        return piece(*found)

    def piece(s1, s2):
        def react(t, s):
            if abs(s[2]) < 1e-8:
                s[2] = 0
            if abs(s[3] - s[2]) < 1e-8:
                s[3] = s[2]
            return choose(t, s), s
        exits = [(lambda t, s: s[2], -s1, "w1", react)] if s1 else [
            (lambda t, s, sign=sign: torques(s, s1, s2)[0] - sign*c1, sign, "w1 slips", react) for sign in (1, -1)]
        exits += [(lambda t, s: s[3] - s[2], -s2, "w2 - w1", react)] if s2 else [
            (lambda t, s, sign=sign: torques(s, s1, s2)[1] - sign*c2, sign, "w2 - w1 slips", react) for sign in (1, -1)]
        return Piece(field(s1, s2), exits)
    start = np.array([math.atan2(0.8, 0.6), PI/2, 0.0, 0.0])
    events, (_, s) = run(choose(0.0, start), start, stop, rtol, max_step=0.005)
    return [(t, name) for t, _, name in events], {"x1": math.sin(s[0]), "y1": -math.cos(s[0]), "x2": math.sin(s[0]) + math.sin(s[1]), "w1": s[2], "w2": s[3]}

def end_stop(rtol=1e-13, stop=3.0):
    """Four states; at the stop two of them are fixed."""
    m1, m2, k, place = 1, 2, 50, 0.3

    def force(_, s):
        return 3 - k*(s[2] - s[0])
    free = Piece(lambda t, s: [s[1], (k*(s[2] - s[0]) + 1)/m1, s[3], force(t, s)/m2], [])
    stopped = Piece(lambda t, s: [s[1], (k*(s[2] - s[0]) + 1)/m1, 0.0, 0.0], [])

    def arrive(t, s):
        s[2], s[3] = place, 0.0
        return (stopped if force(t, s) >= 0 else free), s
    free.exits = [(lambda t, s: s[2] - place, 1, "arrives", arrive)]
    stopped.exits = [(force, -1, "stopped->free", lambda t, s: (free, s))]
    events, (_, s) = run(free, [-0.5, 0.0, 0.0, 0.0], stop, rtol, max_step=0.01)
    return [(t, name) for t, _, name in events], {"x1": s[0], "v1": s[1], "x2": s[2], "v2": s[3]}


PROBLEMS = {f.__name__: f for f in (string_pendulum, pendulum_release, clutch, clutch_friction, bowed_string, bowed_string_band, friction_pendulum,
                                    compass_walker, pendulum_wall, bead_on_wire, tracking, ball_on_shaker, breaking_bars,
                                    double_pendulum_friction, end_stop)} | circuits.PROBLEMS


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
