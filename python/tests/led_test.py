"""Simulations in one's hand, models built in Python, and models of Python functions."""

import tempfile
import threading
import unittest
import warnings
from pathlib import Path

import numpy as np
import saltus
from saltus.expressions import der, if_else, pre, sin, time
from simulate_test import BALL, DECAY, LONG

TANK = """model Tank
  parameter Real leak = 0.5; input Real inflow(start = 0); Real level(start = 1, fixed = true);
equation
  der(level) = inflow - leak*level;
end Tank;
"""


class Led(unittest.TestCase):
    def test_steps_alone_are_the_run_of_simulate(self):
        model = saltus.load(BALL)
        led = model.begin(stop=1)
        while led.step():
            pass
        result, other = led.finish(), model.simulate(stop=1)
        np.testing.assert_array_equal(result.values, other.values)
        self.assertEqual(result.events, other.events)

    def test_inputs_and_tunable_parameters(self):
        led = saltus.load(TANK).begin(stop=2, tunable=["leak"], tolerance=1e-10)
        self.assertTrue(led.advance_to(1.0))
        self.assertAlmostEqual(led["level"], np.exp(-0.5), 9)
        self.assertAlmostEqual(led.derivative("level"), -0.5 * np.exp(-0.5), 9)
        self.assertTrue(led.set({"leak": 0.0}, inflow=2.0))
        self.assertEqual([event.kind for event in led.events], ["input", "input"])
        self.assertEqual(led.partial_derivatives(["der(level)"], ["level", "inflow", "leak"]).shape, (1, 3))
        self.assertEqual(led.directional_derivative(["der(level)"], ["inflow"], [3.0]).tolist(), [3.0])
        self.assertEqual(led.adjoint_derivative(["der(level)"], [3.0], ["inflow"]).tolist(), [3.0])
        self.assertEqual(set(led.dependencies("der(level)")), {"level", "inflow", "leak"})
        self.assertEqual(len(led.rounds), 2)
        led.advance_to(2.0)
        self.assertTrue(led.has_ended)
        self.assertAlmostEqual(led.finish().final["level"], np.exp(-0.5) + 2, 8)

    def test_to_events_and_again(self):
        led = saltus.load(BALL).begin(stop=3)
        self.assertTrue(led.advance_to_event(3))
        self.assertAlmostEqual(led.time, np.sqrt(2 / 9.81), 6)
        self.assertEqual((led.n_events, led.values["bounces"], led.mode), (1, 1.0, "main"))
        self.assertEqual(set(led.states), {"h", "v"})
        self.assertTrue(led.guards)
        led.reset()
        self.assertEqual((led.time, led["h"]), (0.0, 1.0))

    def test_saved_and_gone_on_with(self):
        model = saltus.load(BALL)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "ball.saved"
            led = model.begin(stop=2)
            for _ in range(5):
                led.step()
            led.save(file)
            again = model.begin(stop=2, resume=file)
            self.assertEqual(again.time, led.time)
            for run in (led, again):
                while run.step():
                    pass
            self.assertEqual(led.finish().final, again.finish().final)

    def test_misuse(self):
        led = saltus.load(TANK).begin(stop=1)
        with self.assertRaises(KeyError):
            led["nothing"]
        with self.assertRaises(ValueError):
            led.set(nothing=1.0)
        with self.assertRaises(ValueError):
            led.advance_to(5.0)
        with self.assertRaises(saltus.ModelError):
            saltus.load(TANK).begin(stop=1, tunable=["nothing"])

    def test_not_for_two_threads_at_once(self):
        led = saltus.load(LONG).begin(stop=1e6, interval=1e6, dense=False, max_time=1.0)
        thread = threading.Thread(target=lambda: led.advance_to(1e6))
        thread.start()
        refused = False
        while thread.is_alive() and not refused:
            try:
                led.time
            except RuntimeError:
                refused = True
        thread.join()
        self.assertTrue(refused)


class Built(unittest.TestCase):
    def test_the_model_of_the_text(self):
        builder = saltus.ModelBuilder("Ball", "it bounces")
        e = builder.parameter("e", 0.8, unit="1")
        h = builder.real("h", start=1, fixed=True)
        v = builder.real("v", start=0, fixed=True)
        bounces = builder.integer("bounces", start=0, fixed=True)
        builder.equation(der(h), v)
        builder.equation(der(v), -9.81)

        @builder.when((h <= 0) & (v < 0))
        def bounce(body):
            body.reinit(v, -e * pre(v))
            body.set(bounces, pre(bounces) + 1)

        model = builder.build()
        np.testing.assert_array_equal(model.simulate(stop=1)["v"], saltus.load(BALL).simulate(stop=1)["v"])
        self.assertEqual(model.description, "it bounces")
        self.assertEqual(saltus.load(builder.text()).name, "Ball")

    def test_operators(self):
        builder = saltus.ModelBuilder("M")
        x = builder.real("x", start=2, fixed=True)
        for name, value in dict(a=1 + x, b=3 - x, c=2 * x, d=6 / x, e=x**3, f=2**x, g=-x, h=abs(-x), i=if_else((x > 1) & ~(x > 5) | (x < -1), 7, 8),
                                j=if_else(True, 1, 0), k=sin(time()), l=x - 1, m=x / 4, n=+x, o=x + np.float64(0.5)).items():
            builder.equation(builder.real(name), value)
        builder.equation(der(x), 0)
        final = builder.build().simulate(stop=1).final
        expected = dict(a=3, b=1, c=4, d=3, e=8, f=4, g=-2, h=2, i=7, j=1, k=np.sin(1), l=1, m=0.5, n=2, o=2.5)
        for name, value in expected.items():
            self.assertAlmostEqual(final[name], value, 12, name)

    def test_modes(self):
        builder = saltus.ModelBuilder("Heating")
        T = builder.real("T", start=18, fixed=True)

        @builder.initial_mode("on")
        def on(mode):
            mode.equation(der(T), 2)
            mode.transition_to("off", T > 21)

        @builder.mode("off")
        def off(mode):
            mode.equation(der(T), 0.1 * (5 - T))
            mode.transition_to("on", T < 19)

        result = builder.build().simulate(stop=10)
        self.assertEqual([event.after for event in result.events][:2], ["off", "on"])

    def test_misuse(self):
        x = saltus.Expression.text("x")
        with self.assertRaisesRegex(TypeError, "no truth"):
            0 < x < 1
        with self.assertRaisesRegex(TypeError, "no truth"):
            bool((x > 0) and (x < 1))
        builder = saltus.ModelBuilder("M")
        with self.assertRaisesRegex(TypeError, "not 'starts'"):
            builder.real("x", starts=1)
        builder.equation(der(x), 1)
        with self.assertRaises(saltus.ModelError):
            builder.build()

        def wrong(body):
            raise LookupError("inside")

        with self.assertRaises(LookupError):
            builder.when(x > 0, wrong)


def pendulum(at, xdot):
    x, y, u, v, force = at.x
    return [xdot[0] - u, xdot[1] - v, xdot[2] + force * x, xdot[3] + force * y + 9.81, x * x + y * y - 1]


def pendulum_jacobian(at, xdot):
    x, y, u, v, force = at.x
    by_x = np.zeros((5, 5))
    by_x[0, 2] = by_x[1, 3] = -1
    by_x[2, 0] = by_x[3, 1] = force
    by_x[2, 4], by_x[3, 4] = x, y
    by_x[4, 0], by_x[4, 1] = 2 * x, 2 * y
    return by_x, np.diag([1.0, 1, 1, 1, 0])


class Functions(unittest.TestCase):
    def test_a_residual_of_index_three(self):
        model = saltus.CallbackModel(states={"x": 1, "y": 0, "u": 0, "v": 0, "force": 0}, residual=pendulum, jacobian=pendulum_jacobian)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = model.simulate(stop=1, tolerance=1e-8)
        np.testing.assert_allclose(result["x"] ** 2 + result["y"] ** 2, 1, atol=1e-9)
        np.testing.assert_allclose(0.5 * (result["u"] ** 2 + result["v"] ** 2) + 9.81 * result["y"], 0, atol=1e-5)
        self.assertEqual(result.modes[0].index, 2)

    def test_sliding_resets_modes_and_outputs(self):
        def bounce(at, x, discrete):
            x[1] = -0.8 * x[1]
            discrete[0] += 1

        ball = saltus.CallbackModel(
            states=[saltus.State("h", 1.0), "v"], discrete=["bounces"], guards=[saltus.Guard("h", ([1, 0], 0, 0), bounce, -1.0, in_equations=False, is_unilateral=True)],
            rhs=lambda at: [at.x[1], -9.81], outputs=lambda at: [9.81 * at.x[0] + 0.5 * at.x[1] ** 2], output_names=["energy"])
        result = ball.simulate(stop=1, tolerance=1e-10)
        self.assertEqual(result.names, ["h", "v", "energy", "bounces"])
        self.assertEqual(result.final["bounces"], 1)
        np.testing.assert_allclose(result["energy"][[0, -1]], [9.81, 0.64 * 9.81], rtol=1e-8)
        heating = saltus.CallbackModel(
            states={"T": 18.0}, guards=[saltus.Guard("low", ([1], 0, -19), in_equations=False), saltus.Guard("high", None, in_equations=False)],
            guard_values=lambda at: [np.nan, at.x[0] - 21],
            modes=[saltus.Mode("on", rhs=lambda at: [2.0]), saltus.Mode("off", rhs=lambda at: 0.1 * (5 - at.x))],
            transitions=[saltus.Transition("on", "off", "high", 1), saltus.Transition("off", "on", "low", -1)])
        self.assertEqual([event.after for event in heating.simulate(stop=10).events][:2], ["off", "on"])

    def test_what_functions_raise_arrives(self):
        def rhs(at):
            if at.time > 0.5:
                raise LookupError("late")
            return [1.0]

        with self.assertRaisesRegex(LookupError, "late"):
            saltus.CallbackModel(states={"x": 0.0}, rhs=rhs).simulate(stop=1)
        with self.assertRaises(saltus.ModelError):
            saltus.CallbackModel(states={"x": 0.0}).simulate(stop=1)
        with self.assertRaisesRegex(ValueError, "rhs has returned"):
            saltus.CallbackModel(states={"x": 0.0}, rhs=lambda at: [1, 2]).simulate(stop=1)


if __name__ == "__main__":
    unittest.main()
