"""10,000 variations of a buck converter on all cores: one compiled model, one table.

Usage: converter_variations.py [NUMBER]
"""

import sys
import time
from pathlib import Path

import numpy as np
import saltus

number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
model = saltus.load(Path(__file__).parents[1] / "buck_converter.saltus")
names = [name for name, item in model.parameters.items() if item.type == "real" and item.is_settable][:3]
ranges = {name: f"{0.9 * model.parameters[name].value}..{1.1 * model.parameters[name].value}" for name in names}

begin = time.perf_counter()
table = model.sweep(ranges, random=number)
seconds = time.perf_counter() - begin
print(f"{number} runs in {seconds:.2f} s, {1e3 * seconds / number:.2f} ms each; {number - table.ok.sum()} ended early")
for name in table.columns:
    column = table[name][table.ok]
    print(f"{name:12} mean {column.mean():10.5g}  5 % {np.quantile(column, 0.05):10.5g}  95 % {np.quantile(column, 0.95):10.5g}")
assert table.ok.sum() > 0.9 * number
