"""Loading and running models from Python."""

import gc
import os
import signal
import threading
import time
import unittest
import warnings
import weakref
from pathlib import Path

import numpy as np
import saltus

DECAY = """model Decay "a falling number"
  parameter Real k(unit = "1/s") = 1 "rate";
  parameter Integer n = 2;
  parameter Boolean is_on = true;
  Real x(start = 1, fixed = true) "the number";
equation
  der(x) = if is_on then -k*x else 0;
end Decay;
"""
BALL = """model Ball
  parameter Real e = 0.8;
  Real h(start = 1, fixed = true); Real v(start = 0, fixed = true); discrete Integer bounces(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -9.81;
  when h <= 0 and v < 0 then
    reinit(v, -e*pre(v)); bounces = pre(bounces) + 1;
  end when;
end Ball;
"""
PLANT = """model Plant
  input Real u(start = 0); Real x(start = 0, fixed = true); Real y[2, 3];
equation
  der(x) = u;
  for i in 1:2 loop for j in 1:3 loop y[i, j] = i + 10*j + x; end for; end for;
end Plant;
"""
# Takes minutes: for what ends runs from outside.
LONG = "model Long Real x(start = 1, fixed = true); Real v(start = 0, fixed = true); equation der(x) = v; der(v) = -1e4*x; end Long;"


class Load(unittest.TestCase):
    def test_text_says_what_it_holds(self):
        model = saltus.load(DECAY)
        self.assertEqual((model.name, model.description), ("Decay", "a falling number"))
        self.assertEqual({name: item.value for name, item in model.parameters.items()}, {"k": 1.0, "n": 2, "is_on": True})
        self.assertIs(model.parameters["is_on"].value, True)
        self.assertEqual(model.parameters["k"].unit, "1/s")
        self.assertEqual(model.variables["x"].start, 1.0)
        self.assertTrue(model.variables["x"].is_fixed)
        self.assertEqual(model.check(), [])
        self.assertIn("der(x)", model.flat_text)

    def test_files_by_path_and_by_text_are_the_same(self):
        path = Path(os.environ["SALTUS_SOURCE_DIR"]) / "examples" / "stick_slip.mo"
        for given in (path, str(path)):
            self.assertEqual(saltus.load(given).name, "StickSlip")
        self.assertEqual(saltus.load(path).experiment.stop, 10.0)

    def test_errors_have_the_text_of_the_command_line(self):
        with self.assertRaises(saltus.ModelError) as caught:
            saltus.load("model M\n  Real x;\nequation\n  der(x) = y;\nend M;\n", source="m.mo")
        error = caught.exception
        self.assertIsInstance(error, ValueError)
        self.assertEqual(error.code, "unknown-name")
        self.assertIn("m.mo:4:12: error:", str(error))
        self.assertEqual((error.diagnostics[0].file, error.diagnostics[0].line, error.diagnostics[0].column), ("m.mo", 4, 12))

    def test_a_file_that_is_not_there(self):
        with self.assertRaises(saltus.ModelError) as caught:
            saltus.load("/nowhere/nothing.mo")
        self.assertIn("/nowhere/nothing.mo", str(caught.exception))


class Simulate(unittest.TestCase):
    def test_rows_final_values_and_the_solution_between(self):
        result = saltus.load(DECAY).simulate(stop=2, tolerance=1e-10, interval=0.5)
        self.assertEqual(result.names, ["x"])
        self.assertEqual(result["time"].tolist(), [0, 0.5, 1, 1.5, 2])
        np.testing.assert_allclose(result["x"], np.exp(-result.times), rtol=1e-9)
        self.assertAlmostEqual(result.final["x"], np.exp(-2.0), 9)
        t = np.linspace(0, 2, 37)
        np.testing.assert_allclose(result(t, "x"), np.exp(-t), rtol=1e-8)
        self.assertEqual(result(t).shape, (37, 1))
        self.assertEqual(result(t.reshape(37, 1), "x").shape, (37, 1))
        self.assertEqual(result(1.0).shape, (1,))
        self.assertIsInstance(result(1.0, "x"), float)

    def test_options(self):
        model = saltus.load(DECAY)
        result = model.simulate(1, start=0.5, set={"k": np.float64(3), "x": 2}, method="radau5", rtol=1e-9, atol={"x": 1e-12}, max_step=0.01)
        self.assertEqual(result.statistics.method, "radau5")
        self.assertLessEqual(result.statistics.largest_step, 0.01 * (1 + 1e-12))
        self.assertAlmostEqual(result.final["x"], 2 * np.exp(-1.5), 8)
        self.assertEqual(result.parameters["k"], 3.0)
        self.assertEqual(model.simulate(times=[0.25, 0.3], stop=1)["time"].tolist(), [0, 0.25, 0.3, 1])
        steps = model.simulate(stop=1, interval="steps")
        self.assertEqual(len(steps), steps.statistics.accepted_steps + 1)
        self.assertEqual(steps.step_ends.tolist(), steps.times[1:].tolist())
        self.assertEqual(model.simulate(stop=1, set={"is_on": False}).final["x"], 1.0)

    def test_a_number_reaches_the_run_to_the_last_bit(self):
        self.assertEqual(saltus.load(DECAY).simulate(stop=1 / 3, max_step=1 / 7).end, 1 / 3)

    def test_all_wrong_options_at_once(self):
        with self.assertRaises(saltus.ModelError) as caught:
            saltus.load(DECAY).simulate(stop=1, max_stepp=0.1, zeno="perhaps")
        self.assertEqual([item.code for item in caught.exception.diagnostics], ["unknown-option", "wrong-option-value"])
        self.assertIn("max-step", str(caught.exception))
        with self.assertRaises(saltus.ModelError) as caught:
            saltus.load(DECAY).simulate(stop=1, set={"kk": 1})
        self.assertIn("'kk'", str(caught.exception))
        with self.assertRaises(TypeError):
            saltus.load(DECAY).simulate(stop=1, set={"k": object()})

    def test_events_and_both_sides_of_them(self):
        result = saltus.load(BALL).simulate(stop=1, interval=0.5, tolerance=1e-9)
        [event] = result.events
        self.assertEqual((event.kind, event.guard), ("when", "h <= 0 and v < 0"))
        hit = np.sqrt(2 / 9.81)
        self.assertAlmostEqual(event.time, hit, 9)
        at = np.flatnonzero(result.times == event.time)
        self.assertEqual(result.segments[at].tolist(), [0, 1])
        np.testing.assert_allclose(result["v"][at], [-9.81 * hit, 0.8 * 9.81 * hit], rtol=1e-8)
        self.assertAlmostEqual(result(event.time, "v"), result["v"][at[1]], 12)
        self.assertAlmostEqual(result(event.time, "v", before=True), result["v"][at[0]], 12)
        self.assertEqual(result.final["bounces"], 1)
        self.assertEqual(result.modes_of_rows, ["main"] * len(result))
        self.assertEqual([span.mode for span in result.modes], ["main"])

    def test_arrays_have_their_dimensions(self):
        result = saltus.load(PLANT).simulate(stop=1, inputs={"u": 2})
        self.assertEqual(result["y"].shape, (len(result), 2, 3))
        self.assertIs(result["y"].base is None, False)
        np.testing.assert_array_equal(result["y"][:, 1, 2], result["y[2,3]"])
        self.assertIn("y", result)
        with self.assertRaises(KeyError):
            result["z"]

    def test_arrays_are_views_that_keep_the_run_alive(self):
        result = saltus.load(DECAY).simulate(stop=1)
        x = result["x"]
        self.assertTrue(np.shares_memory(x, result.values))
        self.assertTrue(np.shares_memory(result._core.values, result.values))
        with self.assertRaises(ValueError):
            x[0] = 2.0
        gone = weakref.ref(result)
        before = x.copy()
        del result
        gc.collect()
        self.assertIsNone(gone())
        np.testing.assert_array_equal(x, before)

    def test_times_outside_and_runs_without_a_dense_solution(self):
        model = saltus.load(DECAY)
        for wrong in (1.5, [0.5, 1.5], float("nan")):
            with self.assertRaisesRegex(ValueError, "is not between 0.0 and 1.0"):
                model.simulate(stop=1)(wrong)
        with self.assertRaisesRegex(ValueError, "no dense solution"):
            model.simulate(stop=1, dense=False)(0.5)

    def test_runs_that_end_early_raise_and_keep_what_was_computed(self):
        model = saltus.load("model Blow Real x(start = 1, fixed = true); equation der(x) = x^2; end Blow;")
        with self.assertRaises(saltus.RunError) as caught:
            model.simulate(stop=2)
        result = caught.exception.result
        self.assertEqual(caught.exception.code, result.reason)
        self.assertFalse(result.ok)
        self.assertLess(result.end, 1.1)
        self.assertGreater(len(result), 100)
        self.assertFalse(model.simulate(stop=2, check=False).ok)
        self.assertEqual(model.simulate(stop=2, max_steps=3, check=False).reason, "step_limit")

    def test_warnings_are_issued(self):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            result = saltus.load(PLANT).simulate(stop=1)
        self.assertTrue(any(issubclass(item.category, saltus.SaltusWarning) and "the input u " in str(item.message) for item in seen), seen)
        self.assertEqual(seen[-1].filename, __file__)
        self.assertTrue(any(item.severity == "warning" for item in result.diagnostics))

    def test_error_estimates_and_sensitivities_are_there(self):
        result = saltus.load(DECAY).simulate(stop=1, error_estimate=True)
        self.assertEqual(result._core.error_estimate["values"].shape, (len(result), 1))
        result = saltus.load(DECAY).simulate(stop=1, sensitivities=["k", "x"], tolerance=1e-9)
        self.assertEqual(result._core.sensitivities["values"].shape, (len(result), 1, 2))
        np.testing.assert_allclose(result._core.sensitivities["final_values"], [[-np.exp(-1), np.exp(-1)]], rtol=1e-6)


class Inputs(unittest.TestCase):
    def setUp(self):
        self.model = saltus.load(PLANT)

    def final(self, given, **options):
        return self.model.simulate(stop=2, inputs=given, tolerance=1e-10, **options).final["x"]

    def test_numbers_tables_and_functions(self):
        for rule in ("linear", "hold", "cubic"):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertAlmostEqual(self.final({"u": 1.5}, input_rule=rule), 3.0, 9)
        self.assertAlmostEqual(self.final({"u": ([0, 2], [0, 2])}), 2.0, 9)
        self.assertAlmostEqual(self.final({"u": (np.array([0, 1, 2]), np.array([1, 3, 5]))}, input_rule="hold"), 4.0, 9)
        self.assertAlmostEqual(self.final({"u": np.sin}), 1 - np.cos(2), 9)
        self.assertAlmostEqual(self.final({"u": (lambda t: 1.0 if t < 0.5 else 3.0, [0.5])}), 5.0, 9)

    def test_frames(self):
        import pandas

        self.assertAlmostEqual(self.final(pandas.DataFrame({"u": [0.0, 2.0]}, index=[0.0, 2.0])), 2.0, 9)

    def test_what_a_function_raises_arrives(self):
        def wrong(t):
            raise LookupError("no such value")

        with self.assertRaisesRegex(LookupError, "no such value"):
            self.final({"u": wrong})
        with self.assertRaises(saltus.ModelError) as caught:
            self.final({"u": lambda t: float("nan")})
        self.assertEqual(caught.exception.code, "input-function-failed")
        with self.assertRaisesRegex(ValueError, "the same length"):
            self.final({"u": ([0, 1], [1])})
        with self.assertRaises(TypeError):
            self.final(3)


class FromOutside(unittest.TestCase):
    def test_ctrl_c_ends_a_run(self):
        model = saltus.load(LONG)
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            model.simulate(stop=1e6, interval=1e6, tolerance=1e-12, dense=False)
        self.assertLess(time.monotonic() - begin, 5.0)
        self.assertTrue(saltus.load(DECAY).simulate(stop=1).ok)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_ctrl_c_ends_what_python_functions_compute(self):
        def slow(t, y):
            time.sleep(0.001)
            return [-1e3 * y[0]]

        for run in (
            lambda: saltus.solve_ivp(slow, [0, 1e6], [1.0]),
            lambda: saltus.CallbackModel(states={"x": 1.0}, rhs=lambda at: slow(at.time, at.x)).simulate(stop=1e6),
        ):
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt):
                run()
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_runs_within_functions_of_runs(self):
        inner = saltus.load(DECAY)

        def fun(t, y):
            return [-inner.simulate(stop=1, set={"x": float(y[0])}, dense=False).final["x"]]

        sol = saltus.solve_ivp(fun, [0, 1], [1.0], t_eval=[1.0], rtol=1e-6)
        self.assertAlmostEqual(sol.y[0, -1], np.exp(-np.exp(-1)), 4)

        def interrupted(t, y):
            os.kill(os.getpid(), signal.SIGINT)
            inner.simulate(stop=1)
            return [0.0]

        with self.assertRaises(KeyboardInterrupt):
            saltus.solve_ivp(interrupted, [0, 1], [1.0])
        self.assertTrue(inner.simulate(stop=1).ok)

    def test_a_handler_that_does_not_raise_gets_a_result(self):
        heard = []
        old = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
        self.addCleanup(signal.signal, signal.SIGINT, old)
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        result = saltus.load(LONG).simulate(stop=1e6, interval=1e6, tolerance=1e-12, dense=False, check=False)
        self.assertEqual((result.reason, heard), ("interrupted", [1]))

    def test_other_threads_go_on_while_a_model_runs(self):
        model = saltus.load(LONG)
        done = threading.Event()
        threading.Thread(target=lambda: (model.simulate(stop=3e6, dense=False, max_time=1.0, check=False), done.set())).start()
        ticks = 0
        while not done.wait(0.005):
            ticks += 1
        self.assertGreater(ticks, 3)  # a run that kept the lock would leave none or one

    def test_threads_share_a_model(self):
        model = saltus.load(DECAY)
        found = {}

        def run(k):
            found[k] = model.simulate(stop=1, set={"k": k}).final["x"]

        threads = [threading.Thread(target=run, args=(k,)) for k in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {k: model.simulate(stop=1, set={"k": k}).final["x"] for k in range(1, 9)})

    def test_progress_is_told(self):
        told = []
        saltus.load(LONG).simulate(stop=1e4, interval=1e4, dense=False, max_time=1.0, check=False, progress=lambda *now: told.append(now))
        self.assertGreater(len(told), 1)
        self.assertEqual(told[0][1:3], (0.0, 1e4))


if __name__ == "__main__":
    unittest.main()
