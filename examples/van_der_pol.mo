// An oscillator whose damping changes sign with the amplitude, so that every motion ends in the same cycle.
// Comes from B. van der Pol (1926), who studied circuits with a triode. With larger mu it becomes stiff.
model VanDerPol "relaxation oscillation"
  parameter Real mu = 5;
  Real x(start = 2, fixed = true);
initial equation
  der(x) = 0;
equation
  der(der(x)) - mu*(1 - x^2)*der(x) + x = 0;
  annotation(experiment(StopTime = 30, Tolerance = 1e-7, Interval = 0.02));
end VanDerPol;
