"""The scripts of examples/python run."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(os.environ["SALTUS_SOURCE_DIR"]) / "examples" / "python"
ARGUMENTS = {"converter_variations.py": ["3"]}
FILES = {"first_plot.py": ["stick_slip.svg"], "relay_controller.py": ["relay.svg"]}


class Tutorials(unittest.TestCase):
    def test_all(self):
        scripts = sorted(FOLDER.glob("*.py"))
        self.assertGreaterEqual(len(scripts), 5)
        for script in scripts:
            with self.subTest(script.name), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, script, *ARGUMENTS.get(script.name, [])], cwd=folder, capture_output=True, text=True, timeout=200)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                for name in FILES.get(script.name, []):
                    self.assertTrue((Path(folder) / name).stat().st_size > 1000)


if __name__ == "__main__":
    unittest.main()
