"""The build backend of `pip install .` (PEP 517): CMake builds the module, and the wheel is a zip of the package.

It needs nothing but the standard library, so that an install fetches nothing; compiler and libraries are those of scripts/packages.sh. The build folder is
that of ./saltus, build/release, so that neither builds again what the other has. CMAKE_ARGS adds arguments for CMake.
"""

import base64
import fcntl
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"


def version():
    return re.search(r"project\(saltus VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def metadata():
    return (
        "Metadata-Version: 2.1\n"
        "Name: saltus\n"
        f"Version: {version()}\n"
        "Summary: Hybrid differential-algebraic equations\n"
        "License: BSD-3-Clause\n"
        "Requires-Python: >=3.11\n"
        "Requires-Dist: numpy\n"
        "Description-Content-Type: text/markdown\n"
        "\n" + (ROOT / "README.md").read_text(encoding="utf-8")
    )


def tag():
    """Of this interpreter and machine: cp311-cp311-linux_x86_64."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def build_module():
    """The file of the module."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / ".lock", "w") as lock:  # that of scripts/build.sh
        fcntl.flock(lock, fcntl.LOCK_EX)
        run(["cmake", "--preset", "release", "-DSALTUS_PYTHON=ON", f"-DSALTUS_PYTHON_EXECUTABLE={sys.executable}",
             *shlex.split(os.environ.get("CMAKE_ARGS", ""))])
        run(["cmake", "--build", str(BUILD), "--target", "saltus_python"])
    return BUILD / "python" / "saltus" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"


def run(command):
    try:
        subprocess.run(command, check=True, cwd=ROOT)
    except FileNotFoundError:
        raise SystemExit(f"saltus: '{command[0]}' is not there; as root: . scripts/packages.sh; apt-get install $packages_build $packages_python")


def package_files():
    """The files of the package beside the module."""
    return sorted(path for path in (ROOT / "python" / "saltus").iterdir() if path.suffix in (".py", ".pyi") or path.name == "py.typed")


class Wheel:
    """A wheel that is being written, with the hashes of its files."""

    def __init__(self, folder):
        self.info = f"saltus-{version()}.dist-info"
        self.name = f"saltus-{version()}-{tag()}.whl"
        self.zip = zipfile.ZipFile(Path(folder) / self.name, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, content):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")
        self.zip.writestr(name, content)

    def close(self):
        self.add(f"{self.info}/METADATA", metadata().encode())
        self.add(f"{self.info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: saltus\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode())
        record = f"{self.info}/RECORD"
        self.zip.writestr(record, "\n".join([*self.record, f"{record},,"]) + "\n")
        self.zip.close()
        return self.name


# What pip calls

def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    module = build_module()
    wheel = Wheel(wheel_directory)
    for path in package_files():
        wheel.add(f"saltus/{path.name}", path.read_bytes())
    wheel.add(f"saltus/{module.name}", module.read_bytes())
    return wheel.close()


def get_requires_for_build_editable(config_settings=None):
    return []


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package of the build folder, whose Python files are links to those of the sources."""
    module = build_module()
    wheel = Wheel(wheel_directory)
    wheel.add("saltus.pth", (str(module.parents[1]) + "\n").encode())
    return wheel.close()


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    """The files that git knows."""
    name = f"saltus-{version()}"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in filter(None, files.split("\0")):
            archive.add(ROOT / path, f"{name}/{path}", recursive=False)
        info = BUILD / "PKG-INFO"
        info.parent.mkdir(parents=True, exist_ok=True)
        info.write_text(metadata(), encoding="utf-8")
        archive.add(info, f"{name}/PKG-INFO")
    return f"{name}.tar.gz"
