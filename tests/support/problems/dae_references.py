#!/usr/bin/env python3
"""Reference values of the differential-algebraic examples, by formulations that share nothing with saltus.

Mechanisms with one degree of freedom: energy gives the speed of the drive as a function of its angle, so that time is a quadrature
(energy E + torque*angle is kept); pendulum likewise in its angle. Stiff problems: explicit right-hand sides, constraints solved by
hand, Radau IIA of scipy at two tolerances, and the published values of the test set beside them. Linear ones: exact.
Usage: dae_references.py (prints what tests/examples/run_examples.py and the convergence tests hold)
"""

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import fsolve


def accurate(f, span, y0, method="DOP853", tolerances=(1e-12, 3e-14), atol=1e-14):
    """The end value at the finer tolerance, and how far the coarser one is from it."""
    ends = [solve_ivp(f, span, y0, method=method, rtol=rtol, atol=atol*rtol/tolerances[-1]).y[:, -1] for rtol in tolerances]
    return ends[-1], np.max(np.abs(ends[0] - ends[1]))


def show(name, values, difference):
    print(f"{name}: {', '.join(f'{k} = {v:.15g}' for k, v in values.items())}   (two tolerances differ by {difference:.1e})")


def pendulum():
    g, speed = 9.81, 7.0

    def f(_, y):
        return [y[1], -g*math.sin(y[0])]
    (angle, w), difference = accurate(f, (0, 10), [0.0, speed])
    show("cartesian_pendulum", {"x": math.sin(angle), "y": -math.cos(angle), "vx": w*math.cos(angle), "vy": w*math.sin(angle),
                                "lambda": w*w + g*math.cos(angle)}, difference)
    (angle, w), difference = accurate(f, (0, 3), [math.atan2(0.6, 0.8), 0.0])
    show("parallel_bars", {"x": math.sin(angle), "y": -math.cos(angle)}, difference)


def four_bar():
    l0, l1, l2, l3, m1, m2, m3, g, torque = 1, 0.4, 0.9, 0.8, 1, 2, 1.5, 9.81, 4
    guess = [0.4, 1.5]

    def others(p1):
        nonlocal guess
        guess = fsolve(lambda q: [l1*math.cos(p1) + l2*math.cos(q[0]) - l0 - l3*math.cos(q[1]),
                                  l1*math.sin(p1) + l2*math.sin(q[0]) - l3*math.sin(q[1])], guess, xtol=1e-15)
        return guess

    def mass_and_potential(p1):
        p2, p3 = others(p1)
        k2, k3 = np.linalg.solve([[-l2*math.sin(p2), l3*math.sin(p3)], [l2*math.cos(p2), -l3*math.cos(p3)]],
                                 [l1*math.sin(p1), -l1*math.cos(p1)])
        mass = m1*l1**2/3 + m2*(l1**2 + l2**2*k2**2/3 + l1*l2*k2*math.cos(p1 - p2)) + m3*l3**2*k3**2/3
        potential = g*(m1*l1/2*math.sin(p1) + m2*(l1*math.sin(p1) + l2/2*math.sin(p2)) + m3*l3/2*math.sin(p3))
        return mass, potential
    mass, potential = mass_and_potential(1.0)
    energy = 0.5*mass*36 + potential - torque*1.0

    def f(_, y):
        mass, potential = mass_and_potential(y[0])
        return [math.sqrt(2*(energy + torque*y[0] - potential)/mass)]
    end, difference = accurate(f, (0, 3), [1.0])
    p2, p3 = others(end[0])
    show("four_bar", {"phi1": end[0], "phi2": p2, "phi3": p3, "w1": f(0, end)[0]}, difference)


def slider_crank():
    l1, l2, j1, m2, j2, m3, torque, g = 0.15, 0.35, 0.005, 0.5, 0.006, 0.3, 1, 9.81

    def mass_and_potential(p1):
        p2 = -math.asin(l1*math.sin(p1)/l2)
        k2 = -l1*math.cos(p1)/(l2*math.cos(p2))
        x2 = -l1*math.sin(p1) - 0.5*l2*math.sin(p2)*k2
        y2 = l1*math.cos(p1) + 0.5*l2*math.cos(p2)*k2
        x3 = -l1*math.sin(p1) - l2*math.sin(p2)*k2
        return j1 + m2*(x2**2 + y2**2) + j2*k2**2 + m3*x3**2, m2*g*(l1*math.sin(p1) + 0.5*l2*math.sin(p2))
    mass, potential = mass_and_potential(0.5)
    energy = 0.5*mass*25 + potential - torque*0.5

    def f(_, y):
        mass, potential = mass_and_potential(y[0])
        return [math.sqrt(2*(energy + torque*y[0] - potential)/mass)]
    end, difference = accurate(f, (0, 1), [0.5])
    p2 = -math.asin(l1*math.sin(end[0])/l2)
    show("slider_crank", {"phi1": end[0], "w1": f(0, end)[0], "phi2": p2, "x3": l1*math.cos(end[0]) + l2*math.cos(p2)}, difference)


def akzo_nobel():
    def f(_, y):
        y1, y2, y3, y4, y5 = y
        y6 = 115.83*y1*y4
        r1, r2, r3 = 18.7*y1**4*math.sqrt(y2), 0.58*y3*y4, 0.58/34.4*y1*y5
        r4, r5 = 0.09*y1*y4**2, 0.42*y6**2*math.sqrt(y2)
        return [-2*r1 + r2 - r3 - r4, -0.5*r1 - r4 - 0.5*r5 + 3.3*(0.9/737 - y2), r1 - r2 + r3, -r2 + r3 - 2*r4, r2 - r3 + r5]
    end, difference = accurate(f, (0, 180), [0.444, 0.00123, 0, 0.007, 0], "Radau", (1e-10, 1e-11), 1e-15)
    show("akzo_nobel", {f"y{i + 1}": v for i, v in enumerate(end)} | {"y6": 115.83*end[0]*end[3]}, difference)


def robertson():
    def f(_, y):
        y3 = 1 - y[0] - y[1]
        return [-0.04*y[0] + 1e4*y[1]*y3, 0.04*y[0] - 1e4*y[1]*y3 - 3e7*y[1]**2]
    end, difference = accurate(f, (0, 1e5), [1, 0], "Radau", (1e-9, 1e-10), 1e-18)
    show("robertson", {"y1": end[0], "y2": end[1], "y3": 1 - end[0] - end[1]}, difference)


def hires():
    def f(_, y):
        fast = 280*y[5]*y[7]
        return [-1.71*y[0] + 0.43*y[1] + 8.32*y[2] + 0.0007, 1.71*y[0] - 8.75*y[1], -10.03*y[2] + 0.43*y[3] + 0.035*y[4],
                8.32*y[1] + 1.71*y[2] - 1.12*y[3], -1.745*y[4] + 0.43*(y[5] + y[6]),
                -fast + 0.69*y[3] + 1.71*y[4] - 0.43*y[5] + 0.69*y[6], fast - 1.81*y[6], -fast + 1.81*y[6]]
    end, difference = accurate(f, (0, 321.8122), [1, 0, 0, 0, 0, 0, 0, 0.0057], "Radau", (1e-10, 1e-11), 1e-16)
    show("hires", {f"y[{i + 1}]": v for i, v in enumerate(end)}, difference)


def transistor_amplifier():
    """Sums of two rows have no derivatives: y2, y5 and y8 follow from y1, y4, y7 by them; the rest is an ODE in u = y2 - y1, …"""
    ub, uf, a, b, r0, r = 6, 0.026, 0.99, 1e-6, 1000, 9000
    c1, c2, c3, c4, c5 = 1e-6, 2e-6, 3e-6, 4e-6, 5e-6

    def g(x):
        return b*(math.exp(x/uf) - 1)

    def solve(t, s):
        """s = (y2 - y1, y3, y5 - y4, y6, y8 - y7); returns y. Newton, one unknown at a time."""
        p, y3, q, y6, w = s
        ue = 0.1*math.sin(200*math.pi*t)
        y2 = solve.y2
        for _ in range(50):
            step = ((y2 - p - ue)/r0 + 2*y2/r - ub/r + (1 - a)*g(y2 - y3))/(1/r0 + 2/r + (1 - a)*b/uf*math.exp((y2 - y3)/uf))
            y2 -= step
            if abs(step) < 1e-15:
                break
        solve.y2 = y2
        i1 = g(y2 - y3)
        y5 = solve.y5
        for _ in range(50):
            step = ((y5 - q - ub)/r + a*i1 + 2*y5/r - ub/r + (1 - a)*g(y5 - y6))/(3/r + (1 - a)*b/uf*math.exp((y5 - y6)/uf))
            y5 -= step
            if abs(step) < 1e-15:
                break
        solve.y5 = y5
        i2 = g(y5 - y6)
        y8 = (ub/r - a*i2 + w/r)/(2/r)
        return [y2 - p, y2, y3, y5 - q, y5, y6, y8 - w, y8], i1, i2, ue
    solve.y2, solve.y5 = 3.0, 3.0

    def f(t, s):
        y, i1, i2, ue = solve(t, s)
        return [(y[0] - ue)/r0/c1, (i1 - y[2]/r)/c2, ((y[3] - ub)/r + a*i1)/c3, (i2 - y[5]/r)/c4, -y[7]/r/c5]
    end, difference = accurate(f, (0, 0.2), [3, 3, -3, 3, -6], "Radau", (1e-9, 1e-10), 1e-13)
    y, *_ = solve(0.2, end)
    show("transistor_amplifier", {f"y{i + 1}": v for i, v in enumerate(y)}, difference)


def diode_ladder(n=10):
    from scipy.special import lambertw
    r, c, i_s, ut, rs = 100, 1e-6, 1e-9, 0.026, 10

    def diode(v):
        """Current of a diode with a series resistance, by Lambert's function."""
        argument = i_s*rs/ut*np.exp((v + i_s*rs)/ut)
        return np.where((v + i_s*rs)/ut < 600, np.real(lambertw(argument))*ut/rs - i_s, 0)

    def f(t, v):
        left = np.concatenate(([5*math.sin(2*math.pi*50*t)], v[:-1]))
        i = (left - v)/r
        return (i - np.concatenate((i[1:], [0])) - diode(v))/c
    end, difference = accurate(f, (0, 0.02), np.full(n, 0.1), "Radau", (1e-9, 1e-10), 1e-13)
    show("diode_ladder", {"v[1]": end[0], "v[5]": end[4], "v[10]": end[9]}, difference)
    end, difference = accurate(f, (0, 0.005), np.full(n, 0.1), "Radau", (1e-9, 1e-10), 1e-13)
    show("diode_ladder at 0.005", {"v[1]": end[0], "v[5]": end[4], "v[10]": end[9]}, difference)


def rc_ladder(n=10):
    def f(t, v):
        left = np.concatenate(([math.sin(t)], v[:-1]))
        right = np.concatenate((v[1:], [v[-1]]))
        return left - 2*v + right
    end, difference = accurate(f, (0, 20), np.zeros(n - 1))
    show("rc_ladder", {"v[2]": end[0], "v[10]": end[-1], "supply": math.cos(20) + math.sin(20) - end[0]}, difference)


def stokes(n=6):
    """The pressure eliminated: velocities in a basis of the fields without divergence."""
    h, nu = 1/n, 1.0
    iu = {(i, j): k for k, (i, j) in enumerate((i, j) for i in range(1, n) for j in range(n))}
    iv = {(i, j): len(iu) + k for k, (i, j) in enumerate((i, j) for i in range(n) for j in range(1, n))}
    size = len(iu) + len(iv)
    lap, lid = np.zeros((size, size)), np.zeros(size)
    for (i, j), k in iu.items():
        lap[k, k] -= 4
        for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if (a, b) in iu:
                lap[k, iu[a, b]] += 1
            elif b in (-1, n):
                lap[k, k] -= 1
                lid[k] += 2*(b == n)
    for (i, j), k in iv.items():
        lap[k, k] -= 4
        for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if (a, b) in iv:
                lap[k, iv[a, b]] += 1
            elif a in (-1, n):
                lap[k, k] -= 1
    div = np.zeros((n*n, size))
    for i in range(n):
        for j in range(n):
            for key, table, sign in (((i + 1, j), iu, 1), ((i, j), iu, -1), ((i, j + 1), iv, 1), ((i, j), iv, -1)):
                if key in table:
                    div[i*n + j, table[key]] += sign
    _, s, vt = np.linalg.svd(div)
    basis = vt[np.sum(s > 1e-10):].T
    a, b = nu/h**2*basis.T@lap@basis, nu/h**2*basis.T@lid
    # z' = a z + b (1 - exp(-10 t)): exact.
    m = a.shape[0]
    z1 = np.linalg.solve(a, (expm(a) - np.eye(m))@b)
    z2 = np.linalg.solve(a + 10*np.eye(m), (expm(a) - math.exp(-10)*np.eye(m))@b)
    end = basis@(z1 - z2)
    show("stokes", {"u[4,6]": end[iu[3, 5]], "u[4,2]": end[iu[3, 1]], "v[2,4]": end[iv[1, 3]]}, 0.0)


if __name__ == "__main__":
    for reference in (pendulum, four_bar, slider_crank, akzo_nobel, robertson, hires, transistor_amplifier, diode_ladder, rc_ladder, stokes):
        reference()
