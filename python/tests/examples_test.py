"""The examples in docstrings are run."""

import doctest
import importlib
import pkgutil
import unittest

import saltus


def load_tests(loader, tests, pattern):
    for module in pkgutil.iter_modules(saltus.__path__, "saltus."):
        if not module.name.endswith("._core"):
            tests.addTests(doctest.DocTestSuite(importlib.import_module(module.name)))
    tests.addTests(doctest.DocTestSuite(saltus))
    return tests


class Docstrings(unittest.TestCase):
    def test_everything_public_has_one(self):
        missing = [name for name in saltus.__all__ if not (getattr(saltus, name).__doc__ or "").strip()]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
