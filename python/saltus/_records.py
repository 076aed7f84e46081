"""What models and runs say of themselves, as records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class Variable:
    """A variable of a model, or a column of a result."""

    name: str  #: array elements as "x[1]"
    type: str = "real"  #: "real", "integer" or "boolean"
    causality: str = "local"  #: "local", "input" or "output"
    is_discrete: bool = False
    is_fixed: bool = False  #: the start value is held exactly
    start: float | None = None  #: with the default parameters
    nominal: float = 1.0
    min: float | None = None
    max: float | None = None
    unit: str = ""
    description: str = ""
    derivative_of: str = ""  #: x, where an equation of the model says der(x) = this variable
    dimensions: tuple[int, ...] = ()  #: of the array that it is an element of


@dataclass(frozen=True)
class Parameter:
    """A parameter of a model with its default."""

    name: str
    type: str = "real"  #: "real", "integer", "boolean" or "string"
    value: float | int | bool | str | None = None  #: None where the model gives none
    unit: str = ""
    description: str = ""
    is_settable: bool = True  #: False for `constant` and `final`
    is_structural: bool = False  #: sizes depend on it


@dataclass(frozen=True)
class Experiment:
    """annotation(experiment(…)) and annotation(__saltus(…)) of a model."""

    start: float | None = None
    stop: float | None = None
    tolerance: float | None = None
    interval: float | None = None
    options: dict[str, str] = field(default_factory=dict)


class Event(NamedTuple):
    """Something that happened in a run: a row of events.csv (docs/output.md)."""

    time: float
    segment: int  #: the first segment after it
    kind: str  #: "condition", "when", "transition", "slide_enter", …
    before: str  #: mode, or value of the condition
    after: str
    guard: str  #: canonical text of the guard, or the condition as written
    detail: str  #: for a person
    transfer: str  #: "", "smooth", "jump equations", "reinitialisation", "both"
    impulse_order: int  #: -1: none, or not known
    transfer_case: int  #: 0: not known
    sensitivities: list[float]  #: of its time, by parameter; empty where none were asked for


class ModeSpan(NamedTuple):
    """A stretch of time in one mode with the characteristic values of its equations."""

    start: float
    end: float
    mode: str
    index: int  #: strangeness index
    d: int  #: differential components
    a: int  #: algebraic ones
    u: int  #: undetermined ones
    v: int  #: redundant equations


@dataclass(frozen=True)
class Statistics:
    """What a run counts; docs/output.md says what each means."""

    method: str
    method_reason: str
    methods: list[dict]  #: by mode: mode, method, reason, accepted_steps
    guards: list[dict]  #: how each was watched: condition, proved_steps, estimated_steps, sampled_steps
    orders: dict[int, int]  #: accepted steps by order
    accepted_steps: int
    rejected_steps: int
    residual_evaluations: int
    jacobian_evaluations: int
    factorizations: int
    guard_evaluations: int
    newton_iterations: int
    location_iterations: int
    overtaken_locations: int
    guards_without_root: int
    refined_steps: int
    events: int
    instants: int
    restarts: int
    kinks_without_restart: int
    accepted_sliding_steps: int
    rejected_sliding_steps: int
    rejected_by_error: int
    rejected_by_iteration: int
    rejected_by_bounds: int
    negative_within_tolerance: int
    smallest_step: float
    largest_step: float
    last_step: float
    next_step: float
    output_rows: int
    wall_seconds: float


@dataclass(frozen=True)
class Sensitivities:
    """Derivatives of the solution along one run, at fixed times; NaN: undefined, and a warning of the result says why.

    >>> import saltus
    >>> model = saltus.load("model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;")
    >>> moved = model.simulate(stop=1, sensitivities=["k", "x"], tolerance=1e-9).sensitivities
    >>> round(moved.final("x", "k"), 6), round(float(moved("x", "x")[-1]), 6)
    (-0.367879, 0.367879)
    """

    parameters: list[str]  #: names of parameters, and of variables whose start value is meant
    parameter_values: list[float]
    columns: list[str]
    times: np.ndarray
    values: np.ndarray  #: [row, column, parameter]
    segments: np.ndarray
    final_values: np.ndarray  #: [variable, parameter]
    event_times: np.ndarray  #: [event, parameter]
    most_influential: list[tuple[str, float]]  #: with its measure, the largest first
    zero_sensitivities: list[str]
    check: list[tuple[str, float, str]]  #: with sens_check: parameter, largest difference, where
    variables: list[str]  #: of final_values

    def __call__(self, column: str, parameter: str) -> np.ndarray:
        """∂column/∂parameter in all rows."""
        return self.values[:, self.columns.index(column), self.parameters.index(parameter)]

    def final(self, variable: str, parameter: str) -> float:
        """At the end of the run."""
        return float(self.final_values[self.variables.index(variable), self.parameters.index(parameter)])


@dataclass(frozen=True)
class ErrorEstimate:
    """|value - value of a second, tighter run| of every row and column; NaN where there is none to compare with."""

    values: np.ndarray  #: [row, column]
    largest: list[tuple[float, float]]  #: by column: error, and the time of its row
    factor: float  #: tolerances of the second run over those of the first
    end: float  #: that the second run reached
    reason: str  #: why it ended early
    events_compared: int
    event_time: float  #: largest difference of times of events
    events_differ: float | None  #: time of the first event that is not the same in both runs
    columns: list[str]

    def __call__(self, column: str) -> np.ndarray:
        """Of one column, in all rows."""
        return self.values[:, self.columns.index(column)]
