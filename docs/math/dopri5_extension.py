#!/usr/bin/env python3
"""Derives the two continuous extensions of Dormand-Prince 5(4) in rational arithmetic (see dopri5.md), checks the order
conditions of all rooted trees for all theta exactly, and prints the coefficients as C++. Needs the standard library alone."""

from fractions import Fraction as F

A = [[],
     [F(1, 5)],
     [F(3, 40), F(9, 40)],
     [F(44, 45), F(-56, 15), F(32, 9)],
     [F(19372, 6561), F(-25360, 2187), F(64448, 6561), F(-212, 729)],
     [F(9017, 3168), F(-355, 33), F(46732, 5247), F(49, 176), F(-5103, 18656)],
     [F(35, 384), F(0), F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84)]]
B = A[6] + [F(0)]
# Term theta^2 (1 - theta)^2 of the extension of order 4 (Shampine's choice, as in DOPRI5).
D = [F(-12715105075, 11282082432), F(0), F(87487479700, 32700410799), F(-10690763975, 1880347072),
     F(701980252875, 199316789632), F(-1453857185, 822651844), F(69997945, 29380423)]
C8, C9 = F(1, 5), F(1, 2)


def solve(matrix, rhs):
    """Gauss-Jordan; rhs is a list of rows."""
    n = len(matrix)
    rows = [list(matrix[i]) + list(rhs[i]) for i in range(n)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(n):
            if r != i and rows[r][i] != 0:
                rows[r] = [v - rows[r][i] * w for v, w in zip(rows[r], rows[i])]
    return [row[n:] for row in rows]


def unit(size, position):
    return [F(int(i == position)) for i in range(size)]


def hermite(nodes, size):
    """Polynomial (rows: stages, columns: powers 1..) through x0, x1 with slopes k1 at 0, k7 at 1 and the given stages."""
    degree = 3 + len(nodes)
    powers = range(1, degree + 1)
    matrix = [[F(int(p == 1)) for p in powers], [F(1)] * degree, [F(p) for p in powers]]
    rhs = [unit(size, 0), B + [F(0)] * (size - 7), unit(size, 6)]
    for node, stage in nodes:
        matrix.append([p * node ** (p - 1) for p in powers])
        rhs.append(unit(size, stage))
    solution = solve(matrix, rhs)
    return [[solution[p][stage] for p in range(degree)] for stage in range(size)]


def weights_at(polynomial, theta):
    return [sum(v * theta ** (p + 1) for p, v in enumerate(row)) for row in polynomial]


def quartic():
    cubic = hermite([], 7)
    return [[row[0], row[1] + d, row[2] - 2 * d, d] for row, d in zip(cubic, D)]


def trees(order):
    table = {1: [()]}
    for m in range(2, order + 1):
        found = set()

        def extend(rest, largest, children):
            if rest == 0:
                found.add(tuple(sorted(children)))
                return
            for size in range(1, rest + 1):
                for tree in table[size]:
                    if (size, tree) <= largest:
                        extend(rest - size, (size, tree), children + [tree])

        extend(m - 1, (order + 1, ()), [])
        table[m] = sorted(found)
    return table


def size_of(tree):
    return 1 + sum(size_of(child) for child in tree)


def density(tree):
    result = size_of(tree)
    for child in tree:
        result *= density(child)
    return result


def stage_weights(tree, a):
    result = [F(1)] * len(a)
    for child in tree:
        inner = stage_weights(child, a)
        result = [v * sum(x * y for x, y in zip(row, inner)) for v, row in zip(result, a)]
    return result


def check(polynomial, a, order):
    for m, family in trees(order).items():
        for tree in family:
            w = stage_weights(tree, a)
            for p in range(len(polynomial[0])):
                value = sum(row[p] * x for row, x in zip(polynomial, w))
                assert value == (F(1, density(tree)) if p + 1 == m else 0), (tree, p + 1)


def show(name, rows):
    for row in rows:
        for v in row:
            assert abs(v.numerator) < 2 ** 53 and v.denominator < 2 ** 53
    text = ",\n    ".join(", ".join("0.0" if v == 0 else "%d.0 / %d.0" % (v.numerator, v.denominator) for v in row)
                          for row in rows)
    print("constexpr std::array<double, %d> %s = {\n    %s};" % (sum(map(len, rows)), name, text))


order4 = quartic()
check(order4, A, 4)
a8 = weights_at(order4, C8)
a9 = weights_at(hermite([(C8, 7)], 8), C9)
order5 = hermite([(C8, 7), (C9, 8)], 9)
extended = A + [a8, a9]
check(order5, extended, 5)
show("kOrder4", order4)
show("kExtraC", [[C8, C9]])
show("kExtraA", [a8, a9])
show("kOrder5", order5)
