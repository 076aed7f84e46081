"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any


def table(head: Iterable[str], rows: Iterable[Iterable[Any]], caption: str = "") -> str:
    """An HTML table; numbers have six digits."""
    cells = "".join(f"<tr>{''.join(f'<td>{escape(_text(cell))}</td>' for cell in row)}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{''.join(f'<th>{escape(word)}</th>' for word in head)}</tr></thead><tbody>{cells}</tbody></table>"


def _text(cell: Any) -> str:
    if isinstance(cell, float):
        return f"{cell:.6g}"
    if cell is None:
        return ""
    if isinstance(cell, (list, tuple)):
        return ", ".join(map(str, cell))
    return str(cell)
