"""A controller tuned through a relay: comfort of a heated room against the price of its heater.

The relay has hysteresis; where it switches depends on the parameters, and the gradient goes through the switches.
"""

import saltus

model = saltus.load('''
model Room "a heater with a relay"
  parameter Real band = 1 "half the width of the hysteresis", power = 20, set_point = 20;
  Real T(start = 15, fixed = true, unit = "degC");
  Boolean is_on(start = true, fixed = true);
  Real discomfort(start = 0, fixed = true) "integral of the squared distance";
equation
  der(T) = 0.1*(5 - T) + (if is_on then 0.1*power else 0);
  der(discomfort) = (T - set_point)^2;
  when T > set_point + band then
    is_on = false;
  elsewhen T < set_point - band then
    is_on = true;
  end when;
end Room;
''')
options = dict(stop=40, tolerance=1e-9)

before = model.simulate(**options)
print(f"{len(before.events)} events, discomfort {before.final['discomfort']:.4f}")
slope = model.gradient("final(discomfort)", ["power", "band"], **options)
print(slope)

best = model.optimize("final(discomfort) + 0.05*power^2", {"power": (20, 16, 40)}, **options)
print(best)
after = model.simulate(set=best.parameters, **options)
print(f"{len(after.events)} events, discomfort {after.final['discomfort']:.4f}")
assert after.final["discomfort"] < before.final["discomfort"]

ax = after.plot(["T"])
ax.figure.savefig("relay.svg")
