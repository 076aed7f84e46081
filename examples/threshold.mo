// One equation with a condition that changes three times. Comes from the manual of DSL48SE, equation (4). To see: x passes the
// three roots of x^3 - 5x^2 + 7x = p; between them the solution is exponential, so that the times are known exactly.
model Threshold "a small hybrid ODE"
  parameter Real p = 2.9;
  Real x(start = 0, fixed = true);
equation
  der(x) = if x^3 - 5*x^2 + 7*x <= p then 4 - x else 10 - 2*x;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8, Interval = 0.01));
end Threshold;
