"""Hybrid differential-algebraic equations: models as text, events, sliding motion, any index.

>>> import saltus
>>> model = saltus.load("model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;")
>>> result = model.simulate(stop=1)
>>> round(float(result["x"][-1]), 4)
0.3679

docs/python.md describes the package.
"""

from . import expressions
from ._builder import Body, Clause, Expression, ModeBuilder, ModelBuilder
from ._callback_model import CallbackModel, Guard, Mode, State, Transition
from ._core import Diagnostic, Point
from ._core import version as __version__
from ._errors import Error, ModelError, RunError, SaltusWarning
from ._files import read
from ._model import Model, load, methods
from ._records import ErrorEstimate, Event, Experiment, ModeSpan, Parameter, Sensitivities, Statistics, Variable
from ._result import Result
from ._simulation import Simulation
from ._solve_ivp import OdeResult, OdeSolution, solve_ivp
from ._studies import Analysis, Fit, FittedParameter, Gradient, Linearization, ModeAnalysis, Optimum
from ._sweep import Sweep

__all__ = [
    "Analysis", "Body", "CallbackModel", "Clause", "Diagnostic", "Error", "ErrorEstimate", "Event", "Experiment", "Expression", "Fit", "FittedParameter",
    "Gradient", "Guard", "Linearization", "Mode", "ModeAnalysis", "ModeBuilder", "ModeSpan", "Model", "ModelBuilder", "ModelError", "OdeResult",
    "OdeSolution", "Optimum", "Parameter", "Point", "Result", "RunError", "SaltusWarning", "Sensitivities", "Simulation", "State", "Statistics", "Sweep",
    "Transition", "Variable", "expressions", "load", "methods", "read", "solve_ivp",
]
