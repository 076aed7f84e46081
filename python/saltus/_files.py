"""Results from files: the folder that the command line writes, and .npz files."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from ._result import Result

#: Of the .npz files.
SCHEMA = 1


def read(path: str | os.PathLike[str]) -> Result:
    """A result that was written: a folder of `saltus run`, or a file of `Result.save`.

    It has rows, events, modes, final values, parameters and statistics; there is no solution between the rows, no diagnostics, and of sensitivities and error estimates
    nothing is read.
    """
    path = Path(path)
    if path.is_dir():
        return Result(_from_folder(path))
    if path.suffix == ".npz":
        return Result(_from_npz(path))
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there")
    raise ValueError(f"{path} is neither a folder of results nor a .npz file")


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Writes a .npz file, which `numpy.load` reads too: arrays `time`, `segment`, `mode` (places in `mode_names`), `values` and `names`; the rest is JSON in `about`."""
    path = Path(path)
    if path.suffix != ".npz":
        raise ValueError(f"results are written to .npz files, not to {path.name}")
    mode_names, modes = np.unique(np.array(result.modes_of_rows, dtype=str), return_inverse=True)
    core = result._core
    about = {
        "schema": SCHEMA, "status": core.status, "reason": core.reason, "message": core.message, "start": core.start, "end": core.end,
        "columns": core.columns, "variables": core.variables, "final_values": core.final_values.tolist(), "parameters": core.parameters,
        "events": core.events, "modes": core.modes, "statistics": {**core.statistics, "orders": list(core.statistics["orders"].items())},
    }
    with open(path, "wb") as file:
        np.savez(file, time=result.times, segment=result.segments, mode=modes, mode_names=mode_names, values=result.values, names=np.array(result.names, dtype=str),
                 about=np.array(json.dumps(about)))


class StoredRun:
    """What a result is made of, as _core.Run has it, from a file."""

    diagnostics: list[Any] = []
    explanation = ""
    is_dense = False
    sensitivities: dict[str, Any] = {}
    error_estimate: dict[str, Any] = {}

    def __init__(self, **parts: Any) -> None:
        self.__dict__.update(parts)

    @property
    def ok(self) -> bool:
        return self.status in ("success", "terminated")

    @property
    def step_ends(self) -> np.ndarray:
        raise ValueError("a result from a file has no dense solution")


def _from_npz(path: Path) -> StoredRun:
    with np.load(path) as file:
        about = json.loads(str(file["about"]))
        if about.pop("schema") != SCHEMA:
            raise ValueError(f"{path} was written by another version of saltus")
        about["statistics"]["orders"] = dict(about["statistics"]["orders"])
        about["final_values"] = np.array(about["final_values"], dtype=float)
        for item in (*about["columns"], *about["variables"]):
            item["dimensions"] = tuple(item["dimensions"])
        return StoredRun(**about, times=file["time"], segments=file["segment"], values=file["values"], names=file["names"].tolist(),
                         modes_of_rows=file["mode_names"][file["mode"]].tolist())


def _from_folder(folder: Path) -> StoredRun:
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    with open(folder / "trajectory.csv", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        names = next(rows)[3:]
        times, segments, modes, values = [], [], [], []
        for row in rows:
            times.append(float(row[0]))
            segments.append(int(row[1]))
            modes.append(row[2])
            values.append([float(cell) if cell else np.nan for cell in row[3:]])
    statistics = dict(summary["statistics"])
    statistics.pop("guards_total")
    statistics["orders"] = {item["order"]: item["accepted_steps"] for item in statistics["orders"]}
    final = {name: np.nan if value is None else float(value) for name, value in summary["final"].items()}
    return StoredRun(
        status=summary["status"], reason=summary["reason"], message=summary["message"], start=summary["start"], end=summary["end"], names=names,
        columns=_columns(names), variables=_columns(final), final_values=np.array(list(final.values())), parameters=summary["parameters"], times=np.array(times),
        segments=np.array(segments, dtype=np.int64), modes_of_rows=modes, values=np.array(values).reshape(len(times), len(names)),
        events=_events(folder, summary), modes=[tuple(item[key] for key in ("from", "to", "mode", "index", "d", "a", "u", "v")) for item in summary["modes"]],
        statistics=statistics,
    )


def _columns(names: Any) -> list[dict[str, Any]]:
    """Files have names alone; sizes of arrays are those of their last elements."""
    sizes: dict[str, tuple[int, ...]] = {}
    for name in names:
        array, _, places = name.removesuffix("]").rpartition("[")
        if array and all(part.isdigit() for part in places.split(",")):
            sizes[array] = tuple(int(part) for part in places.split(","))
    return [{"name": name, "dimensions": sizes.get(name.rpartition("[")[0], ())} for name in names]


def _events(folder: Path, summary: dict[str, Any]) -> list[tuple]:
    with open(folder / "events.csv", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        texts = [(float(row[0]), int(row[1]), *row[2:7], [float(cell) if cell else np.nan for cell in row[7:]]) for row in rows]
    listed = summary["events"] + [{}] * (len(texts) - len(summary["events"]))  # the first 10,000
    return [
        (*text[:-1], more.get("transfer", ""), more.get("impulse_order", -1), more.get("transfer_case", 0), text[-1]) for text, more in zip(texts, listed)
    ]
