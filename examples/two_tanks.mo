// Two tanks joined by a pipe half-way up, one filled by a pump with two-point control, the other emptied by a valve that opens every 100 s for 40 s.
// Comes from the benchmarks of hybrid control (two-tank systems). To see: flow through the pipe only while a level is above it, a pump switched by a
// Boolean with hysteresis, and a valve switched by the clock, whose times are hit exactly.
model TwoTanks "levels with a pump and a valve"
  parameter Real area = 0.0154, inflow = 1e-4, pipe = 1.2e-4 "flow coefficient", height = 0.3 "of the pipe", outlet = 0.8e-4;
  Real h1(start = 0.1, fixed = true), h2(start = 0.05, fixed = true) "levels";
  Real through "the pipe", out "of the valve";
  Boolean pumping(start = true, fixed = true);
  Boolean open;
equation
  open = mod(time, 100) >= 60;
  when h1 > 0.5 then
    pumping = false;
  elsewhen h1 < 0.4 then
    pumping = true;
  end when;
  through = if h1 > height then (if h2 > height then pipe*sqrt(max(h1 - h2, 0)) else pipe*sqrt(h1 - height)) else 0;
  out = if open then outlet*sqrt(h2) else 0;
  area*der(h1) = (if pumping then inflow else 0) - through;
  area*der(h2) = through - out;
  annotation(experiment(StopTime = 500, Tolerance = 1e-8, Interval = 0.5));
end TwoTanks;
