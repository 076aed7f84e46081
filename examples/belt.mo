// A mass on a moving belt, held by a spring, with friction that falls with the sliding velocity. Comes from Wunderlich, 7.2.3 (sign of
// the friction and start value corrected as the source's own event list demands). To see: a stick-slip limit cycle of period 5.1466 after the first
// slip; the mass sticks until the spring pulls with the static friction, x = 1/3.
model Belt "stick-slip vibration"
  parameter Real m = 1, k = 3 "mass and spring", Fs = 1 "static friction", gamma = 3, speed = 0.2 "of the belt";
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
  Real relative = v - speed "velocity on the belt";
equation
  der(x) = v;
  m*der(v) = -k*x - Fs*sign(relative)/(1 + gamma*abs(relative));
  annotation(experiment(StopTime = 15, Tolerance = 1e-8, Interval = 0.01));
end Belt;
