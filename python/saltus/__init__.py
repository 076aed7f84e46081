"""Hybrid differential-algebraic equations: models as text, events, sliding motion, any index.

>>> import saltus
>>> model = saltus.load("model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;")
>>> result = model.simulate(stop=1)
>>> round(float(result["x"][-1]), 4)
0.3679

docs/python.md describes the package.
"""

from ._core import version as __version__
from ._errors import Error, ModelError, RunError, SaltusWarning
from ._model import Model, load, methods
from ._records import Event, Experiment, ModeSpan, Parameter, Statistics, Variable
from ._result import Result
from ._solve_ivp import OdeResult, OdeSolution, solve_ivp

__all__ = [
    "Error", "Event", "Experiment", "ModeSpan", "Model", "ModelError", "OdeResult", "OdeSolution", "Parameter", "Result", "RunError", "SaltusWarning", "Statistics",
    "Variable", "load", "methods", "solve_ivp",
]
