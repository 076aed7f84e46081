#!/usr/bin/env python3
"""Compares the order-5 extension of saltus for Dormand-Prince 5(4) with that of Calvo, Montijano and Randez (J. Comput. Appl.
Math. 29 (1990) 91-100): checks both exactly and prints the norm of their error terms of orders 6 and 7 over theta.
Needs the standard library alone."""

import contextlib
import io
import math
from collections import Counter
from fractions import Fraction as F

with contextlib.redirect_stdout(io.StringIO()):
    import dopri5_extension as own

CMR_A = [[F(-24018683, 8152320000), F(25144, 43425), F(-76360723, 337557000), F(349808429, 2445696000),
          F(-13643731773, 144024320000), F(1, 20), F(-12268567, 254760000)],
         [F(2104901, 23010000), F(0), F(54324224, 106708875), F(134233, 2301000), F(-13268529, 406510000),
          F(26972, 2013375), F(-6324, 479375), F(-1737, 7670)]]
CMR_POLYNOMIAL = [
    [F(1), F(-1809809, 441792), F(1150189, 147264), F(-2025025, 294528), F(995255, 441792)],
    [F(0)] * 5,
    [F(0), F(40963600, 2561013), F(-14677200, 284557), F(49017100, 853671), F(-54769600, 2561013)],
    [F(0), F(259225, 73632), F(-1161175, 73632), F(1189575, 49088), F(-834475, 73632)],
    [F(0), F(-4817961, 2601664), F(21163599, 2601664), F(-64133775, 5203328), F(14882535, 2601664)],
    [F(0), F(36542, 48321), F(-53416, 16107), F(323345, 64428), F(-112475, 48321)],
    [F(0), F(-1901, 2301), F(8771, 2301), F(-14140, 2301), F(7270, 2301)],
    [F(0), F(-120625, 18408), F(120625, 6136), F(-120625, 6136), F(120625, 18408)],
    [F(0), F(-125, 18), F(125, 4), F(-125, 3), F(625, 36)]]


def symmetry(tree):
    result = 1
    for child, count in Counter(tree).items():
        result *= math.factorial(count) * symmetry(child) ** count
    return result


def error_term(polynomial, a, theta, order):
    """Norm over the trees of this order of (sum b_i(theta) Phi_i - theta^order / gamma) / sigma."""
    weights = own.weights_at(polynomial, theta)
    total = 0.0
    for tree in own.trees(order)[order]:
        value = sum(w * v for w, v in zip(weights, own.stage_weights(tree, a)))
        total += float((value - theta ** order / F(own.density(tree))) / symmetry(tree)) ** 2
    return math.sqrt(total)


extensions = {"saltus": (own.order5, own.extended), "CMR 1990": (CMR_POLYNOMIAL, own.A + CMR_A)}
for polynomial, a in extensions.values():
    own.check(polynomial, a, 5)
thetas = [F(k, 10) for k in (2, 4, 6, 8, 10, 11, 12, 13)]
print("order  extension " + "".join("%10s" % ("θ = %.1f" % t) for t in thetas))
for order in (6, 7):
    for name, (polynomial, a) in extensions.items():
        print("%5d  %-10s" % (order, name) + "".join("%10.2e" % error_term(polynomial, a, t, order) for t in thetas))
