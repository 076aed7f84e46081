"""A run in one's hand: step by step, asked and changed in between."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from . import _core
from ._records import Event, Variable
from ._result import Result


class Simulation:
    """A simulation that has begun; `Model.begin` makes one. Functions that lead it on return False when it has ended by itself.

    >>> import saltus
    >>> tank = saltus.load("model Tank input Real inflow(start = 0); Real level(start = 1, fixed = true); equation der(level) = inflow - 0.5*level; end Tank;")
    >>> run = tank.begin(stop=10)
    >>> while not run.has_ended:
    ...     _ = run.set(inflow=1.0 if run["level"] < 0.8 else 0.0) and run.advance_to(min(run.time + 0.5, run.stop_time))
    >>> result = run.finish()
    >>> result.ok, bool(0.5 < result["level"].min() < 0.9)
    (True, True)
    """

    def __init__(self, core: _core.Simulation) -> None:
        self._core = core

    @property
    def time(self) -> float:
        return self._core.time

    @property
    def stop_time(self) -> float:
        return self._core.stop_time

    @property
    def has_ended(self) -> bool:
        return self._core.has_ended

    # Leading it on

    def step(self) -> bool:
        """One accepted step, or what is left of it where an event cuts it."""
        return self._core.step()

    def advance_to(self, time: float) -> bool:
        """To exactly this time."""
        return self._core.advance_to(time)

    def advance_to_event(self, time: float) -> bool:
        """To the first instant before this time, or to that."""
        return self._core.advance_to_event(time)

    def set(self, values: Mapping[str, float] | None = None, /, **named: float) -> bool:
        """Inputs and tunable parameters get new values, all at once: an event at the present time."""
        return self._core.set({**(values or {}), **named})

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes a checkpoint, from which `Model.begin(resume=file)` goes on."""
        self._core.save(os.fspath(file))

    def reset(self) -> None:
        """From the start again, with the values that it began with."""
        self._core.reset()

    def finish(self) -> Result:
        """Ends it where it is: rows, events, statistics up to here."""
        return Result(self._core.finish())

    # As it stands now

    @cached_property
    def variables(self) -> dict[str, Variable]:
        return {item["name"]: Variable(**item) for item in self._core.variables}

    def __getitem__(self, name: str) -> float:
        """A variable as it is now."""
        if name not in self.variables:
            raise KeyError(f"no variable '{name}'")
        return self._core.value(name)

    @property
    def values(self) -> dict[str, float]:
        return dict(zip(self.variables, self._core.values))

    @property
    def mode(self) -> str:
        return self._core.mode

    @property
    def states(self) -> dict[str, tuple[float, float]]:
        """Of the present mode, with value and derivative."""
        return {name: (value, derivative) for name, value, derivative in self._core.states}

    @property
    def guards(self) -> dict[str, float]:
        """That are watched in the present mode, by their texts."""
        return self._core.guards

    def derivative(self, name: str) -> float:
        """Of a variable along the solution; NaN where there is none."""
        return self._core.derivative(name)

    @property
    def events(self) -> list[Event]:
        return [Event._make(item) for item in self._core.events]

    @property
    def n_events(self) -> int:
        return self._core.n_events

    @property
    def rounds(self) -> list[tuple[int, str, dict[str, float]]]:
        """What happened at the present time: segment, mode and values, first as before, then after each round."""
        return [(segment, mode, dict(zip(self.variables, values))) for segment, mode, values in self._core.rounds]

    @property
    def last_step(self) -> float:
        return self._core.last_step

    @property
    def last_order(self) -> int:
        return self._core.last_order

    @property
    def next_step(self) -> float:
        return self._core.next_step

    @property
    def next_event_time(self) -> float | None:
        """At which something is due that depends on time alone; None: nothing is known to be."""
        return self._core.next_event_time

    # Derivatives at the present point (docs/api.md says what knowns and unknowns are)

    def partial_derivatives(self, unknowns: Sequence[str], knowns: Sequence[str]) -> np.ndarray:
        """J = ∂unknowns/∂knowns."""
        return np.array(self._core.partial_derivatives(list(unknowns), list(knowns))).reshape(len(unknowns), len(knowns))

    def directional_derivative(self, unknowns: Sequence[str], knowns: Sequence[str], seeds: Sequence[float]) -> np.ndarray:
        """J·seeds."""
        return np.array(self._core.directional_derivative(list(unknowns), list(knowns), list(seeds)))

    def adjoint_derivative(self, unknowns: Sequence[str], seeds: Sequence[float], knowns: Sequence[str]) -> np.ndarray:
        """seeds·J."""
        return np.array(self._core.adjoint_derivative(list(unknowns), list(seeds), list(knowns)))

    def dependencies(self, unknown: str) -> list[str] | None:
        """What it depends on by the equations of the present mode; None: not known."""
        return self._core.dependencies(unknown)

    def __repr__(self) -> str:
        return f"<saltus.Simulation at {self.time:g} of {self.stop_time:g}{', ended' if self.has_ended else ''}>"
