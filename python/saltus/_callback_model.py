"""Systems given by Python functions: equations of any index, guards, modes, resets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from . import _core
from ._model import finished
from ._result import Result


@dataclass
class State:
    """A state, a discrete number, or (its `start`) a parameter."""

    name: str
    start: float = 0.0
    nominal: float = 1.0  #: its usual size
    unit: str = ""
    description: str = ""
    is_fixed: bool = False  #: in residuals: the start value is held, or the run does not begin
    role: str = "found"  #: in residuals: "found", "differential" or "algebraic"


@dataclass
class Guard:
    """A scalar g(t, x) whose sign changes are events; what the equations choose, they choose by `at.sides`.

    `affine`: (coefficients by state, coefficient of time, constant), found with certainty and cheaply; else a value of `guard_values`. `reset(at, x, discrete)`
    changes these arrays; it acts on arrival at `reset_side` (+1, -1, or 0: either).
    """

    name: str
    affine: tuple[Sequence[float], float, float] | None = None
    reset: Callable[[_core.Point, np.ndarray, np.ndarray], None] | None = None
    reset_side: float = 0.0
    in_equations: bool = True
    can_slide: bool = True
    is_unilateral: bool = False  #: nothing is evaluated beyond the surface


@dataclass
class Mode:
    """A right-hand side or a residual over the same states."""

    name: str
    rhs: Callable[[_core.Point], Any] | None = None
    residual: Callable[[_core.Point, np.ndarray], Any] | None = None
    jacobian: Callable[[_core.Point, np.ndarray], tuple] | None = None
    n_equations: int = 0
    equation_names: Sequence[str] = ()
    is_linear: bool = False


@dataclass
class Transition:
    """From one mode to another as soon as the guard has this side; `jump(at, x, discrete)` changes these arrays."""

    source: str
    target: str
    guard: str
    side: float
    jump: Callable[[_core.Point, np.ndarray, np.ndarray], None] | None = None


@dataclass
class CallbackModel:
    """A model given by Python functions, for equations that are in Python already; numpy arrays in and out.

    rhs(at)                 ẋ; `at` has time, x, sides, discrete and parameters; or
    residual(at, xdot)      F(t, x, ẋ) = 0 of any index, `n_equations` of them if they are not as many as states
    jacobian(at, xdot)      (∂F/∂x, ∂F/∂ẋ) or (∂F/∂x, ∂F/∂ẋ, ∂F/∂t); differences are taken without it
    guard_values(at)        of all guards, those that are affine included (their values are not read)
    outputs(at)             further columns, `output_names`

    States, discrete numbers and parameters are State objects, names, or a mapping from names to start values. docs/api.md ("Systems given by C++
    functions") says what guards, sides, modes and roles mean.

    >>> import numpy as np, saltus
    >>> block = saltus.CallbackModel(
    ...     states={"x": 0.0, "v": 1.0}, parameters={"mu": 0.5}, guards=[saltus.Guard("v", affine=([0, 1], 0, 0))],
    ...     rhs=lambda at: [at.x[1], np.sin(at.time) - at.parameters[0] * at.sides[0]])
    >>> result = block.simulate(stop=10, set={"mu": 0.6})
    >>> [event.kind for event in result.events][:3]
    ['condition', 'slide_enter', 'slide_exit']
    """

    states: Any
    rhs: Callable[[_core.Point], Any] | None = None
    residual: Callable[[_core.Point, np.ndarray], Any] | None = None
    jacobian: Callable[[_core.Point, np.ndarray], tuple] | None = None
    n_equations: int = 0
    equation_names: Sequence[str] = ()
    is_linear: bool = False
    discrete: Any = ()
    parameters: Any = ()
    guards: Sequence[Guard] = ()
    guard_values: Callable[[_core.Point], Any] | None = None
    modes: Sequence[Mode] = ()
    transitions: Sequence[Transition] = ()
    initial_mode: str = ""
    outputs: Callable[[_core.Point], Any] | None = None
    output_names: Sequence[str] = field(default_factory=list)
    rhs_takes_weights: bool = False
    rhs_chooses_sides: bool = False
    name: str = "callbacks"
    description: str = ""

    def simulate(self, stop: float | None = None, *, check: bool = True, dense: bool = True, **options: Any) -> Result:
        """As Model.simulate. What a function raises is raised; the lock of the interpreter is kept, as the functions need it."""
        given = {"stop": stop, "keep_dense": dense, **options}
        core, _, _ = _core.simulate_callbacks(self._given(), given, set())
        return finished(core, check)

    def _given(self) -> dict[str, Any]:
        given = {
            key: getattr(self, key)
            for key in ("rhs", "residual", "jacobian", "n_equations", "is_linear", "guard_values", "outputs", "initial_mode", "rhs_takes_weights",
                        "rhs_chooses_sides", "name", "description")
        }
        given["equation_names"] = list(self.equation_names)
        given["output_names"] = list(self.output_names)
        for key in ("states", "discrete", "parameters"):
            given[key] = [asdict(item) for item in _states(getattr(self, key))]
        given["guards"] = [_guard(guard) for guard in self.guards]
        given["modes"] = [{**vars(mode), "equation_names": list(mode.equation_names)} for mode in self.modes]
        given["transitions"] = [
            {"from": item.source, "to": item.target, "guard": item.guard, "side": float(item.side), "jump": item.jump} for item in self.transitions
        ]
        return given


def _states(given: Any) -> list[State]:
    if isinstance(given, Mapping):
        return [State(name, float(start)) for name, start in given.items()]
    return [State(item) if isinstance(item, str) else item for item in given]


def _guard(guard: Guard) -> dict[str, Any]:
    affine = guard.affine
    if affine is not None:
        affine = ([float(c) for c in affine[0]], float(affine[1]), float(affine[2]))
    return {**vars(guard), "affine": affine, "reset_side": float(guard.reset_side), "is_event": False}
