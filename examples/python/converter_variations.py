"""10,000 variations of a buck converter on all cores: one compiled model, threads that share it.

Usage: converter_variations.py [NUMBER]
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import saltus

number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
model = saltus.load(Path(__file__).parents[1] / "buck_converter.saltus")
names = [name for name, item in model.parameters.items() if item.type == "real" and item.is_settable][:3]
random = np.random.default_rng(1)
samples = np.array([model.parameters[name].value for name in names]) * random.uniform(0.9, 1.1, size=(number, len(names)))


def run(sample):
    result = model.simulate(set=dict(zip(names, sample)), dense=False, keep_rows=False, check=False)
    return [*result.final.values(), float(result.ok)] if result.final else None


begin = time.perf_counter()
with ThreadPoolExecutor(os.cpu_count()) as pool:
    rows = list(pool.map(run, samples))
seconds = time.perf_counter() - begin
good = np.array([row for row in rows if row is not None and row[-1]])
print(f"{number} runs in {seconds:.2f} s, {1e3 * seconds / number:.2f} ms each; {number - len(good)} ended early")
for name, column in zip(model.variables, good.T):
    print(f"{name:12} mean {column.mean():10.5g}  5 % {np.quantile(column, 0.05):10.5g}  95 % {np.quantile(column, 0.95):10.5g}")
assert len(good) > 0.9 * number
