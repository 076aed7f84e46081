"""The build backend: what a wheel holds, and that it can be imported where it is unpacked."""

import hashlib
import base64
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import saltus

ROOT = Path(os.environ["SALTUS_SOURCE_DIR"])


def backend():
    spec = importlib.util.spec_from_file_location("saltus_build", ROOT / "python/backend/saltus_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.backend = backend()
        # The module of this build takes the place of one that CMake would have to build for minutes.
        self.backend.build_module = lambda: Path(saltus._core.__file__)

    def test_a_wheel_is_whole(self):
        name = self.backend.build_wheel(self.folder.name)
        self.assertEqual(name, f"saltus-{saltus.__version__}-{self.backend.tag()}.whl")
        with zipfile.ZipFile(Path(self.folder.name) / name) as wheel:
            info = f"saltus-{saltus.__version__}.dist-info/"
            rows = [line.split(",") for line in wheel.read(info + "RECORD").decode().splitlines()]
            self.assertEqual({row[0] for row in rows}, set(wheel.namelist()))
            for path, digest, size in rows:
                if digest:
                    content = wheel.read(path)
                    self.assertEqual(digest, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode())
                    self.assertEqual(int(size), len(content))
            self.assertIn(f"Version: {saltus.__version__}\n", wheel.read(info + "METADATA").decode())
            names = set(wheel.namelist())
            self.assertLessEqual({"saltus/__init__.py", "saltus/py.typed", "saltus/_core.pyi"}, names)
            self.assertTrue(any(item.startswith("saltus/_core.") and item.endswith(".so") for item in names))

    def test_pip_installs_it_without_network(self):
        name = self.backend.build_wheel(self.folder.name)
        target = Path(self.folder.name) / "there"
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", target, Path(self.folder.name) / name], check=True,
                       env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"})
        script = "import saltus; print(saltus.__file__); saltus.load('model M Real x; equation x = time; end M;').simulate(stop=1)"
        done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(target)}, cwd=self.folder.name, check=True, capture_output=True, text=True)
        self.assertIn(str(target), done.stdout)

    def test_an_editable_install_points_to_the_build_folder(self):
        name = self.backend.build_editable(self.folder.name)
        with zipfile.ZipFile(Path(self.folder.name) / name) as wheel:
            self.assertEqual(wheel.read("saltus.pth").decode().strip(), str(Path(saltus._core.__file__).parents[1]))


if __name__ == "__main__":
    unittest.main()
