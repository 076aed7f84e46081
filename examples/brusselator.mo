// A chemical reaction that oscillates. Comes from R. Lefever and G. Nicolis (1971); parameters and initial values as in
// Hairer, Nørsett and Wanner, "Solving Ordinary Differential Equations I", I.16 and II.4.
model Brusselator "oscillating chemical reaction"
  parameter Real A = 1, B = 3 "concentrations held constant";
  Real y1(start = 1.5, fixed = true), y2(start = 3, fixed = true);
equation
  der(y1) = A + y1^2*y2 - (B + 1)*y1;
  der(y2) = B*y1 - y1^2*y2;
  annotation(experiment(StopTime = 20, Tolerance = 1e-7, Interval = 0.02));
end Brusselator;
