"""What models and runs say of themselves, as records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


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
