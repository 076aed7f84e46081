"""The types of the module say what is in it."""

import ast
import types
import unittest
from pathlib import Path

import saltus
from saltus import _core

STUBS = ast.parse((Path(saltus.__file__).parent / "_core.pyi").read_text())


def names_of(body):
    return {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))} | {
        node.target.id for node in body if isinstance(node, ast.AnnAssign)}


class Stubs(unittest.TestCase):
    def test_the_module(self):
        self.assertEqual(names_of(STUBS.body), {name for name in vars(_core) if not name.startswith("__")})

    def test_its_classes(self):
        for node in STUBS.body:
            if not isinstance(node, ast.ClassDef) or isinstance(getattr(_core, node.name), types.ModuleType):
                continue
            with self.subTest(node.name):
                there = {name for name in vars(getattr(_core, node.name)) if not name.startswith("_")}
                self.assertEqual({name for name in names_of(node.body) if not name.startswith("_")}, there)

    def test_the_package_says_that_it_has_types(self):
        self.assertTrue((Path(saltus.__file__).parent / "py.typed").exists())

    def test_functions_of_expressions(self):
        there = {name for name in vars(_core.expressions) if not name.startswith("_")}
        self.assertEqual(set(saltus.expressions.__all__) - {"Expression"}, there)


if __name__ == "__main__":
    unittest.main()
