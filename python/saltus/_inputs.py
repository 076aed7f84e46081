"""What drives the inputs of a model, from arrays, functions, numbers, frames and files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

#: No run is longer; a table between two such times has no end within one, and their difference is a number.
_EVER = 1e300


def input_options(inputs: Any) -> dict[str, Any]:
    """The options `input_tables`, `input_functions` and `input` for what a user gives as `inputs`.

    A mapping from names of inputs to
      * a number: constant,
      * (times, values): a table; between its rows as `input_rule` says,
      * a function of time: smooth, or (function, breaks) with the times at which it, or a derivative of it, jumps;
    or a frame of pandas whose index are the times; or the name of a CSV file; or a list of these.
    """
    tables: list[tuple[list[float], dict[str, list[float]], str]] = []
    functions: list[tuple[str, Callable[[float], float], list[float]]] = []
    files: list[str] = []
    for item in inputs if isinstance(inputs, (list, tuple)) else [inputs]:
        if isinstance(item, (str, os.PathLike)):
            files.append(os.fspath(item))
        elif isinstance(item, Mapping):
            for name, given in item.items():
                _add(str(name), given, tables, functions)
        elif hasattr(item, "columns") and hasattr(item, "index"):
            times = np.asarray(item.index, dtype=float).tolist()
            columns = {str(name): np.asarray(item[name], dtype=float).tolist() for name in item.columns}
            tables.append((times, columns, "inputs"))
        else:
            raise TypeError(f"inputs are a mapping, a frame or the name of a CSV file, not {type(item).__name__}")
    return {"input_tables": tables, "input_functions": functions, "input": files}


def _add(name: str, given: Any, tables: list, functions: list) -> None:
    if callable(given):
        functions.append((name, given, []))
    elif not isinstance(given, (tuple, list)) and np.ndim(given) == 0:
        tables.append(([-_EVER, _EVER], {name: [float(given)] * 2}, f"inputs['{name}']"))
    elif len(given) == 2 and callable(given[0]):
        functions.append((name, given[0], [float(time) for time in given[1]]))
    elif len(given) == 2:
        times, values = (np.asarray(part, dtype=float) for part in given)
        if times.ndim != 1 or times.shape != values.shape:
            raise ValueError(f"times and values of the input '{name}' are two lists of the same length")
        tables.append((times.tolist(), {name: values.tolist()}, f"inputs['{name}']"))
    else:
        raise TypeError(f"the input '{name}' is a number, a function, (times, values) or (function, breaks)")
