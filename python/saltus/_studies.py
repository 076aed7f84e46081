"""What is asked of a model besides one run: analyses, linearisations, gradients, fits, optima."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core
from ._html import table
from ._records import Statistics


@dataclass(frozen=True)
class ModeAnalysis:
    """The structure of one mode, with the characteristic values of [KM06]."""

    name: str
    equations: int
    unknowns: int
    index: int | None  #: strangeness index
    differentiation_index: int | None
    structural_index: int | None
    d: int  #: free initial values
    d2: int
    d1: int
    a: int  #: algebraic unknowns
    u: int  #: undetermined ones
    v: int  #: redundant equations
    dof: int
    linear: bool
    reduction: str  #: "structural" or "ranks"
    states: list[str]
    hidden_constraints: list[str]
    undetermined: list[str]
    data_derivatives: list[dict[str, Any]]  #: equation and order
    companion: dict[str, Any] | None = None
    merged: dict[str, Any] | None = None
    projectors: dict[str, Any] | None = None
    pencil: dict[str, Any] | None = None
    structure: dict[str, Any] | None = None


@dataclass(frozen=True)
class Analysis:
    """Every mode of a model at a point."""

    time: float
    modes: list[ModeAnalysis]
    warnings: list[_core.Diagnostic] = field(default_factory=list)

    def __getitem__(self, mode: str) -> ModeAnalysis:
        for item in self.modes:
            if item.name == mode:
                return item
        raise KeyError(mode)

    def _repr_html_(self) -> str:
        head = ["mode", "equations", "unknowns", "index", "d", "a", "u", "v", "states", "hidden constraints"]
        rows = [
            (m.name, m.equations, m.unknowns, m.index, m.d, m.a, m.u, m.v, m.states, "; ".join(m.hidden_constraints)) for m in self.modes
        ]
        return table(head, rows, f"at time {self.time:g}")


@dataclass(frozen=True)
class Linearization:
    """δs' = A·δs + B·δu, δy = C·δs + D·δu at a point of the solution."""

    time: float
    mode: str
    index: int
    states: list[str]
    state_values: np.ndarray
    inputs: list[str]
    outputs: list[str]
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    eigenvalues: np.ndarray
    hidden_constraints: list[str]
    warnings: list[_core.Diagnostic]


@dataclass(frozen=True)
class Gradient:
    """A number that a run gives and its derivatives; NaN: undefined, and a diagnostic says why."""

    functional: str
    by: str  #: "forward" or "adjoint"
    value: float
    gradient: dict[str, float]  #: by parameter or start value
    at: dict[str, float]  #: their values
    terms: list[tuple[str, float, list[float]]]
    problem: str  #: why there is no value; empty: there is one
    status: str
    reason: str
    start: float
    end: float
    statistics: Statistics
    diagnostics: list[_core.Diagnostic]
    text: str

    @property
    def ok(self) -> bool:
        return not self.problem

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        rows = [(name, self.at[name], slope) for name, slope in self.gradient.items()]
        return table(["parameter", "value", "derivative"], rows, f"{self.functional} = {self.value:.6g}")


@dataclass(frozen=True)
class FittedParameter:
    """NaN where there is none: standard errors of what the data do not determine or a bound holds."""

    name: str
    value: float
    standard_error: float
    low: float  #: of the 95 % interval
    high: float
    guess: float
    lower: float
    upper: float
    at_bound: bool


@dataclass(frozen=True)
class Fit:
    """Parameters and start values from measured data."""

    status: str  #: "converged", "limit", "unidentifiable" or "failed"
    message: str
    parameters: dict[str, FittedParameter]
    correlation: np.ndarray
    cost: float
    variance: float
    degrees_of_freedom: int
    unidentifiable: list[dict[str, Any]]
    rows: list[tuple[int, float, str, float, float, float]]  #: experiment, time, column, data, model, residual
    runs: int
    wall_seconds: float
    diagnostics: list[_core.Diagnostic]
    text: str

    @property
    def ok(self) -> bool:
        return self.status == "converged"

    @property
    def values(self) -> dict[str, float]:
        """For `set` of a run."""
        return {name: item.value for name, item in self.parameters.items()}

    def __getitem__(self, name: str) -> float:
        return self.parameters[name].value

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        rows = [(p.name, p.value, p.standard_error, p.low, p.high, "at its bound" if p.at_bound else "") for p in self.parameters.values()]
        return table(["parameter", "value", "standard error", "low", "high", ""], rows, f"{self.status}: {self.message}")


@dataclass(frozen=True)
class Optimum:
    """Parameters for which a functional is least."""

    status: str  #: "converged", "infeasible", "limit" or "failed"
    message: str
    objective: str
    value: float
    parameters: dict[str, float]
    at_bound: list[str]
    gradient: list[float]
    constraints: list[dict[str, Any]]
    failed_trials: list[tuple[list[float], str]]
    runs: int
    iterations: int
    wall_seconds: float
    diagnostics: list[_core.Diagnostic]
    text: str

    @property
    def ok(self) -> bool:
        return self.status == "converged"

    def __getitem__(self, name: str) -> float:
        return self.parameters[name]

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return table(["parameter", "value"], self.parameters.items(), f"{self.status}: {self.objective} = {self.value:.6g}")


def analyze(core: _core.Model, at: float | None, set: Mapping[str, Any] | None, run_to: float | None, projectors: bool, pencil: bool, structure: bool) -> Analysis:
    text, warnings = _core.analyze(core, at, dict(set or {}), run_to, projectors, pencil, structure)
    found = json.loads(text)
    modes = [ModeAnalysis(**{**mode, "projectors": _matrices(mode.get("projectors"))}) for mode in found["modes"]]
    return Analysis(found["time"], modes, warnings)


def _matrices(projectors: dict[str, Any] | None) -> dict[str, Any] | None:
    if projectors is None:
        return None
    return {name: np.array(value) if name in ("point", "Z1", "Z2", "Z3", "T2", "free") else value for name, value in projectors.items()}


def linearize(core: _core.Model, options: dict[str, Any]) -> Linearization:
    found = _core.linearize(core, options)
    n, n_inputs, n_outputs = len(found["states"]), len(found["inputs"]), len(found["outputs"])
    for name, shape in (("A", (n, n)), ("B", (n, n_inputs)), ("C", (n_outputs, n)), ("D", (n_outputs, n_inputs))):
        found[name] = np.array(found[name], dtype=float).reshape(shape)
    return Linearization(**{**found, "state_values": np.array(found["state_values"]), "eigenvalues": np.array(found["eigenvalues"], dtype=complex)})


def gradient(core: _core.Model, functional: str, with_: Sequence[str], by: str, options: dict[str, Any]) -> Gradient:
    found = _core.gradient(core, functional, [with_] if isinstance(with_, str) else list(with_), by, options)
    return Gradient(**{**found, "statistics": Statistics(**found["statistics"])})


def fit(core: _core.Model, data: Any, parameters: Any, settings: dict[str, Any], options: dict[str, Any]) -> Fit:
    several = data if isinstance(data, (list, tuple)) else [data]
    texts = {name.replace("_", "-"): _setting(value) for name, value in settings.items() if value is not None}
    found = _core.fit(core, [measured(item, k) for k, item in enumerate(several)], bounded(parameters), texts, options)
    n = len(found["parameters"])
    found["parameters"] = {item["name"]: FittedParameter(**item) for item in found["parameters"]}
    found["correlation"] = np.array(found["correlation"]).reshape(n, n) if found["correlation"] else np.full((n, n), np.nan)
    return Fit(**found)


def optimize(
    core: _core.Model, objective: str, parameters: Any, subject: Iterable[str], accuracy: float, max_iterations: int, options: dict[str, Any]
) -> Optimum:
    limits = [subject] if isinstance(subject, str) else list(subject)
    return Optimum(**_core.optimize(core, objective, bounded(parameters), limits, accuracy, max_iterations, options))


def bounded(parameters: Any) -> list[tuple[str, float | None, float, float]]:
    """["k", "x"], or {"k": 1.0, "x": (0.5, 0, 1), "y": None}: names, with a guess, or a guess (or None) with bounds."""
    if isinstance(parameters, str):
        parameters = [parameters]
    if not isinstance(parameters, Mapping):
        parameters = {name: None for name in parameters}
    result = []
    for name, given in parameters.items():
        guess, lower, upper = given if isinstance(given, (tuple, list)) else (given, None, None)
        result.append((
            name, None if guess is None else float(guess), -np.inf if lower is None else float(lower), np.inf if upper is None else float(upper)))
    return result


def measured(data: Any, k: int) -> tuple[str, list[float], dict[str, list[float]]]:
    """A CSV file, a frame whose index are the times, or a mapping with "time" and columns. NaN: not measured."""
    if isinstance(data, (str, os.PathLike)):
        return _core.read_fit_data(os.fspath(data))
    if isinstance(data, Mapping):
        columns = {str(name): np.asarray(values, dtype=float).tolist() for name, values in data.items() if name != "time"}
        if "time" not in data:
            raise ValueError("data need the key 'time'")
        return f"data {k + 1}", np.asarray(data["time"], dtype=float).tolist(), columns
    return f"data {k + 1}", np.asarray(data.index, dtype=float).tolist(), {str(n): np.asarray(data[n], dtype=float).tolist() for n in data.columns}


def _setting(value: Any) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{name}={float(number)!r}" for name, number in value.items())
    return repr(float(value)) if isinstance(value, float) else str(value)


