"""`solve_ivp` with the signature and the result of SciPy's (1.10), on top of saltus."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core
from ._errors import SaltusWarning
from ._records import Statistics
from ._result import Result

#: Methods of SciPy, and what takes their place: of the same kind and at least the same order.
METHODS = {"RK45": "dopri5", "RK23": "rk23", "DOP853": "fehlberg78", "Radau": "radau5", "BDF": "bdf", "LSODA": "auto"}
MESSAGES = {0: "The solver successfully reached the end of the integration interval.", 1: "A termination event occurred."}
#: As SciPy: smaller relative tolerances are raised to it.
SMALLEST_RTOL = 100 * np.finfo(float).eps
#: At 1 + 6 times as many points of a step the signs of event functions that jump are looked at.
POINTS_OF_JUMPS = 8
#: Absolute tolerances below are refused by runs; SciPy takes 0.
SMALLEST_ATOL = 1e-100


class OdeResult(dict):
    """What solve_ivp returns: a dictionary whose entries are attributes too.

    t, y            times (points,) and values (n, points)
    sol             the solution at any time, an OdeSolution; None without dense_output
    t_events        for each event function the times of its events; None without events
    y_events        … and the values there, (events, n)
    nfev, njev, nlu     evaluations of fun, of Jacobians, factorisations
    status          0: reached the end, 1: a terminal event, -1: failed
    message, success
    statistics, diagnostics     what saltus says of the run; SciPy has none
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        width = max(map(len, self), default=0) + 1
        return "\n".join(f"{name.rjust(width)}: {value!r}" for name, value in self.items())


class OdeSolution:
    """The solution of a run at any time: sol(t) is (n,), or (n, points) for an array of times.

    States come from the interpolant of the method. Unlike SciPy's it does not extrapolate: times beyond t_min and t_max are a ValueError.
    """

    def __init__(self, result: Result, n_states: int) -> None:
        self._result = result
        self._n_states = n_states
        self.t_min = min(result.start, result.end)
        self.t_max = max(result.start, result.end)
        self.ts = np.concatenate([[result.start], result.step_ends])
        self.n_segments = len(self.ts) - 1

    def __call__(self, t: Any) -> np.ndarray:
        t = np.asarray(t, dtype=float)
        if t.ndim > 1:
            raise ValueError("`t` must be a float or a 1-D array.")
        return self._result(t)[..., : self._n_states].T


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Sequence[float],
    y0: Any,
    method: str = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Callable[..., float] | Sequence[Callable[..., float]] | None = None,
    vectorized: bool = False,
    args: tuple | None = None,
    **options: Any,
) -> OdeResult:
    """Solves y' = fun(t, y), y(t0) = y0: the signature, the defaults and the result of scipy.integrate.solve_ivp, by the methods of saltus.

    What differs, for the better: sign changes of event functions are looked for within steps, not at their ends alone; a step ends at each
    event, so that `t` has the times of events too; event times are located to the last bits. An event function that is zero at the start is an
    event there, if it leaves zero in its direction, as in SciPy. `method` also takes names of saltus (saltus.methods()). `jac`, `jac_sparsity`, `lband`, `uband` and `min_step` have no effect, with a
    warning: derivatives are taken by differences. Complex y0 are refused.

    >>> import saltus
    >>> def upward_cannon(t, y): return [y[1], -0.5]
    >>> def hit_ground(t, y): return y[0]
    >>> hit_ground.terminal = True
    >>> hit_ground.direction = -1
    >>> sol = saltus.solve_ivp(upward_cannon, [0, 100], [0, 10], events=hit_ground)
    >>> sol.t_events[0].round(9), sol.status
    (array([40.]), 1)
    """
    y0 = _start(y0)
    t0, tf = map(float, t_span)
    names = [f"y{i}" for i in range(len(y0))]
    functions, is_terminal, directions = _events(events)
    if t_eval is not None:
        t_eval = _checked_times(t_eval, t0, tf)
    model: dict[str, Any] = {
        "name": "solve_ivp", "fun": fun, "vectorized": bool(vectorized), "args": _arguments(fun, args),
        "states": [_state(name, start) for name, start in zip(names, y0)],
    }
    if functions:
        model["events"] = functions
        model["guards"] = [_guard(i, direction) for i, direction in enumerate(directions)]
    given = _options(method, options, y0, names)
    given.update(start=t0, stop=tf, keep_dense=True, chattering="off", zeno="continue", max_events=10**12)
    if t_eval is None:
        given["interval"] = "steps"
    else:
        given["times"] = t_eval.tolist()
    if tf == t0 or len(y0) == 0:
        return _at_rest(t0, tf, y0, t_eval, functions)
    terminal = {f"e{i}" for i in range(len(functions)) if is_terminal[i]}
    run, is_terminated, n_calls = _core.simulate_callbacks(model, given, terminal)
    if functions and run.reason == "event_not_decided":
        # A function that jumps has no root to which values converge; signs at points of each step do, as in SciPy.
        warnings.warn("an event function jumps: it is looked at by its signs at points of each step", SaltusWarning, stacklevel=2)
        run, is_terminated, n_more = _core.simulate_callbacks(model, {**given, "detection": POINTS_OF_JUMPS}, terminal)
        n_calls += n_more
    return _result(Result(run), is_terminated, n_calls, len(y0), t_eval, len(functions), dense_output)


def _start(y0: Any) -> np.ndarray:
    y0 = np.asarray(y0)
    if np.issubdtype(y0.dtype, np.complexfloating):
        raise ValueError("`y0` is complex: saltus has real states only; split each state into its real and imaginary part")
    if y0.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    y0 = y0.astype(float)
    if not np.isfinite(y0).all():
        raise ValueError("All components of the initial state `y0` must be finite.")
    return y0


def _arguments(fun: Callable[..., Any], args: Any) -> tuple:
    if args is None:
        return ()
    try:
        return tuple(args)
    except TypeError as error:
        raise TypeError(f"`args` must be a tuple; for one argument write args=({args!r},)") from error


def _state(name: str, start: float) -> dict[str, Any]:
    return {"name": name, "start": float(start), "nominal": 1.0, "unit": "", "description": "", "is_fixed": False, "role": "found"}


def _guard(i: int, direction: float) -> dict[str, Any]:
    return {
        "name": f"e{i}", "in_equations": False, "can_slide": False, "reset_side": float(np.sign(direction)), "is_unilateral": False,
        "affine": None, "reset": None, "is_event": True,
    }


def _events(events: Any) -> tuple[list[Callable[..., float]], list[bool], list[float]]:
    functions = [] if events is None else [events] if callable(events) else list(events)
    is_terminal = [bool(getattr(function, "terminal", False)) for function in functions]
    directions = [float(getattr(function, "direction", 0) or 0) for function in functions]
    return functions, is_terminal, directions


def _checked_times(t_eval: Any, t0: float, tf: float) -> np.ndarray:
    t_eval = np.asarray(t_eval, dtype=float)
    if t_eval.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if np.any(t_eval < min(t0, tf)) or np.any(t_eval > max(t0, tf)):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    d = np.diff(t_eval)
    if (tf > t0 and np.any(d <= 0)) or (tf < t0 and np.any(d >= 0)):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return t_eval


def _options(method: Any, options: dict[str, Any], y0: np.ndarray, names: list[str]) -> dict[str, Any]:
    if inspect.isclass(method) or not isinstance(method, str) or method not in {*METHODS, *_core.methods()}:
        raise ValueError(f"`method` must be one of {sorted(METHODS)} or of saltus.methods(), not {method!r}")
    given: dict[str, Any] = {"method": METHODS.get(method, method)}
    rtol, atol = options.pop("rtol", 1e-3), options.pop("atol", 1e-6)
    if np.ndim(rtol) != 0 and len(set(np.ravel(rtol))) != 1:
        raise ValueError("`rtol` must be one number: give `atol` by component instead")
    rtol = float(np.ravel(rtol)[0])
    if rtol < SMALLEST_RTOL:
        warnings.warn(f"`rtol` is too small, setting it to {SMALLEST_RTOL}", SaltusWarning, stacklevel=4)
        rtol = SMALLEST_RTOL
    atol = np.asarray(atol, dtype=float)
    if atol.ndim > 0 and atol.shape != y0.shape:
        raise ValueError("`atol` has wrong shape.")
    if np.any(atol < 0):
        raise ValueError("`atol` must be positive.")
    atol = np.maximum(atol, SMALLEST_ATOL)
    given.update(rtol=rtol, atol=float(atol) if atol.ndim == 0 else dict(zip(names, atol.tolist())))
    first_step, max_step = options.pop("first_step", None), options.pop("max_step", np.inf)
    if first_step is not None:
        given["initial_step"] = float(first_step)
    if max_step <= 0:
        raise ValueError("`max_step` must be positive.")
    if np.isfinite(max_step):
        given["max_step"] = float(max_step)
    unused = [name for name in ("jac", "jac_sparsity", "lband", "uband", "min_step") if options.pop(name, None) is not None]
    if unused:
        warnings.warn(f"without effect: {', '.join(unused)}; derivatives are taken by differences", SaltusWarning, stacklevel=4)
    if options:
        raise TypeError(f"solve_ivp has no option {sorted(options)[0]!r}")
    return given


def _at_rest(t0: float, tf: float, y0: np.ndarray, t_eval: Any, functions: list) -> OdeResult:
    """No time, or no states: nothing moves."""
    t = np.array([t0, tf]) if t_eval is None else t_eval
    none = [np.array([]) for _ in functions] if functions else None
    return OdeResult(t=t, y=np.repeat(y0[:, None], len(t), axis=1), sol=None, t_events=none, y_events=none, nfev=0, njev=0, nlu=0,
                     status=0, message=MESSAGES[0], success=True)


def _result(
    result: Result, is_terminated: bool, n_calls: int, n_states: int, t_eval: np.ndarray | None, n_functions: int, dense_output: bool
) -> OdeResult:
    status = 1 if is_terminated else 0 if result.ok else -1
    times = result.times
    # At an event there is one row before it and one after it, with the same values.
    keep = np.append(times[1:] != times[:-1], True) if len(times) else np.zeros(0, dtype=bool)
    if t_eval is not None:
        keep &= np.isin(times, t_eval)
    statistics: Statistics = result.statistics
    t_events, y_events = None, None
    if n_functions:
        found: list[list[float]] = [[] for _ in range(n_functions)]
        for event in result.events:
            found[int(event.guard[1:])].append(event.time)
        t_events = [np.array(list_of_times) for list_of_times in found]
        y_events = [result(array)[:, :n_states] if len(array) else np.array([]) for array in t_events]
    return OdeResult(
        t=times[keep],
        y=result.values[keep, :n_states].T,
        sol=OdeSolution(result, n_states) if dense_output and result.is_dense else None,
        t_events=t_events,
        y_events=y_events,
        nfev=n_calls,
        njev=statistics.jacobian_evaluations,
        nlu=statistics.factorizations,
        status=status,
        message=MESSAGES.get(status, f"{result.message} [{result.reason}]"),
        success=status >= 0,
        statistics=statistics,
        diagnostics=result.diagnostics,
    )
