"""Functions of expressions, for saltus.ModelBuilder: what the language has under these names.

`call("name", [arguments])` is any other function, of the language or of ModelBuilder.add_text.
"""

from ._core import Expression
from ._core.expressions import (  # noqa: F401
    abs, acos, array, asin, atan, atan2, call, ceil, change, cos, cosh, der, div, edge, exp, floor, if_else, initial, integer, log, log10, max, min, mod,
    no_event, pre, rem, sample, sign, sin, sinh, smooth, sqrt, tan, tanh, terminal, time,
)

__all__ = [
    "Expression", "abs", "acos", "array", "asin", "atan", "atan2", "call", "ceil", "change", "cos", "cosh", "der", "div", "edge", "exp", "floor", "if_else",
    "initial", "integer", "log", "log10", "max", "min", "mod", "no_event", "pre", "rem", "sample", "sign", "sin", "sinh", "smooth", "sqrt", "tan", "tanh",
    "terminal", "time",
]
