"""Exceptions and warnings of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import Diagnostic
    from ._result import Result


class Error(Exception):
    """What the package raises; `code` is a stable word for this kind of problem."""

    code: str = ""


class ModelError(Error, ValueError):
    """A model, an option or a file is wrong.

    The text is that of the command line, with places; `diagnostics` are the single problems and `code` is that of the first error.

    >>> import saltus
    >>> try:
    ...     saltus.load("model M Real x; equation der(x) = y; end M;")
    ... except saltus.ModelError as error:
    ...     print(error.code, error.diagnostics[0].line, error.diagnostics[0].column)
    unknown-name 1 35
    """

    def __init__(self, text: str, diagnostics: list[Diagnostic]) -> None:
        super().__init__(text.rstrip("\n"))
        self.diagnostics = diagnostics
        errors = [item for item in diagnostics if item.severity == "error"]
        self.code = errors[0].code if errors else ""


class RunError(Error, RuntimeError):
    """A run ended before its stop. `reason` (and `code`) is the word of docs/output.md, `result` what was computed until then."""

    def __init__(self, result: Result) -> None:
        super().__init__(f"{result.message} [{result.reason}]")
        self.result = result
        self.reason = result.reason
        self.code = result.reason


class SaltusWarning(UserWarning):
    """What was noticed and accepted in a model, in options or by a run."""
