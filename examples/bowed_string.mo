// A bow on a string of N + 1 nodes (Raman's model): the ends of the string are held by forces that are unknowns (index 3), the bow pulls the node under it by dry friction. Comes from
// Wunderlich, 7.2.4, without its bands around zero; its sticking ends when the force on the bow exceeds friction, here when the friction itself would. To see: the bow sticks to the string and lets it go.
// Nominal values are the sizes of the motion (the string moves by 1e-5, speeds matter to a part of 5e-3): absolute tolerances are in units of them.
model BowedString "friction between a bow and a string"
  parameter Integer N = 20 "pieces of the string", c = 3 "node under the bow";
  parameter Real L = 0.7 "length", T = 55 "tension", rho = 0.5, mb = 1 "mass of the bow", v0 = 0.5, Omega = 2, mu = 0.4, FN = 1.8;
  parameter Real dx = L/N;
  Real yb(start = 0, fixed = true), vb(start = v0, fixed = true, nominal = 5e-3) "bow";
  Real y[N + 1](each start = 0, each nominal = 1e-5), v[N + 1](each start = 0, each nominal = 5e-3) "string";
  Real hold1, hold2 "forces at the ends", friction "on the string";
equation
  der(yb) = vb;
  mb*der(vb) = -v0*Omega*sin(Omega*time) - friction;
  friction = -mu*FN*sign(v[c] - vb);
  der(y) = v;
  rho*der(v[1]) = T/dx^2*(y[2] - 2*y[1]) - hold1;
  for i in 2:N loop
    rho*der(v[i]) = T/dx^2*(y[i - 1] - 2*y[i] + y[i + 1]) + (if i == c then friction else 0);
  end for;
  rho*der(v[N + 1]) = T/dx^2*(y[N] - 2*y[N + 1]) - hold2;
  y[1] = 0;
  y[N + 1] = 0;
  annotation(experiment(StopTime = 6, Tolerance = 1e-8, Interval = 0.01));
end BowedString;
