"""Models written in Python: the same that the language can say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core
from ._core import Body, Clause, Expression, ModeBuilder
from ._model import Model

__all__ = ["Body", "Clause", "Expression", "ModeBuilder", "ModelBuilder"]


class ModelBuilder:
    """Collects what a model consists of; `build` compiles it as the language would, with the same diagnostics, and `text` is what it would be written as.

    Declarations return their name as an expression; they take start, fixed, nominal, min, max, unit, description and value. Expressions have
    Python's operators, `&`, `|` and `~` for and, or and not, and the functions of saltus.expressions.

    >>> import saltus
    >>> from saltus.expressions import der, pre
    >>> builder = saltus.ModelBuilder("Ball")
    >>> e = builder.parameter("e", 0.8)
    >>> h = builder.real("h", start=1, fixed=True)
    >>> v = builder.real("v", start=0, fixed=True)
    >>> builder.equation(der(h), v)
    >>> builder.equation(der(v), -9.81)
    >>> @builder.when((h <= 0) & (v < 0))
    ... def bounce(body):
    ...     body.reinit(v, -e * pre(v))
    >>> [event.kind for event in builder.build().simulate(stop=1).events]
    ['when']
    """

    def __init__(self, name: str, description: str = "") -> None:
        self._core = _core.ModelBuilder(name, description)

    # Declarations

    def parameter(self, name: str, value: Any, **attributes: Any) -> Expression:
        return self._core.parameter(name, value, **attributes)

    def real(self, name: str, **attributes: Any) -> Expression:
        return self._core.real(name, **attributes)

    def discrete_real(self, name: str, **attributes: Any) -> Expression:
        return self._core.discrete_real(name, **attributes)

    def integer(self, name: str, **attributes: Any) -> Expression:
        return self._core.integer(name, **attributes)

    def boolean(self, name: str, **attributes: Any) -> Expression:
        return self._core.boolean(name, **attributes)

    def input(self, name: str, **attributes: Any) -> Expression:
        return self._core.input(name, **attributes)

    def output(self, name: str, **attributes: Any) -> Expression:
        return self._core.output(name, **attributes)

    def reals(self, name: str, size: int, **attributes: Any) -> list[Expression]:
        """An array; its elements as expressions."""
        return self._core.reals(name, size, **attributes)

    # Equations

    def equation(self, left: Any, right: Any) -> None:
        self._core.equation(left, right)

    def initial_equation(self, left: Any, right: Any) -> None:
        self._core.initial_equation(left, right)

    def when(self, condition: Any, body: Callable[[Body], Any] | None = None) -> Any:
        """A clause. `body(b)` says what happens, by b.set, b.reinit, b.equation, b.require and b.terminate. Without `body`: a decorator of it."""
        return _filled(lambda function: self._core.when(condition, function), body)

    def require(self, condition: Any, message: str) -> None:
        """An assertion, at all times."""
        self._core.require(condition, message)

    def terminate_when(self, condition: Any, message: str) -> None:
        self._core.terminate_when(condition, message)

    # Modes

    def mode(self, name: str, contents: Callable[[ModeBuilder], Any] | None = None) -> Any:
        """A mode; `contents(m)` has m.real, m.equation, m.when and m.transition_to. Without it: a decorator of it."""
        return _filled(lambda function: self._core.mode(name, function), contents)

    def initial_mode(self, name: str, contents: Callable[[ModeBuilder], Any] | None = None) -> Any:
        return _filled(lambda function: self._core.initial_mode(name, function), contents)

    def sliding_mode(self, name: str, one: str, other: str, contents: Callable[[ModeBuilder], Any] | None = None) -> Any:
        return _filled(lambda function: self._core.sliding_mode(name, one, other, function), contents)

    # Annotations, functions, types

    def experiment(self, start: float, stop: float, tolerance: float | None = None, interval: float | None = None) -> None:
        self._core.experiment(start, stop, tolerance, interval)

    def option(self, name: str, value: str) -> None:
        self._core.option(name, value)

    def add_text(self, text: str) -> None:
        """Functions and types, as the language writes them."""
        self._core.add_text(text)

    def text(self) -> str:
        return self._core.text()

    def build(self) -> Model:
        """Raises ModelError with every problem, with places in text()."""
        return Model(self._core.build())


def _filled(add: Callable[[Callable[..., Any]], Any], function: Callable[..., Any] | None) -> Any:
    if function is not None:
        return add(function)

    def decorator(decorated: Callable[..., Any]) -> Callable[..., Any]:
        add(decorated)
        return decorated

    return decorator
