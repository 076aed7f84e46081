#!/usr/bin/env python3
"""Runs the models of examples/ that have events and compares events and values with the files expected_*_events.py.

Usage: run_event_examples.py PROGRAM EXAMPLES_FOLDER [FILE]...
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import expected_engineering_events
import expected_events
import expected_hybrid_events

RUNS = {**expected_events.RUNS, **expected_hybrid_events.RUNS, **expected_engineering_events.RUNS}


def simulate(program, path, options):
    """Exit code, messages, summary, events and rows of one run."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([program, "run", str(path), "-o", out, "--quiet", "--format", "csv,json", "--verify", "full", *options], capture_output=True, text=True,
                              timeout=100, check=False)
        if not (Path(out) / "summary.json").exists():
            return done, None, [], []
        summary = json.loads((Path(out) / "summary.json").read_text())
        with (Path(out) / "events.csv").open(newline="") as file:
            events = list(csv.DictReader(file))
        with (Path(out) / "trajectory.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        return done, summary, events, rows


def check_events(run, events, start):
    found = [e for e in events if e["kind"] in run["kinds"] and run.get("guard", e["guard"]) == e["guard"]]
    times = [float(e["time"]) for e in found]
    if "modes" in run and [e["to"] for e in found] != run["modes"]:
        yield f"modes entered {[e['to'] for e in found]}, expected {run['modes']}"
    if run.get("skip_start"):
        times = [t for t in times if t != start]
    if "count" in run:
        low, high = run["count"] if isinstance(run["count"], tuple) else (run["count"], run["count"])
        if not low <= len(times) <= high:
            yield f"{len(times)} events of kind {run['kinds']}, expected {run['count']}"
        return
    expected = run["times"]
    for k, (a, b) in enumerate(zip(times, expected)):
        if not abs(a - b) <= run["within"]:
            yield f"event {k + 1} at {a!r}, expected {b!r} within {run['within']}"
            return
    if len(times) != len(expected):
        yield f"{len(times)} events of kind {run['kinds']}, expected {len(expected)}"


def check_values(run, summary, rows):
    for variable, (value, allowed) in run.get("final", {}).items():
        found = summary["final"][variable]
        if found is None or not abs(found - value) <= allowed:
            yield f"{variable} = {found} at the end, expected {value} within {allowed}"
    for variable, allowed in run.get("invariants", {}).items():
        values = [float(row[variable]) for row in rows]
        if not max(values) - min(values) <= allowed:
            yield f"{variable} varies by {max(values) - min(values)}, allowed {allowed}"


def check(program, path, run):
    done, summary, events, rows = simulate(program, path, run.get("options", []))
    if summary is None:
        yield f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        return
    wanted = (run.get("status", "success"), run.get("reason", ""))
    if (summary["status"], summary["reason"] if wanted[0] != "terminated" else "") != wanted:
        yield f"ended at {summary['end']}: {summary['status']}, {summary['reason']}: {summary['message']}"
        return
    if "kinds" in run:
        yield from check_events(run, events, summary["start"])
    yield from check_values(run, summary, rows)


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    n_problems = 0
    for name in sys.argv[3:] or sorted(RUNS):
        for run in RUNS[name]:
            for problem in check(program, folder / name, run):
                print(f"{name} {' '.join(run.get('options', []))}: {problem}")
                n_problems += 1
    return 1 if n_problems else 0


if __name__ == "__main__":
    sys.exit(main())
