"""Results as frames of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

    from ._result import Result


def to_frame(result: Result) -> pandas.DataFrame:
    """One column for each column of the result; the index are (time, segment), which tell the rows of one instant apart."""
    import pandas

    index = pandas.MultiIndex.from_arrays([result.times, result.segments], names=["time", "segment"])
    return pandas.DataFrame(result.values, index=index, columns=result.names, copy=False)


def events_to_frame(result: Result) -> pandas.DataFrame:
    """One row for each event, in their order."""
    import pandas

    from ._records import Event

    return pandas.DataFrame(result.events, columns=Event._fields).drop(columns="sensitivities")
