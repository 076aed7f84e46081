// Seven stars in a plane, with near collisions. Comes from Hairer, Nørsett and Wanner, "Solving Ordinary Differential
// Equations I", II.10. Each star has the mass of its number.
model Pleiades "seven stars in a plane"
  function attraction "1/r^3 of a distance given by its components"
    input Real dx, dy;
    output Real a;
  protected
    Real r2;
  algorithm
    r2 := dx*dx + dy*dy;
    a := 1/(r2*sqrt(r2));
  end attraction;
  constant Integer n = 7;
  parameter Real m[n] = {i for i in 1:n} "masses";
  Real x[n](start = {3, 3, -1, -3, 2, -2, 2}, each fixed = true);
  Real y[n](start = {3, -3, 2, 0, 0, -4, 4}, each fixed = true);
  Real u[n](start = {0, 0, 0, 0, 0, 1.75, -1.5}, each fixed = true);
  Real v[n](start = {0, 0, 0, -1.25, 1, 0, 0}, each fixed = true);
equation
  for i in 1:n loop
    der(x[i]) = u[i];
    der(y[i]) = v[i];
    der(u[i]) = sum(m[j]*(x[j] - x[i])*attraction(x[j] - x[i], y[j] - y[i]) for j in 1:i - 1)
      + sum(m[j]*(x[j] - x[i])*attraction(x[j] - x[i], y[j] - y[i]) for j in i + 1:n);
    der(v[i]) = sum(m[j]*(y[j] - y[i])*attraction(x[j] - x[i], y[j] - y[i]) for j in 1:i - 1)
      + sum(m[j]*(y[j] - y[i])*attraction(x[j] - x[i], y[j] - y[i]) for j in i + 1:n);
  end for;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8, Interval = 0.01));
end Pleiades;
