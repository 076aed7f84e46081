// Susceptible, infective and removed: an epidemic. Comes from W. O. Kermack and A. G. McKendrick (1927); the parameters are
// those of the influenza in an English boarding school in 1978 (763 boys, one of them ill at first), from J. D. Murray,
// "Mathematical Biology I". Time in days.
model Sir "influenza in a boarding school"
  parameter Real infection = 2.18e-3 "per pair and day";
  parameter Real removal = 0.44036 "per day";
  parameter Real boys = 763;
  Real S(start = boys - 1, fixed = true) "susceptible";
  Real I(start = 1, fixed = true) "infective";
  Real R "removed";
  Real reproduction = infection*S/removal "new infections by one infective boy";
equation
  der(S) = -infection*S*I;
  der(I) = infection*S*I - removal*I;
  S + I + R = boys;
  annotation(experiment(StopTime = 15, Tolerance = 1e-8, Interval = 0.05));
end Sir;
