"""Many runs of one model."""

import os
import tempfile
import unittest
import warnings

import numpy as np

import saltus

DECAY = """model Decay
  parameter Real k = 1; parameter Real c = 0;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*x + c;
  assert(x < 5, "too large");
end Decay;
"""


class Sweeps(unittest.TestCase):
    def setUp(self):
        self.model = saltus.load(DECAY)

    def test_grids(self):
        found = self.model.sweep({"k": [1, 2, 3], "c": "0:0.5:0.5"}, columns=["x", "twice=final(2*x)"], stop=1, tolerance=1e-9)
        self.assertEqual(found.shape, (3, 2))
        self.assertEqual(len(found), 6)
        self.assertTrue(found.ok.all())
        np.testing.assert_array_equal(found.grid("k"), [[1, 1], [2, 2], [3, 3]])
        np.testing.assert_array_equal(found.grid("c"), [[0, 0.5]] * 3)
        np.testing.assert_allclose(found.grid("x")[:, 0], np.exp([-1.0, -2.0, -3.0]), rtol=1e-6)
        np.testing.assert_array_equal(found["twice"], 2 * found["x"])
        for k in range(6):
            single = self.model.simulate(stop=1, tolerance=1e-9, set={"k": found["k"][k], "c": found["c"][k]})
            self.assertAlmostEqual(single.final["x"], found["x"][k], 12)
        with self.assertRaises(KeyError):
            found["y"]
        self.assertIn("<table>", found._repr_html_())
        self.assertEqual(str(found), "6 runs: 6 success\n")

    def test_random_runs_depend_on_the_seed_alone(self):
        one = self.model.sweep({"k": "0.5..2"}, random=20, seed=3, jobs=1, stop=1)
        two = self.model.sweep({"k": "0.5..2"}, random=20, seed=3, jobs=2, stop=1)
        np.testing.assert_array_equal(one.values, two.values)
        self.assertEqual(one.columns, ["x"])
        self.assertEqual(one.shape, (20,))
        other = self.model.sweep({"k": "0.5..2"}, random=20, seed=4, stop=1)
        self.assertTrue((one["k"] != other["k"]).all())

    def test_samples_and_runs_that_fail(self):
        found = self.model.sweep(samples={"k": [1, -3, 2], "c": [0, 0, 1]}, stop=1)
        self.assertEqual(found.status, ["success", "failed", "success"])
        self.assertEqual(found.reason[1], "assert")
        self.assertTrue(np.isnan(found["x"][1]))
        self.assertEqual(found.ok.tolist(), [True, False, True])
        self.assertLess(found.end[1], 1.0)
        with self.assertRaisesRegex(ValueError, "k 2, c 1"):
            self.model.sweep(samples={"k": [1, 2], "c": [0]})

    def test_frames(self):
        import pandas

        found = self.model.sweep(samples=pandas.DataFrame({"k": [1.0, 2.0]}), stop=1)
        frame = found.frame()
        self.assertEqual(list(frame.index), [1, 2])
        self.assertEqual(list(frame.columns), ["k", "x", "status", "reason", "end", "events", "warnings", "message"])

    def test_start_values_and_final_values_have_columns_of_their_own(self):
        found = self.model.sweep({"x": [1, 2]}, stop=1)
        self.assertEqual(found.columns, ["final(x)"])
        np.testing.assert_array_equal(found["x"], [1, 2])
        self.assertEqual(list(found.frame().columns)[:2], ["x", "final(x)"])
        np.testing.assert_array_equal(found.frame()["x"], [1, 2])

    def test_sensitivities(self):
        found = self.model.sweep({"k": [1, 2]}, sensitivities="k", stop=1, tolerance=1e-9)
        self.assertEqual(found.columns, ["x", "d(x)/d(k)"])
        np.testing.assert_allclose(found["d(x)/d(k)"], -found["x"], rtol=1e-6)

    def test_journals(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = os.path.join(folder, "sweep.journal")
            first = self.model.sweep({"k": [1, 2]}, journal=journal, stop=1)
            second = self.model.sweep({"k": [1, 2]}, journal=journal, stop=1)
            self.assertIn("2 from the journal", str(second))
            np.testing.assert_array_equal(first.values, second.values)
            with self.assertRaisesRegex(saltus.ModelError, "--stop is 2 here and was 1"):
                self.model.sweep({"k": [1, 2]}, journal=journal, stop=2)
            self.model.sweep({"k": [1, 2]}, journal=journal, anew=True, stop=2)

    def test_mistakes(self):
        for arguments, message in (
            (dict(vary={"kk": [1]}), "'kk'"),
            (dict(vary={"k": "1:2"}), "has 2 numbers, not 3"),
            (dict(vary={"k": [1]}, columns=["y"]), "no variable 'y'"),
            (dict(), "nothing is varied"),
        ):
            with self.subTest(message), self.assertRaisesRegex(saltus.ModelError, message):
                self.model.sweep(**arguments)


if __name__ == "__main__":
    warnings.simplefilter("error")
    unittest.main()
