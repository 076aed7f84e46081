"""What a run gives."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _frame, _plot
from ._html import table
from ._records import ErrorEstimate, Event, ModeSpan, Sensitivities, Statistics, Variable

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class Result:
    """Rows, events and the solution at any time of one run.

    The rows are those of the output grid; at every event there is one with the values just before it and one after each of its rounds, all
    at the same time (`segments` tells them apart). Arrays show the memory of the run: they are not copied, and cannot be written to.

    >>> import saltus
    >>> ball = saltus.load('''model Ball
    ...   Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);
    ... equation der(h) = v; der(v) = -9.81;
    ...   when h <= 0 and v < 0 then reinit(v, -0.8*pre(v)); end when;
    ... end Ball;''')
    >>> result = ball.simulate(stop=1, interval=0.25)
    >>> result["time"].round(3).tolist()
    [0.0, 0.25, 0.452, 0.452, 0.5, 0.75, 1.0]
    >>> result["v"].round(3).tolist()
    [0.0, -2.452, -4.429, 3.544, 3.068, 0.616, -1.837]
    >>> float(result(0.7, "h").round(6)), [event.kind for event in result.events]
    (0.577653, ['when'])
    """

    def __init__(self, core: _core.Run) -> None:
        self._core = core

    # How it ended

    @property
    def ok(self) -> bool:
        """The run reached its stop, or a terminate() of the model."""
        return self._core.ok

    @property
    def status(self) -> str:
        """"success", "terminated", "stopped" or "failed"."""
        return self._core.status

    @property
    def reason(self) -> str:
        """Why it ended early, a word of docs/output.md; empty for success."""
        return self._core.reason

    @property
    def message(self) -> str:
        return self._core.message

    @property
    def start(self) -> float:
        return self._core.start

    @property
    def end(self) -> float:
        """The time that was reached."""
        return self._core.end

    @cached_property
    def diagnostics(self) -> list[_core.Diagnostic]:
        return self._core.diagnostics

    @cached_property
    def statistics(self) -> Statistics:
        return Statistics(**self._core.statistics)

    @property
    def explanation(self) -> str:
        """Of the event that `explain_event` asks for."""
        return self._core.explanation

    # The rows

    @cached_property
    def names(self) -> list[str]:
        """Of the columns."""
        return self._core.names

    @cached_property
    def columns(self) -> dict[str, Variable]:
        """By name: unit, description, …"""
        return {item["name"]: Variable(**item) for item in self._core.columns}

    @cached_property
    def times(self) -> np.ndarray:
        """Of the rows."""
        return self._core.times

    @cached_property
    def values(self) -> np.ndarray:
        """Of the rows: [row, column]. NaN where a variable does not exist in the mode."""
        return self._core.values

    @cached_property
    def segments(self) -> np.ndarray:
        """By row: (time, segment) orders the rows; it grows at every round of an event."""
        return self._core.segments

    @cached_property
    def modes_of_rows(self) -> list[str]:
        """By row: the mode, followed by " sliding on <guard>" while sliding."""
        return self._core.modes_of_rows

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, name: str) -> np.ndarray:
        """One column in all rows; of an array all its elements, with its dimensions after that of rows; "time": the times."""
        if name == "time":
            return self.times
        place = self._places.get(name)
        if place is not None:
            return self.values[:, place]
        return self._array(name)

    def __contains__(self, name: object) -> bool:
        return name == "time" or name in self._places or f"{name}[1]" in self._places or f"{name}[1,1]" in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def keys(self) -> list[str]:
        """The names of the columns."""
        return self.names

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def _array(self, name: str) -> np.ndarray:
        places = [place for place, column in enumerate(self.names) if column.startswith(name + "[")]
        if not places:
            raise KeyError(f"no column '{name}'" + _similar(name, self.names))
        dimensions = self.columns[self.names[places[0]]].dimensions
        if places != list(range(places[0], places[0] + len(places))) or int(np.prod(dimensions)) != len(places):
            raise KeyError(f"the columns of '{name}' are not all there, one after the other: ask for them one by one")
        return self.values[:, places[0] : places[-1] + 1].reshape(len(self), *dimensions)

    @cached_property
    def final(self) -> dict[str, float]:
        """Every variable at the end; empty if the run could not start."""
        names = [item["name"] for item in self._core.variables]
        return dict(zip(names, self._core.final_values.tolist()))

    @cached_property
    def parameters(self) -> dict[str, float | str]:
        """With which it was run."""
        return self._core.parameters

    # The solution between the rows

    @property
    def is_dense(self) -> bool:
        """There is a solution at any time: result(t)."""
        return self._core.is_dense

    @cached_property
    def step_ends(self) -> np.ndarray:
        """Where the accepted steps end; needs the dense solution."""
        return self._core.step_ends

    def __call__(self, t: Any, name: str | None = None, *, before: bool = False) -> Any:
        """The solution at a time, or at an array of times, between start and end.

        Without a name all columns, in the last dimension. States come from the interpolant of the method, other variables from the equations at
        these states. At the time of an event: after it, or (`before`) before it.
        """
        if not self.is_dense:
            raise ValueError("the run kept no dense solution (dense=False), or took no step")
        asked = np.asarray(t, dtype=float)
        low, high = min(self.start, self.end), max(self.start, self.end)
        outside = asked[~((asked >= low) & (asked <= high))] if asked.ndim else asked if not low <= asked <= high else None
        if outside is not None and outside.size:
            raise ValueError(f"the time {float(outside.flat[0])!r} is not between {low!r} and {high!r}")
        place = None
        if name is not None:
            place = self._places.get(name)
            if place is None:
                raise KeyError(f"no column '{name}'" + _similar(name, self.names))
        rows = self._core.at(asked.reshape(-1), before)
        if place is not None:
            return rows[:, place].reshape(asked.shape)[()]
        return rows.reshape(*asked.shape, len(self.names))

    # What happened

    @cached_property
    def events(self) -> list[Event]:
        """Everything that happened, in order."""
        return [Event._make(item) for item in self._core.events]

    @cached_property
    def modes(self) -> list[ModeSpan]:
        """One for each stretch of time in one mode, or sliding on the same guards."""
        return [ModeSpan._make(item) for item in self._core.modes]

    # Frames, plots, tables

    def to_frame(self) -> pandas.DataFrame:
        """A frame of pandas with the columns of the result, over (time, segment)."""
        return _frame.to_frame(self)

    def events_to_frame(self) -> pandas.DataFrame:
        """A frame of pandas with one row for each event."""
        return _frame.events_to_frame(self)

    def plot(
        self, names: str | Sequence[str] | None = None, *, against: str = "time", ax: Axes | None = None, events: bool = True, sliding: bool = True, **style: Any
    ) -> Axes:
        """Draws columns (the first eight without names) by matplotlib and returns the axes: instants of events as dotted lines, stretches of sliding
        shaded, jumps vertical. `against`: another column than time on the horizontal axis."""
        return _plot.plot(self, names, against=against, ax=ax, events=events, sliding=sliding, **style)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .npz file, which `saltus.read` and `numpy.load` read."""
        from ._files import save

        save(self, path)

    @cached_property
    def sensitivities(self) -> Sensitivities | None:
        """If they were asked for."""
        given = self._core.sensitivities
        return Sensitivities(**given, variables=[item["name"] for item in self._core.variables]) if given else None

    @cached_property
    def error_estimate(self) -> ErrorEstimate | None:
        """With error_estimate=True: from a second run at a hundredth of the tolerances."""
        given = self._core.error_estimate
        return ErrorEstimate(**given, columns=self.names) if given else None

    def _repr_html_(self) -> str:
        finals = self.final
        rows = [(name, finals.get(name), variable.unit, variable.description) for name, variable in self.columns.items()]
        how = self.status if self.ok else f"{self.status} ({self.reason}): {self.message}"
        return table(["column", "at the end", "unit", "description"], rows, f"{how}, {self.start:g} to {self.end:g}, {len(self)} rows, {len(self.events)} events")

    def __repr__(self) -> str:
        how = self.status if self.ok else f"{self.status} ({self.reason})"
        return f"<saltus.Result {how}, {self.start:g} to {self.end:g}: {len(self)} rows of {len(self.names)} columns, {len(self.events)} events>"


def _similar(name: str, names: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, names, 1)
    return f"; did you mean '{close[0]}'?" if close else ""
