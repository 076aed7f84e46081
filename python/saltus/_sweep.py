"""Many runs of one model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._html import table

if TYPE_CHECKING:
    import pandas

#: Rows that a notebook shows.
SHOWN = 20


@dataclass(frozen=True)
class Sweep:
    """What came out of many runs: arrays with a row for each."""

    names: list[str]  #: that are varied
    columns: list[str]  #: of values
    given: np.ndarray  #: [run, name]
    values: np.ndarray  #: [run, column]; NaN: there is none, as for all columns of a run that is not ok
    status: list[str]  #: "success", "terminated", "stopped", "failed", "refused"
    reason: list[str]
    end: np.ndarray  #: times reached
    events: np.ndarray  #: how many
    warnings: list[str]  #: codes, with blanks between
    message: list[str]
    shape: tuple[int, ...]  #: of the grid; otherwise the number of runs
    diagnostics: list[_core.Diagnostic]
    text: str

    @property
    def ok(self) -> np.ndarray:
        """Which runs came to their end."""
        return np.array([status in ("success", "terminated") for status in self.status], dtype=bool)

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, name: str) -> np.ndarray:
        """A column, or what was given for a name, by run. Where the start value of x is varied, `x` is what was given and `final(x)` what came out."""
        if name in self.columns:
            return self.values[:, self.columns.index(name)]
        if name in self.names:
            return self.given[:, self.names.index(name)]
        raise KeyError(name)

    def grid(self, name: str) -> np.ndarray:
        """The same in the shape of the grid: an axis for each name that is varied."""
        return self[name].reshape(self.shape)

    def frame(self) -> pandas.DataFrame:
        """A pandas frame with a row for each run, which count from 1."""
        import pandas

        runs = {"status": self.status, "reason": self.reason, "end": self.end, "events": self.events, "warnings": self.warnings, "message": self.message}
        data: dict[str, Any] = {f"given({name})" if name in runs else name: self.given[:, k] for k, name in enumerate(self.names)}
        data.update({name: self[name] for name in self.columns})
        data.update(runs)
        return pandas.DataFrame(data, index=pandas.RangeIndex(1, len(self) + 1, name="run"))

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        rows = [(k + 1, *self.given[k], *self.values[k], self.status[k]) for k in range(min(len(self), SHOWN))]
        return table(["run", *self.names, *self.columns, "status"], rows, self.text.strip())


def sweep(
    core: _core.Model, vary: Any, samples: Any, random: int | None, seed: int, columns: str | Sequence[str], jobs: int | None, journal: Any,
    anew: bool, options: dict[str, Any],
) -> Sweep:
    ranges = [_variation(name, given) for name, given in (vary or {}).items()]
    asked = [columns] if isinstance(columns, str) else list(columns)
    found = _core.sweep(
        core, ranges, None if samples is None else _samples(samples), random, seed, asked, jobs or 0, "" if journal is None else os.fspath(journal), anew, options
    )
    return Sweep(**found)


def _variation(name: str, given: Any) -> str | tuple[str, list[float]]:
    """Text as on the command line ("0:0.1:1", "log(1e-3,1,20)", "0..1"), or numbers."""
    if isinstance(given, str):
        return f"{name}={given}"
    return name, [float(value) for value in np.atleast_1d(np.asarray(given, dtype=float))]


def _samples(samples: Any) -> tuple[list[str], list[float]]:
    """A CSV file, a frame, or a mapping of names to numbers, as many for each."""
    if isinstance(samples, (str, os.PathLike)):
        return _core.read_sweep_samples(os.fspath(samples))
    names = [str(name) for name in (samples if isinstance(samples, Mapping) else samples.columns)]
    arrays = [np.asarray(samples[name], dtype=float).ravel() for name in names]
    if len({len(array) for array in arrays}) > 1:
        raise ValueError("samples have different numbers of values: " + ", ".join(f"{name} {len(array)}" for name, array in zip(names, arrays)))
    return names, np.column_stack(arrays).ravel().tolist() if arrays else []
