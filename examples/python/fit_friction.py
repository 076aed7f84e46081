"""Dry friction from measured positions: a block on a belt that sticks and slips, with noise of a millimetre."""

from pathlib import Path

import numpy as np
import saltus

model = saltus.load('''
model Block
  parameter Real mu = 0.5 "dry friction", stiffness = 2;
  Real x(start = 1, fixed = true, unit = "m"); Real v(start = 0, fixed = true, unit = "m/s");
equation
  der(x) = v;
  der(v) = -stiffness*x - mu*sign(v);
end Block;
''')

truth = {"mu": 0.13, "stiffness": 2.4}
times = np.linspace(0.1, 8, 80)
run = model.simulate(stop=8, set=truth, tolerance=1e-10)
noise = np.random.default_rng(7).normal(scale=1e-3, size=len(times))
data = {"time": times, "x": run(times, "x") + noise}

fit = model.fit(data, {"mu": (0.3, 0.0, 1.0), "stiffness": (2.0, 0.5, 10.0)}, sigma={"x": 1e-3}, tolerance=1e-9)
print(fit)
for name, value in truth.items():
    found = fit.parameters[name]
    assert abs(found.value - value) < 4 * found.standard_error, (name, found)
