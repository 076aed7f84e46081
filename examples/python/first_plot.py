"""Two bodies with dry friction that stick and slip: from a model file to a plot."""

from pathlib import Path

import matplotlib.pyplot as plt
import saltus

model = saltus.load(Path(__file__).parents[1] / "stick_slip.mo")
result = model.simulate(stop=10, tolerance=1e-8)
print(result)
for event in result.events[:4]:
    print(f"{event.time:.9f}  {event.kind}  {event.guard}")

plt.plot(result["time"], result["v1"], label="v1")
plt.plot(result["time"], result["v2"], label="v2")
plt.xlabel("time [s]")
plt.legend()
plt.savefig("stick_slip.svg")
