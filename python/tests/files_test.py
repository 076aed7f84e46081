"""Results that are written and read."""

import dataclasses
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import saltus

EXAMPLES = Path(os.environ["SALTUS_SOURCE_DIR"]) / "examples"


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def same(self, one, other):
        for name in ("status", "reason", "message", "start", "end", "names", "modes_of_rows", "final", "parameters", "modes", "ok"):
            self.assertEqual(getattr(one, name), getattr(other, name), name)
        for name in ("times", "segments", "values"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
        for a, b in zip(one.events, other.events, strict=True):
            self.assertEqual(a, b)
        a, b = (dataclasses.replace(item.statistics, wall_seconds=0.0) for item in (one, other))
        self.assertEqual(a, b)
        self.assertEqual(list(one.to_frame().columns), list(other.to_frame().columns))

    def test_folders_of_the_command_line(self):
        for name in ("bouncing_ball.mo", "stick_slip.mo", "clutch.saltus", "heat_chain.mo"):
            with self.subTest(name):
                subprocess.run([os.environ["SALTUS_PROGRAM"], "run", EXAMPLES / name, "-o", self.folder / name], check=True, capture_output=True)
                self.same(saltus.read(self.folder / name), saltus.load(EXAMPLES / name).simulate())

    def test_npz(self):
        for name in ("bouncing_ball.mo", "clutch.saltus"):
            result = saltus.load(EXAMPLES / name).simulate(sensitivities="all" if name == "bouncing_ball.mo" else None)
            file = self.folder / "run.npz"
            result.save(file)
            again = saltus.read(file)
            self.same(again, result)
            self.assertEqual(again.columns, result.columns)
            with np.load(file) as arrays:
                np.testing.assert_array_equal(arrays["time"], result.times)

    def test_what_a_file_does_not_have(self):
        result = saltus.load(EXAMPLES / "pendulum.mo").simulate()
        result.save(self.folder / "run.npz")
        again = saltus.read(self.folder / "run.npz")
        with self.assertRaisesRegex(ValueError, "no dense solution"):
            again(0.5)
        with self.assertRaises(FileNotFoundError):
            saltus.read(self.folder / "nothing.npz.gz")
        with self.assertRaisesRegex(ValueError, "neither"):
            saltus.read(__file__)
        with self.assertRaisesRegex(ValueError, ".npz"):
            result.save(self.folder / "run.csv")


if __name__ == "__main__":
    unittest.main()
