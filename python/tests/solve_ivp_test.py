"""solve_ivp beside SciPy's: its documented examples, and event problems whose roots are known."""

import inspect
import unittest
import warnings

import numpy as np
import saltus
from scipy.integrate import solve_ivp as scipy_solve_ivp

METHODS = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")


def decay(t, y):
    return -0.5 * y


def volterra(t, z, a, b, c, d):
    x, y = z
    return [a * x - b * x * y, -c * y + d * x * y]


def cannon(t, y):
    return [y[1], -0.5]


def event(function, terminal=False, direction=0.0):
    def g(t, y, *args):
        return function(t, y)

    g.terminal, g.direction = terminal, direction
    return g


class Documented(unittest.TestCase):
    """The examples of SciPy's documentation."""

    def test_signature_and_defaults(self):
        ours = inspect.signature(saltus.solve_ivp).parameters
        theirs = inspect.signature(scipy_solve_ivp).parameters
        self.assertEqual(list(ours), list(theirs))
        self.assertEqual([p.default for p in ours.values()], [p.default for p in theirs.values()])
        self.assertEqual([p.kind for p in ours.values()], [p.kind for p in theirs.values()])

    def test_result_has_all_fields_of_the_same_shapes(self):
        for t_eval in (None, [1.0, 2.0]):
            for events in (None, event(lambda t, y: y[0] - 1), [event(lambda t, y: y[0] - 1), event(lambda t, y: t - 50)]):
                ours = saltus.solve_ivp(decay, [0, 10], [2, 4, 8], t_eval=t_eval, events=events, dense_output=True)
                theirs = scipy_solve_ivp(decay, [0, 10], [2, 4, 8], t_eval=t_eval, events=events, dense_output=True)
                self.assertLessEqual(set(theirs), set(ours))
                self.assertEqual(ours.y.shape, (3, len(ours.t)))
                self.assertEqual((ours.status, ours.success, ours.message), (theirs.status, theirs.success, theirs.message))
                self.assertEqual(ours.sol(0.5).shape, theirs.sol(0.5).shape)
                self.assertEqual(ours.sol([0.5, 1]).shape, theirs.sol([0.5, 1]).shape)
                if events is None:
                    self.assertIsNone(ours.t_events)
                else:
                    self.assertEqual([e.shape for e in ours.t_events], [e.shape for e in theirs.t_events])
                    self.assertEqual([e.shape for e in ours.y_events], [e.shape for e in theirs.y_events])

    def test_exponential_decay(self):
        sol = saltus.solve_ivp(decay, [0, 10], [2, 4, 8])
        self.assertEqual((sol.t[0], sol.t[-1]), (0, 10))
        np.testing.assert_allclose(sol.y, np.array([[2], [4], [8]]) * np.exp(-0.5 * sol.t), rtol=5e-3)
        sol = saltus.solve_ivp(decay, [0, 10], [2, 4, 8], t_eval=[0, 1, 2, 4, 10])
        self.assertEqual(sol.t.tolist(), [0, 1, 2, 4, 10])
        np.testing.assert_allclose(sol.y[0], 2 * np.exp(-0.5 * sol.t), rtol=5e-3)

    def test_cannon(self):
        hit_ground = event(lambda t, y: y[0], terminal=True, direction=-1)
        apex = event(lambda t, y: y[1])
        sol = saltus.solve_ivp(cannon, [0, 100], [0, 10], events=(hit_ground, apex), dense_output=True)
        self.assertEqual(sol.status, 1)
        self.assertEqual(sol.message, "A termination event occurred.")
        self.assertAlmostEqual(sol.t_events[0][0], 40.0, 10)
        self.assertAlmostEqual(sol.t_events[1][0], 20.0, 10)
        self.assertEqual(sol.t[-1], sol.t_events[0][0])
        np.testing.assert_allclose(sol.sol(sol.t_events[1][0]), [100, 0], atol=1e-9)
        np.testing.assert_allclose(sol.y_events[1], [[100, 0]], atol=1e-9)
        np.testing.assert_allclose(sol.y_events[0], [[0, -10]], atol=1e-9)

    def test_lotka_volterra(self):
        reference = scipy_solve_ivp(volterra, [0, 15], [10, 5], args=(1.5, 1, 3, 1), rtol=1e-11, atol=1e-12).y[:, -1]
        for method in METHODS:
            sol = saltus.solve_ivp(volterra, [0, 15], [10, 5], method, args=(1.5, 1, 3, 1), dense_output=True, rtol=1e-7, atol=1e-9)
            self.assertTrue(sol.success, method)
            np.testing.assert_allclose(sol.y[:, -1], reference, rtol=2e-4, err_msg=method)
            np.testing.assert_allclose(sol.sol(sol.t), sol.y, rtol=1e-6, atol=1e-6, err_msg=method)
        self.assertEqual(saltus.solve_ivp(volterra, [0, 15], [10, 5], args=(1.5, 1, 3, 1), t_eval=np.linspace(0, 15, 300)).y.shape, (2, 300))


class Rules(unittest.TestCase):
    def test_accuracy_is_no_worse_than_scipys(self):
        for method in METHODS:
            for rtol in (1e-3, 1e-6, 1e-9):
                exact = np.array([np.cos(20.0), -np.sin(20.0)])
                errors = [
                    np.abs(solve(lambda t, y: [y[1], -y[0]], [0, 20], [1, 0], method, rtol=rtol, atol=rtol * 1e-3).y[:, -1] - exact).max()
                    for solve in (saltus.solve_ivp, scipy_solve_ivp)
                ]
                self.assertLess(errors[0], max(5 * errors[1], 200 * rtol), (method, rtol, errors))

    def test_backwards(self):
        sol = saltus.solve_ivp(decay, [2, 0], [1.0], t_eval=[1.5, 1, 0], dense_output=True, rtol=1e-8, events=event(lambda t, y: t - 0.5))
        np.testing.assert_allclose(sol.y[0], np.exp([0.25, 0.5, 1]), rtol=1e-6)
        np.testing.assert_allclose(sol.sol(0.7), np.exp(0.65), rtol=1e-6)
        np.testing.assert_allclose(sol.t_events[0], [0.5], atol=1e-14)

    def test_vectorized_functions_get_columns(self):
        shapes = set()

        def fun(t, y):
            shapes.add(y.shape)
            return -y

        sol = saltus.solve_ivp(fun, [0, 1], [1.0, 2.0], vectorized=True)
        self.assertEqual(shapes, {(2, 1)})
        np.testing.assert_allclose(sol.y[:, -1], [np.exp(-1), 2 * np.exp(-1)], rtol=1e-3)

    def test_functions_may_keep_and_change_what_they_get(self):
        seen = []

        def fun(t, y):
            seen.append(y)
            rates = -y
            y[:] = np.nan
            return rates

        sol = saltus.solve_ivp(fun, [0, 1], [1.0])
        self.assertAlmostEqual(sol.y[0, -1], np.exp(-1), 3)
        self.assertEqual(len({id(y) for y in seen}), len(seen))
        self.assertEqual(sol.nfev, len(seen))

    def test_returned_lists_tuples_arrays_and_numbers(self):
        for fun in (lambda t, y: [-y[0]], lambda t, y: (-y[0],), lambda t, y: -y, lambda t, y: np.float32(-1) * y.astype("f4"), lambda t, y: -float(y[0]),
                    lambda t, y: [np.array([-y[0]])], lambda t, y: [-int(2)]):
            self.assertTrue(saltus.solve_ivp(fun, [0, 1], [1.0]).success)

    def test_what_is_refused(self):
        for wrong, what in (
            (dict(y0=[1 + 2j]), "`y0` is complex"),
            (dict(y0=[[1.0]]), "1-dimensional"),
            (dict(y0=[np.inf]), "must be finite"),
            (dict(method="RK46"), "`method` must be one of"),
            (dict(t_eval=[0, 2]), "not within `t_span`"),
            (dict(t_eval=[0.5, 0.2]), "not properly sorted"),
            (dict(t_eval=[[0.5]]), "1-dimensional"),
            (dict(atol=[1e-6, 1e-6]), "wrong shape"),
            (dict(rtol=[1e-6, 1e-3]), "`rtol` must be one number"),
            (dict(max_step=-1), "`max_step` must be positive"),
            (dict(fun=lambda t, y: None), "fun has returned None"),
            (dict(fun=lambda t, y: [1, 2]), r"shape \(2,\) and not 1 number"),
            (dict(fun=lambda t, y: y * 1j), "complex"),
            (dict(events=lambda t, y: [1, 2]), "event 0 has returned"),
        ):
            with self.assertRaisesRegex(ValueError, what, msg=str(wrong)):
                saltus.solve_ivp(**{**dict(fun=decay, t_span=[0, 1], y0=[1.0]), **wrong})
        with self.assertRaisesRegex(TypeError, "no option 'maxstep'"):
            saltus.solve_ivp(decay, [0, 1], [1.0], maxstep=1)
        with self.assertRaisesRegex(TypeError, "must be a tuple"):
            saltus.solve_ivp(decay, [0, 1], [1.0], args=3)

    def test_what_functions_raise_arrives(self):
        def fun(t, y):
            if t > 0.5:
                raise LookupError("beyond the table")
            return -y

        with self.assertRaisesRegex(LookupError, "beyond the table"):
            saltus.solve_ivp(fun, [0, 1], [1.0])
        with self.assertRaises(ZeroDivisionError):
            saltus.solve_ivp(decay, [0, 1], [1.0], events=lambda t, y: 1 / 0)

    def test_failures_are_statuses_with_what_was_computed(self):
        sol = saltus.solve_ivp(lambda t, y: y * y, [0, 2], [1.0])
        self.assertEqual((sol.status, sol.success), (-1, False))
        self.assertIn("step_size_too_small", sol.message)
        self.assertAlmostEqual(sol.t[-1], 1.0, 3)

    def test_nothing_to_do(self):
        for solve in (saltus.solve_ivp, scipy_solve_ivp):
            sol = solve(decay, [1, 1], [3.0])
            self.assertEqual((sol.t.tolist(), sol.y.tolist(), sol.status), ([1, 1], [[3, 3]], 0))

    def test_options(self):
        sol = saltus.solve_ivp(decay, [0, 1], [1.0], max_step=0.01, first_step=0.001)
        self.assertAlmostEqual(sol.t[1], 0.001, 15)
        self.assertLessEqual(np.diff(sol.t).max(), 0.01 + 1e-15)
        with self.assertWarnsRegex(saltus.SaltusWarning, "without effect: jac"):
            saltus.solve_ivp(decay, [0, 1], [1.0], "Radau", jac=[[-0.5]])
        with self.assertWarnsRegex(saltus.SaltusWarning, "too small"):
            self.assertTrue(saltus.solve_ivp(decay, [0, 1], [1.0], rtol=1e-20, atol=0).success)
        self.assertTrue(saltus.solve_ivp(decay, [0, 1], [1.0, 2.0], atol=[1e-6, 1e-9]).success)
        self.assertEqual(saltus.solve_ivp(decay, [0, 1], [1.0], "sdirk4").statistics.method, "sdirk4")


def multiples(of, below, first=1):
    return [k * of for k in range(first, int(below / of) + 1)]


def oscillator(w):
    return lambda t, y: [y[1], -w * w * y[0]]


REST = (lambda t, y: [0.0], [0.0])
# name: (fun, y0), span, event functions, roots of each, as (time, direction at it)
UP, DOWN = 1.0, -1.0
PROBLEMS = {}
for w in (1, 5, 50, 120):
    PROBLEMS[f"sin({w} t)"] = (REST, [0.001, 10], [lambda t, y, w=w: np.sin(w * t)], [[(t, DOWN if k % 2 == 0 else UP) for k, t in enumerate(multiples(np.pi / w, 10))]])
for w in (0.5, 2, 7, 20):
    roots = [((k + 0.5) * np.pi / w, DOWN if k % 2 == 0 else UP) for k in range(int(10 * w / np.pi + 0.5))]
    PROBLEMS[f"zeros of an oscillator, {w}"] = ((oscillator(w), [1.0, 0.0]), [0, 10], [lambda t, y: y[0]], [roots])
    PROBLEMS[f"level of an oscillator, {w}"] = (
        (oscillator(w), [1.0, 0.0]), [0, 3 / w], [lambda t, y: y[0] - 0.5], [[(np.pi / 3 / w, DOWN)]])
for level in (0.9, 0.5, 0.1, 1e-3):
    PROBLEMS[f"decay to {level}"] = ((lambda t, y: [-y[0]], [1.0]), [0, 10], [lambda t, y, c=level: y[0] - c], [[(-np.log(level), DOWN)]])
for gap in (1e-1, 1e-3):
    PROBLEMS[f"two roots {gap} apart"] = (
        REST, [0, 10], [lambda t, y, d=gap: (t - 5) * (t - 5 - d)], [[(5, DOWN), (5 + gap, UP)]])
PROBLEMS["a double root"] = (REST, [0, 10], [lambda t, y: (t - 5) ** 2], [[]])
PROBLEMS["a triple root"] = (REST, [0, 10], [lambda t, y: (t - 4) ** 3], [[(4, UP)]])
PROBLEMS["no root"] = (REST, [0, 10], [lambda t, y: 1 + t], [[]])
PROBLEMS["a constant"] = (REST, [0, 10], [lambda t, y: 1.0], [[]])
PROBLEMS["a root at the end"] = (REST, [0, 1], [lambda t, y: t - 0.999999], [[(0.999999, UP)]])
PROBLEMS["a root soon after the start"] = (REST, [0, 1], [lambda t, y: t - 1e-9], [[(1e-9, UP)]])
PROBLEMS["a jump"] = (REST, [0, 2], [lambda t, y: 1.0 if t > 0.7 else -1.0], [[(0.7, UP)]])
PROBLEMS["a truth"] = (REST, [0, 2], [lambda t, y: (t > 0.7) - 0.5], [[(0.7, UP)]])
PROBLEMS["two at once"] = (REST, [0, 2], [lambda t, y: t - 1, lambda t, y: 1 - t], [[(1, UP)], [(1, DOWN)]])
PROBLEMS["three functions"] = (
    (cannon, [1.0, 10.0]), [0, 50], [lambda t, y: y[0], lambda t, y: y[1], lambda t, y: y[0] - 50],
    [[(20 + 2 * np.sqrt(101), DOWN)], [(20, DOWN)], [(20 - 2 * np.sqrt(51), UP), (20 + 2 * np.sqrt(51), DOWN)]])
PROBLEMS["backwards"] = (REST, [10, 0.001], [lambda t, y: np.sin(t)], [[(3 * np.pi, UP), (2 * np.pi, DOWN), (np.pi, UP)]])
PROBLEMS["a steep one"] = (REST, [0, 10], [lambda t, y: np.tanh(1e4 * (t - 3))], [[(3, UP)]])
PROBLEMS["a flat one"] = (REST, [0, 10], [lambda t, y: 1e-9 * (t - 3)], [[(3, UP)]])
PROBLEMS["in large units"] = ((lambda t, y: [1e8], [0.0]), [0, 10], [lambda t, y: y[0] - 5e8], [[(5, UP)]])
PROBLEMS["far from zero time"] = (REST, [1e6, 1e6 + 10], [lambda t, y: t - 1e6 - 3], [[(1e6 + 3, UP)]])


class Events(unittest.TestCase):
    def test_there_are_thirty(self):
        self.assertGreaterEqual(len(PROBLEMS), 30)

    def test_all_roots_are_found_once_in_every_direction(self):
        for name, ((fun, y0), span, functions, roots) in PROBLEMS.items():
            for direction in (0.0, UP, DOWN):
                with self.subTest(name, direction=direction):
                    events = [event(function, direction=direction) for function in functions]
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore" if name in ("a jump", "a truth") else "error")
                        sol = saltus.solve_ivp(fun, span, y0, rtol=1e-9, atol=1e-12, events=events)
                    self.assertEqual(sol.status, 0, sol.message)
                    for found, expected in zip(sol.t_events, roots):
                        expected = [t for t, side in expected if direction in (0.0, side)]
                        self.assertEqual(len(found), len(expected), (found, expected))
                        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)

    def test_terminal_events_end_at_the_first_root(self):
        for name, ((fun, y0), span, functions, roots) in PROBLEMS.items():
            for k, expected in enumerate(roots):
                if not expected:
                    continue
                with self.subTest(name, function=k), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    events = [event(function, terminal=i == k) for i, function in enumerate(functions)]
                    sol = saltus.solve_ivp(fun, span, y0, rtol=1e-9, atol=1e-12, events=events, t_eval=None)
                    self.assertEqual(sol.status, 1)
                    self.assertEqual(sol.t[-1], sol.t_events[k][0])
                    self.assertEqual(len(sol.t_events[k]), 1)
                    np.testing.assert_allclose(sol.t[-1], expected[0][0], rtol=1e-8, atol=1e-12)

    def test_nothing_that_scipy_finds_is_missed(self):
        for name, ((fun, y0), span, functions, roots) in PROBLEMS.items():
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                events = [event(function) for function in functions]
                ours = saltus.solve_ivp(fun, span, y0, rtol=1e-9, atol=1e-12, events=events)
                try:
                    theirs = scipy_solve_ivp(fun, span, y0, rtol=1e-9, atol=1e-12, events=events)
                except RuntimeError:  # its brentq does not converge to a triple root
                    continue
                for mine, other in zip(ours.t_events, theirs.t_events):
                    for t in other:
                        self.assertLess(np.abs(mine - t).min(initial=np.inf), 1e-7 * max(1, abs(t)), t)

    def test_roots_between_the_steps_of_scipy(self):
        g = event(lambda t, y: np.sin(50 * t))
        ours, theirs = (solve(lambda t, y: -0.1 * y, [0.001, 10], [1.0], events=g) for solve in (saltus.solve_ivp, scipy_solve_ivp))
        self.assertEqual(len(ours.t_events[0]), 159)
        self.assertLess(len(theirs.t_events[0]), 10)
        np.testing.assert_allclose(ours.t_events[0], np.arange(1, 160) * np.pi / 50, rtol=1e-13)

    def test_zero_at_the_start_is_as_in_scipy(self):
        for slope in (1.0, -1.0):
            for direction in (0.0, UP, DOWN):
                g = event(lambda t, y: slope * t, direction=direction)
                ours, theirs = (solve(lambda t, y: [0.0], [0, 1], [0.0], events=g).t_events[0].tolist() for solve in (saltus.solve_ivp, scipy_solve_ivp))
                self.assertEqual(ours, theirs, (slope, direction))

    def test_functions_that_jump_are_told(self):
        with self.assertWarnsRegex(saltus.SaltusWarning, "an event function jumps"):
            sol = saltus.solve_ivp(lambda t, y: [0.0], [0, 2], [0.0], events=PROBLEMS["a jump"][2])
        np.testing.assert_allclose(sol.t_events[0], [0.7])

    def test_t_eval_ends_at_a_terminal_event(self):
        g = event(lambda t, y: y[0] - 0.5, terminal=True)
        for solve in (saltus.solve_ivp, scipy_solve_ivp):
            sol = solve(lambda t, y: -y, [0, 5], [1.0], t_eval=[0.1, 0.5, 0.6, 0.7, 0.8], events=g, rtol=1e-8)
            self.assertEqual(sol.t.tolist(), [0.1, 0.5, 0.6])
            self.assertEqual(sol.y.shape, (1, 3))

    def test_arguments_reach_events(self):
        sol = saltus.solve_ivp(lambda t, y, a, b: [a], [0, 5], [0.0], args=(2.0, 3.0), events=lambda t, y, a, b: y[0] - b)
        np.testing.assert_allclose(sol.t_events[0], [1.5])


if __name__ == "__main__":
    unittest.main()
