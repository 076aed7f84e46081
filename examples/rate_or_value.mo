// For half a second the rate of x is given, afterwards its value: a differential equation that turns into an algebraic one, with a jump that no clause asks for. Comes from a discussion
// of the Modelica specification (branches of different structure). To see: x climbs to 5, falls to -5 at once and stays.
model RateOrValue "a branch with a rate, a branch with a value"
  Real x(start = 0, fixed = true);
equation
  if time < 0.5 then
    der(x) = 10;
  else
    x = -5;
  end if;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8, Interval = 0.01));
end RateOrValue;
