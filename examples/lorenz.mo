// Convection in a layer of air, cut down to three equations; the first strange attractor.
// Comes from E. N. Lorenz, "Deterministic nonperiodic flow", J. Atmos. Sci. 20 (1963). Two runs with slightly different
// tolerances part after some 30 time units: that is the model, not the solver.
model Lorenz "deterministic nonperiodic flow"
  parameter Real sigma = 10, r = 28, b = 8/3;
  Real x(start = -8, fixed = true), y(start = 8, fixed = true), z(start = 27, fixed = true);
equation
  der(x) = sigma*(y - x);
  der(y) = r*x - y - x*z;
  der(z) = x*y - b*z;
  annotation(experiment(StopTime = 20, Tolerance = 1e-9, Interval = 0.01));
end Lorenz;
