"""Models, and how they are run."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from . import _core, _studies, _sweep
from ._errors import RunError, SaltusWarning
from ._html import table
from ._inputs import input_options
from ._records import Experiment, Parameter, Variable
from ._result import Result
from ._simulation import Simulation
from ._studies import Analysis, Fit, Gradient, Linearization, Optimum
from ._sweep import Sweep


def load(
    path_or_text: str | os.PathLike[str],
    name: str = "",
    *,
    libraries: Iterable[str | os.PathLike[str]] = (),
    data_folders: Iterable[str | os.PathLike[str]] = (),
    source: str = "text.mo",
) -> Model:
    """Reads a model from a file (.mo or .saltus), from a library by its full name, or from a text.

    A text is a str with a line break or a semicolon in it; `source` is then its name in messages, whose ending decides the dialect. `name`: which of several models;
    `libraries`: folders of libraries ("Package.Model"); `data_folders`: folders of tables that the model may read. Raises
    ModelError with every problem of the text.

    >>> import saltus
    >>> model = saltus.load("model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;")
    >>> model
    <saltus.Model Decay: 1 variable, 0 parameters>
    """
    if isinstance(path_or_text, str) and ("\n" in path_or_text or ";" in path_or_text):
        core = _core.from_text(source, path_or_text, name)
    else:
        core = _core.load(os.fspath(path_or_text), name, [os.fspath(f) for f in data_folders], [os.fspath(f) for f in libraries])
    _warn(core.warnings, 3)
    return Model(core)


def methods() -> list[str]:
    """Names that `method` takes, besides "auto"."""
    return _core.methods()


class Model:
    """A model: immutable, and shared by any number of runs and threads. `saltus.load` makes one."""

    def __init__(self, core: _core.Model) -> None:
        self._core = core

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def description(self) -> str:
        return self._core.description

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """By name, in the order of the model."""
        return {item["name"]: Parameter(**item) for item in self._core.parameters}

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """By name, in the order of columns."""
        return {item["name"]: Variable(**item) for item in self._core.variables}

    @cached_property
    def experiment(self) -> Experiment:
        return Experiment(**self._core.experiment)

    @property
    def warnings(self) -> list[_core.Diagnostic]:
        """What the compiler noticed but accepted."""
        return self._core.warnings

    @property
    def flat_text(self) -> str:
        """The model as one flat text, which is what is run."""
        return self._core.flat_text

    def check(self) -> list[_core.Diagnostic]:
        """Whether the equations can be solved as they stand; empty if so."""
        return self._core.check()

    def simulate(
        self,
        stop: float | None = None,
        *,
        start: float | None = None,
        set: Mapping[str, Any] | None = None,
        method: str | None = None,
        tolerance: float | None = None,
        rtol: float | None = None,
        atol: float | Mapping[str, float] | None = None,
        interval: float | str | None = None,
        times: Sequence[float] | None = None,
        inputs: Any = None,
        columns: str | Sequence[str] | None = None,
        sensitivities: str | Sequence[str] | None = None,
        modes: Mapping[str, Mapping[str, Any]] | None = None,
        dense: bool = True,
        check: bool = True,
        progress: Callable[[float, float, float, int, int], None] | None = None,
        **options: Any,
    ) -> Result:
        """Runs the model. What is not given comes from its annotations, then from the defaults of the command line.

        start, stop     of time; backwards if stop lies before start
        set             parameters and start values by name: numbers, truths, texts, lists and arrays
        tolerance       of steps, relative, and absolute in nominal values; or rtol and atol (a number, or one by name of state)
        interval        of rows; "steps": a row at the end of every step; or `times`: rows at these
        inputs          what drives inputs: {"u": 1.5}, {"u": (times, values)}, {"u": function}, {"u": (function, breaks)}, a frame, a CSV file
        columns         of the result; all variables without it
        sensitivities   names of parameters and start values: Result.sensitivities
        modes           options of single modes: {"contact": {"method": "radau5", "max_step": 0.01}}
        dense           keep the solution between rows for result(t)
        check           a run that ends early raises RunError (which has the result); False: it is returned, and `ok`, `status`, `reason` and `message` say so
        progress        is called a few times per second with time, start, stop, steps and events
        options         every other long option of `saltus run`, with underscores: max_step=0.1, zeno="stop", sliding="off", max_time=10, …

        Raises ModelError where the model or an option is wrong. Warnings of the run are issued as SaltusWarning and are in `diagnostics`.
        Other threads go on meanwhile; ctrl-C ends it.

        >>> import saltus
        >>> model = saltus.load("model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;")
        >>> result = model.simulate(stop=2, set={"k": 0.5}, tolerance=1e-10)
        >>> round(result.final["x"], 8)
        0.36787944
        """
        given = dict(
            start=start, stop=stop, set=set, method=method, tolerance=tolerance, rtol=rtol, atol=atol, interval=interval, times=times,
            columns=columns, sensitivities=sensitivities, modes=modes, keep_dense=dense, progress=progress, **options,
        )
        if inputs is not None:
            given.update(input_options(inputs))
        return finished(self._core.simulate(given), check)

    def begin(
        self, stop: float | None = None, *, tunable: Iterable[str] = (), set: Mapping[str, Any] | None = None, inputs: Any = None, dense: bool = True, **options: Any
    ) -> Simulation:
        """Begins a run that is led from outside. `tunable`: Real parameters that may be changed on the way; inputs that nothing drives may be anyway."""
        given = {"stop": stop, "set": set, "keep_dense": dense, **options}
        if inputs is not None:
            given.update(input_options(inputs))
        return Simulation(_core.begin(self._core, given, list(tunable)))

    def analyze(self, at: float | None = None, *, set: Mapping[str, Any] | None = None, run_to: float | None = None, projectors: bool = False, pencil: bool = False, structure: bool = False) -> Analysis:
        """Every mode at its start values made consistent: index, degrees of freedom, hidden constraints. `run_to`: the mode in which a run then is.

        >>> import saltus
        >>> pendulum = saltus.load('''model Pendulum
        ...   Real x(start = 1); Real y(start = 0); Real u; Real v; Real force;
        ... equation
        ...   der(x) = u; der(y) = v; der(u) = -force*x; der(v) = -force*y - 9.81; x^2 + y^2 = 1;
        ... end Pendulum;''')
        >>> mode = pendulum.analyze()["main"]
        >>> mode.index, mode.differentiation_index, mode.d, mode.a
        (2, 3, 2, 3)
        """
        return _studies.analyze(self._core, at, set, run_to, projectors, pencil, structure)

    def linearize(self, stop: float | None = None, **options: Any) -> Linearization:
        """δs' = A·δs + B·δu at a point of the solution: at `stop`, without it at the start."""
        return _studies.linearize(self._core, {"stop": stop, **options})

    def gradient(self, functional: str, with_: str | Sequence[str], *, by: str = "auto", **options: Any) -> Gradient:
        """A number that a run gives, "final(x^2) + integral(u^2)", and its derivatives by parameters and start values. Options are those of simulate.

        >>> import saltus
        >>> model = saltus.load("model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;")
        >>> slope = model.gradient("final(x)", ["k"], stop=1, tolerance=1e-9)
        >>> round(slope.value, 6), round(slope.gradient["k"], 6)
        (0.367879, -0.367879)
        """
        return _studies.gradient(self._core, functional, with_, by, options)

    def fit(
        self, data: Any, parameters: Any, *, sigma: Mapping[str, float] | None = None, loss: str | None = None, loss_scale: float | None = None,
        starts: int | None = None, seed: int | None = None, threads: int | None = None, max_iterations: int | None = None, **options: Any,
    ) -> Fit:
        """Parameters and start values from measured data, by weighted least squares through events.

        data            a frame whose index are the times, a mapping with "time" and columns, a CSV file, or a list of these: one for each experiment
        parameters      ["k", "x"], {"k": 1.0} with a guess, {"k": (1.0, 0, 10)} with a guess (or None) and bounds
        sigma           the noise of columns
        loss            "none", "huber" or "cauchy", with loss_scale
        starts, seed    random starts within the bounds
        """
        settings = dict(sigma=sigma, loss=loss, loss_scale=loss_scale, starts=starts, seed=seed, threads=threads, max_iterations=max_iterations)
        return _studies.fit(self._core, data, parameters, settings, options)

    def optimize(
        self, objective: str, parameters: Any, *, subject: str | Sequence[str] = (), accuracy: float = 1e-5, max_iterations: int = 100, **options: Any
    ) -> Optimum:
        """Parameters (as for `fit`) for which a functional is least, subject to constraints such as "final(x) <= 3"."""
        return _studies.optimize(self._core, objective, parameters, subject, accuracy, max_iterations, options)

    def sweep(
        self, vary: Mapping[str, Any] | None = None, *, samples: Any = None, random: int | None = None, seed: int = 1, columns: str | Sequence[str] = (),
        jobs: int | None = None, journal: str | os.PathLike[str] | None = None, anew: bool = False, **options: Any,
    ) -> Sweep:
        """Many runs with other values, on all processors; a run that fails stops no other. Options are those of simulate;
        sensitivities= gives columns "d(x)/d(p)" of the end of each run, NaN where they are undefined.

        vary      {"k": [1, 2, 4], "c": "log(1e-3,1,20)"}: every combination, the last name changing fastest; with random= ranges, {"k": "0..1"}
        samples   in place of it: a frame, a mapping of names to numbers, or a CSV file, with a value of each name for each run
        random    the number of runs whose values are drawn from ranges, with seed
        columns   variables (final values), patterns, functionals as for `gradient`, with a name in front if wanted ("e=final(x^2)"); () for all variables
        jobs      threads; results do not depend on it
        journal   a file that keeps finished runs: the same call goes on from there; anew throws it away

        >>> import saltus
        >>> model = saltus.load("model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;")
        >>> table = model.sweep({"k": [1, 2, 3]}, columns=["x", "half=final(x/2)"], stop=1, tolerance=1e-9)
        >>> table["half"].round(6).tolist()
        [0.18394, 0.067668, 0.024894]
        """
        return _sweep.sweep(self._core, vary, samples, random, seed, columns, jobs, journal, anew, options)

    def _repr_html_(self) -> str:
        rows = [(item.name, "parameter", item.value, item.unit, item.description) for item in self.parameters.values()]
        rows += [(item.name, item.causality if item.causality != "local" else "variable", item.start, item.unit, item.description) for item in self.variables.values()]
        return table(["name", "", "value or start", "unit", "description"], rows, f"{self.name} {self.description}")

    def __repr__(self) -> str:
        return f"<saltus.Model {self.name}: {_count(len(self.variables), 'variable')}, {_count(len(self.parameters), 'parameter')}>"


def finished(core: _core.Run, check: bool, stacklevel: int = 4) -> Result:
    """The result of a run; its warnings are issued, and what ended early is raised if asked for."""
    result = Result(core)
    _warn([item for item in core.diagnostics if item.severity == "warning"], stacklevel)
    if check and not core.ok:
        raise RunError(result)
    return result


def _warn(diagnostics: Iterable[_core.Diagnostic], stacklevel: int) -> None:
    for item in diagnostics:
        warnings.warn(str(item), SaltusWarning, stacklevel=stacklevel)


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
