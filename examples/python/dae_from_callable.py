"""A DAE from a Python function: the pendulum in Cartesian coordinates, index 3, as F(t, x, x') = 0.

With its Jacobian; the total derivatives that an index of 3 needs are taken by differences, which the run says.
"""

import warnings

import numpy as np
import saltus


def residual(at, xdot):
    x, y, u, v, force = at.x
    return [xdot[0] - u, xdot[1] - v, xdot[2] + force * x, xdot[3] + force * y + 9.81, x**2 + y**2 - 1]


def jacobian(at, xdot):
    x, y, u, v, force = at.x
    by_x = np.array([[0, 0, -1, 0, 0], [0, 0, 0, -1, 0], [force, 0, 0, 0, x], [0, force, 0, 0, y], [2 * x, 2 * y, 0, 0, 0]])
    return by_x, np.diag([1.0, 1, 1, 1, 0])


pendulum = saltus.CallbackModel(states={"x": 1, "y": 0, "u": 0, "v": 0, "force": 0}, residual=residual, jacobian=jacobian, name="Pendulum")
with warnings.catch_warnings():
    warnings.simplefilter("ignore", saltus.SaltusWarning)
    result = pendulum.simulate(stop=2, tolerance=1e-8)
mode = result.modes[0]
print(f"index {mode.index}, {mode.d} free initial values, {mode.a} algebraic components")
print("length off by", np.abs(result["x"] ** 2 + result["y"] ** 2 - 1).max())
energy = 0.5 * (result["u"] ** 2 + result["v"] ** 2) + 9.81 * result["y"]
print("energy off by", np.abs(energy).max())
assert np.abs(energy).max() < 1e-4
