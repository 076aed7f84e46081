// Robertson's reaction with its rates as parameters. Beside IDAS in the table `sensitivities`.
model RobertsonRates "a stiff reaction"
  parameter Real k1 = 0.04, k2 = 1e4, k3 = 3e7;
  Real y1(start = 1, fixed = true), y2(start = 0, fixed = true, nominal = 1e-4), y3;
equation
  der(y1) = -k1*y1 + k2*y2*y3;
  der(y2) = k1*y1 - k2*y2*y3 - k3*y2^2;
  y1 + y2 + y3 = 1;
  annotation(experiment(StopTime = 1e4, Tolerance = 1e-7, Interval = 500));
end RobertsonRates;
