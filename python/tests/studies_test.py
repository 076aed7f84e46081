"""Frames, plots, sensitivities, analyses, gradients, fits, optima."""

import unittest

import numpy as np
import saltus
from simulate_test import BALL, DECAY, PLANT

STICK = """model Stick
  parameter Real mu = 0.4;
  Real x(start = 1, fixed = true, unit = "m"); Real v(start = 0, fixed = true);
equation
  der(x) = v; der(v) = sin(time) - mu*sign(v);
end Stick;
"""


class Frames(unittest.TestCase):
    def test_rows_of_one_instant_are_told_apart(self):
        result = saltus.load(BALL).simulate(stop=1)
        frame = result.to_frame()
        self.assertEqual(frame.index.names, ["time", "segment"])
        self.assertTrue(frame.index.is_unique)
        self.assertTrue(frame.index.is_monotonic_increasing)
        self.assertEqual(list(frame.columns), result.names)
        np.testing.assert_array_equal(frame["v"].to_numpy(), result["v"])
        time = result.events[0].time
        self.assertLess(frame.loc[(time, 0), "v"], 0)
        self.assertGreater(frame.loc[(time, 1), "v"], 0)

    def test_events(self):
        frame = saltus.load(BALL).simulate(stop=1).events_to_frame()
        self.assertEqual(frame["kind"].tolist(), ["when"])
        self.assertIn("h <= 0", frame["guard"][0])


class Plots(unittest.TestCase):
    def test_events_are_marked_sliding_is_shaded_jumps_are_vertical(self):
        result = saltus.load(STICK).simulate(stop=10)
        ax = result.plot(["v", "x"])
        instants = {event.time for event in result.events}
        marks = {float(line.get_xdata()[0]) for line in ax.lines if line.get_linestyle() == ":"}
        self.assertEqual(marks, instants)
        slides = [(span.start, span.end) for span in result.modes if "sliding" in span.mode]
        self.assertTrue(slides)
        drawn = [(patch.get_xy()[:, 0].min(), patch.get_xy()[:, 0].max()) for patch in ax.patches]
        np.testing.assert_allclose(drawn, slides)
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["sliding", "v", "x [m]"])
        ball = saltus.load(BALL).simulate(stop=1)
        [line] = ball.plot("v", events=False).lines
        at = np.flatnonzero(line.get_xdata() == ball.events[0].time)
        self.assertEqual(len(at), 2)
        self.assertEqual(ball.plot(["v"], against="h").get_xlabel(), "h")
        self.assertEqual(len(ball.plot(events=False).lines), 3)

    def tearDown(self):
        import matplotlib.pyplot as plt

        plt.close("all")


class Derivatives(unittest.TestCase):
    def test_sensitivities_and_times_of_events(self):
        result = saltus.load(BALL).simulate(stop=1, sensitivities=["e", "h"], tolerance=1e-10)
        moved = result.sensitivities
        self.assertEqual(moved.parameters, ["e", "h"])
        hit = np.sqrt(2 / 9.81)
        np.testing.assert_allclose(moved.event_times, [[0, 0.5 * hit]], atol=1e-8)
        np.testing.assert_allclose(result.events[0].sensitivities, [0, 0.5 * hit], atol=1e-8)
        np.testing.assert_allclose(moved.final("v", "e"), 9.81 * hit, rtol=1e-7)
        self.assertEqual(moved("v", "e").shape, moved.times.shape)
        self.assertIsNone(saltus.load(BALL).simulate(stop=1).sensitivities)

    def test_error_estimates(self):
        result = saltus.load(DECAY).simulate(stop=1, error_estimate=True)
        truth = np.abs(result["x"] - np.exp(-result.times))
        np.testing.assert_allclose(result.error_estimate("x"), truth, rtol=0.2, atol=0.05 * truth.max())
        self.assertIsNone(saltus.load(DECAY).simulate(stop=1).error_estimate)

    def test_gradients(self):
        model = saltus.load(DECAY)
        for by in ("forward", "adjoint"):
            found = model.gradient("final(x)^2 + integral(x)", ["k", "x"], by=by, stop=1, tolerance=1e-10)
            self.assertTrue(found.ok)
            self.assertEqual(found.by, by)
            e = np.exp(-1)
            self.assertAlmostEqual(found.value, e * e + 1 - e, 8)
            self.assertAlmostEqual(found.gradient["k"], -2 * e * e - 1 + 2 * e, 7)
            self.assertAlmostEqual(found.gradient["x"], 2 * e * e + 1 - e, 7)
        with self.assertRaises(saltus.ModelError):
            model.gradient("final(z)", ["k"], stop=1)

    def test_linearizations(self):
        found = saltus.load(PLANT.replace("Real y", "output Real y")).linearize()
        self.assertEqual(found.states, ["x"])
        self.assertEqual((found.A.shape, found.B.shape, found.C.shape, found.D.shape), ((1, 1), (1, 1), (6, 1), (6, 1)))
        np.testing.assert_allclose(found.A, [[0]], atol=1e-15)
        np.testing.assert_allclose(found.B, [[1]])
        np.testing.assert_allclose(found.eigenvalues, [0], atol=1e-15)

    def test_analyses(self):
        found = saltus.load(STICK).analyze()
        self.assertEqual((found["main"].index, found["main"].d), (0, 2))
        self.assertIn("<table>", found._repr_html_())
        with self.assertRaises(KeyError):
            found["other"]
        self.assertEqual(saltus.load(STICK).analyze(run_to=0.5, projectors=True).time, 0.5)
        pencil = saltus.load("model M Real x(start = 1), y; equation der(x) = -x; y = 2*x; end M;").analyze(pencil=True).modes[0].pencil
        self.assertEqual((pencil["index"], pencil["infinite_blocks"], pencil["consistent_dimension"]), (1, [1], 1))
        mode = saltus.load("model M Real x, y; equation der(der(x)) + y = 0; x = sin(time); end M;").analyze(structure=True).modes[0]
        self.assertEqual(mode.data_derivatives, [{"equation": "x = sin(time)", "order": 2}])
        self.assertEqual((mode.companion["index"], mode.merged, mode.structure["kind"]), (3, None, "symmetric"))


class Searches(unittest.TestCase):
    def test_fits_of_frames_mappings_and_files(self):
        import tempfile

        import pandas

        times = np.linspace(0.1, 2, 20)
        x = 1.5 * np.exp(-0.7 * times)
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            pandas.DataFrame({"time": times, "x": x}).to_csv(file, index=False)
            file.flush()
            for data in ({"time": times, "x": x}, pandas.DataFrame({"x": x}, index=times), file.name, [{"time": times, "x": x}] * 2):
                found = saltus.load(DECAY).fit(data, {"k": (1.0, 0.1, 5), "x": 1.0}, sigma={"x": 1e-3}, tolerance=1e-9)
                self.assertTrue(found.ok, found.message)
                self.assertAlmostEqual(found["k"], 0.7, 6)
                self.assertAlmostEqual(found.values["x"], 1.5, 6)
                self.assertEqual(found.correlation.shape, (2, 2))
                self.assertEqual(found.parameters["k"].guess, 1.0)
                self.assertIn("k", str(found))
                self.assertIn("<table>", found._repr_html_())

    def test_wrong_fits(self):
        with self.assertRaises(saltus.ModelError):
            saltus.load(DECAY).fit({"time": [1.0], "y": [1.0]}, ["k"])
        with self.assertRaisesRegex(ValueError, "'time'"):
            saltus.load(DECAY).fit({"x": [1.0]}, ["k"])
        with self.assertRaises(saltus.ModelError):
            saltus.load(DECAY).fit({"time": [1.0], "x": [1.0]}, ["k"], loss="quadratic")

    def test_optima(self):
        found = saltus.load(DECAY).optimize("(final(x) - 0.5)^2", {"k": (1.0, 0.1, 5)}, stop=1, tolerance=1e-9)
        self.assertTrue(found.ok, found.message)
        self.assertAlmostEqual(found["k"], np.log(2), 4)
        held = saltus.load(DECAY).optimize("final(x)", {"k": (1.0, 0.1, 5)}, subject="final(x) >= 0.25", stop=1)
        self.assertAlmostEqual(held["k"], np.log(4), 3)
        self.assertTrue(held.constraints[0]["is_active"])


class Notebooks(unittest.TestCase):
    def test_tables_are_escaped(self):
        model = saltus.load('model M "a < b" Real x(start = 1, fixed = true) "<script>"; equation der(x) = 0; end M;')
        for shown in (model, model.simulate(stop=1)):
            self.assertIn("&lt;script&gt;", shown._repr_html_())
            self.assertNotIn("<script>", shown._repr_html_())


if __name__ == "__main__":
    unittest.main()
