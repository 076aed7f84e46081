#!/usr/bin/env python3
"""The bowed string of Wunderlich, 7.2.4 (N = 100, band of 0.005), in closed form: `bowed_string_reference.py [N [c]]`.

Needs SciPy (no test runs it). Slipping, the string with a constant force and the bow with a sine are linear; sticking, so is the string whose node
under the bow has the mass of both. Each is written in its eigenvectors, so that the flow over any time has rounding errors only; roots are found
on values every 2e-5 (a hundredth of the fastest period) and by bisection. Where sticking begins, node and bow take the mean of their speeds.

With sliding the eight events have the times of the tables that go with the thesis (0.4445, 1.5898, ...). Two readings matter:
* At 0.4445 the surface attracts (the friction needed is 0.196 of 0.72) but sticking would end as it begins, the force on the bow being 0.776: it does
  not begin. If it did, for no time, its move of the speeds by half the band would put the next slip at 1.5869.
* Sticking ends by the force on the bow, not by the friction needed, which trembles with the string.
Without sliding there are 59 switches. The waves are not damped and have 3000 rad/s, so that a run needs small tolerances to have this number: with
nominal speeds of 1, 73 with 1e-6, 57 with 1e-8, 59 from 1e-9 on; with nominal values of the size of the motion (1e-5 and 5e-3) 59 from 1e-7 on.
"""

import math
import sys

import numpy as np
from scipy.optimize import brentq

L, T, RHO, MB, V0, OMEGA, LIMIT, BAND, STOP = 0.7, 55, 0.5, 1, 0.5, 2, 0.72, 0.005, 6.0


class Linear:
    """M y'' = -K y + constant + amplitude sin(Omega t)."""

    def __init__(self, K, masses, constant, amplitude):
        self.root = np.sqrt(masses)
        squares, self.vectors = np.linalg.eigh(K/np.outer(self.root, self.root))
        self.w = np.sqrt(squares)[:, None]
        self.constant = (self.vectors.T@(constant/self.root)/squares)[:, None]
        self.amplitude = (self.vectors.T@(amplitude/self.root)/(squares - OMEGA**2))[:, None]

    def flow(self, t0, y, v, t):
        q = (self.vectors.T@(self.root*y))[:, None] - self.constant - self.amplitude*math.sin(OMEGA*t0)
        p = (self.vectors.T@(self.root*v))[:, None] - self.amplitude*OMEGA*math.cos(OMEGA*t0)
        c, s = np.cos(self.w*(t - t0)), np.sin(self.w*(t - t0))
        positions = q*c + p/self.w*s + self.constant + self.amplitude*np.sin(OMEGA*t)
        speeds = -q*self.w*s + p*c + self.amplitude*OMEGA*np.cos(OMEGA*t)
        return (self.vectors@positions)/self.root[:, None], (self.vectors@speeds)/self.root[:, None]


class String:
    def __init__(self, n, c):
        self.m, self.at = n - 1, c - 2
        node = np.zeros(self.m)
        node[self.at] = 1
        self.K = T/(L/n)**2*(2*np.eye(self.m) - np.eye(self.m, k=1) - np.eye(self.m, k=-1))
        self.slips = {sign: Linear(self.K, RHO*np.ones(self.m), sign*LIMIT*node, 0*node) for sign in (1, -1)}
        self.sticks = Linear(self.K, RHO + MB*node, 0*node, -V0*OMEGA*node)

    def flow(self, mode, t0, state, t):
        """At the times t: position and speed of the bow, of the nodes. mode: +1 the node is slower than the bow, -1 faster, 0 sticks."""
        yb, vb, y, v = state
        t = np.atleast_1d(t)
        if mode == 0:
            ys, vs = self.sticks.flow(t0, y, v, t)
            return yb + ys[self.at] - y[self.at], vs[self.at], ys, vs
        ys, vs = self.slips[mode].flow(t0, y, v, t)
        speed = vb + V0*(np.cos(OMEGA*t) - math.cos(OMEGA*t0)) - mode*LIMIT*(t - t0)
        place = yb + (vb - V0*math.cos(OMEGA*t0))*(t - t0) + V0/OMEGA*(np.sin(OMEGA*t) - math.sin(OMEGA*t0)) - mode*LIMIT*(t - t0)**2/2
        return place, speed, ys, vs

    def slip(self, mode, t0, state, t):
        _, vb, _, v = self.flow(mode, t0, state, t)
        return v[self.at] - vb

    def at_time(self, mode, t0, state, t):
        yb, vb, y, v = self.flow(mode, t0, state, t)
        return yb[0], vb[0], y[:, 0], v[:, 0]

    def friction_needed(self, t, state):
        return (bow_force(t)/MB + (self.K@state[2])[self.at]/RHO)/(1/RHO + 1/MB)


def bow_force(t):
    return -V0*OMEGA*np.sin(OMEGA*t)


def first_rise(function, t, spacing=2e-5, n=2000):
    """Where the function first becomes positive after t."""
    while t < STOP:
        times = np.minimum(t + spacing*np.arange(n + 1), STOP)
        values = function(times)
        rises = np.where((values[:-1] <= 0) & (values[1:] > 0))[0]
        if len(rises):
            return brentq(lambda s: function(np.array([s]))[0], times[rises[0]], times[rises[0] + 1], xtol=1e-15)
        t = times[-1]
    return None


def run(string, slides):
    t, mode, state = 0.0, 1, (0.0, V0, np.zeros(string.m), np.zeros(string.m))
    events = [(0.0, "faster->slower, at once")]
    names = {1: "slower", -1: "faster", 0: "stick"}
    while True:
        before = mode
        guard = (lambda s: abs(bow_force(s)) - LIMIT) if mode == 0 else (lambda s: mode*string.slip(mode, t, state, s) - BAND)
        found = first_rise(guard, t)
        state = string.at_time(mode, t, state, STOP if found is None else found)
        if found is None:
            return events, state
        t = found
        if mode == 0:
            mode = 1 if bow_force(t) > 0 else -1
        elif slides and abs(string.friction_needed(t, state)) < LIMIT and abs(bow_force(t)) <= LIMIT:
            yb, vb, y, v = state
            mean = 0.5*(vb + v[string.at])
            v[string.at] = mean
            state, mode = (yb, mean, y, v), 0
        else:
            mode = -mode
        events.append((t, f"{names[before]}->{names[mode]}"))


def main():
    n, c = [int(s) for s in sys.argv[1:3]] + [100, 11][len(sys.argv) - 1:]
    string = String(n, c)
    for slides in (True, False):
        events, state = run(string, slides)
        print(f"{'with' if slides else 'without'} sliding: {len(events)} events")
        print("  " + ", ".join(f"{t:.12g}" for t, _ in events))
        print(f"  end yb = {state[0]:.14g}, vb = {state[1]:.14g}, v[c] = {state[3][string.at]:.14g}")


if __name__ == "__main__":
    main()
