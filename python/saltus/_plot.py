"""Results as plots of matplotlib: events are marked, sliding is shaded, jumps are vertical."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._result import Result

#: More would be a solid block.
MOST_MARKS = 500
#: Columns that are drawn where none are named.
MOST_COLUMNS = 8


def plot(
    result: Result, names: str | Sequence[str] | None = None, *, against: str = "time", ax: Axes | None = None, events: bool = True, sliding: bool = True, **style: Any
) -> Axes:
    """Draws columns over time, or over another column, and returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        ax = plt.subplots()[1]
    chosen = [names] if isinstance(names, str) else list(names) if names is not None else result.names[:MOST_COLUMNS]
    if against == "time":
        if sliding:
            _shade_sliding(result, ax)
        if events:
            _mark_events(result, ax)
    horizontal = result[against]
    for name in chosen:
        column = result[name]
        if column.ndim > 1:
            raise ValueError(f"'{name}' is an array: name its elements")
        # Rows of one instant have one time, so that a line through all rows is vertical where the solution jumps.
        ax.plot(horizontal, column, label=_label(result, name), **style)
    ax.set_xlabel(_label(result, against) if against != "time" else "time")
    if chosen:
        ax.legend()
    return ax


def sliding_stretches(result: Result) -> list[tuple[float, float]]:
    """From and to of the times in which the rows slide."""
    is_sliding = np.array([" sliding on " in mode for mode in result.modes_of_rows], dtype=bool)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_sliding, [False]]).astype(int)))
    return [(float(result.times[a]), float(result.times[b - 1])) for a, b in zip(edges[::2], edges[1::2])]


def _shade_sliding(result: Result, ax: Axes) -> None:
    for k, (begin, end) in enumerate(sliding_stretches(result)):
        ax.axvspan(begin, end, color="tab:green", alpha=0.12, linewidth=0, label="sliding" if k == 0 else None)


def _mark_events(result: Result, ax: Axes) -> None:
    times = np.unique([event.time for event in result.events])
    if len(times) <= MOST_MARKS:
        for time in times:
            ax.axvline(time, color="0.6", linewidth=0.7, linestyle=":", zorder=0)


def _label(result: Result, name: str) -> str:
    unit = result.columns[name].unit if name in result.columns else ""
    return f"{name} [{unit}]" if unit else name
