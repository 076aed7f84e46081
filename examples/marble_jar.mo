// Marbles fall into a jar and bounce off each other, the bottom and the walls. Comes from Compere, 5.3.4, here in the plane and with
// parameters, which the source does not give. Contacts are springs, with a damper if d > 0. To see: any number of marbles (--set n=16); without a damper the
// energy stays where it was, to the tolerance; with noEvent around the conditions it does not, at more evaluations.
model MarbleJar "disks in a jar"
  parameter Integer n = 4;
  parameter Real r = 0.5 "radius of a marble", width = 2 "half the jar's";
  parameter Real m = 1, g = 9.81, k = 1e4 "contact spring", d = 0 "contact damper";
  Real x[n](start = {1.3*mod(i, 3) - 1.3 + 0.03*i for i in 1:n}, each fixed = true);
  Real y[n](start = {1.2 + 1.2*div(i - 1, 3) + 0.1*mod(i, 2) for i in 1:n}, each fixed = true);
  Real u[n](each start = 0, each fixed = true), v[n](each start = 0, each fixed = true);
  Real distance[n, n], push[n, n] "between marbles i < j";
  Real wall[n], floor_push[n];
  Real stored[n] "energy in the contacts of a marble";
  Real energy;
equation
  for i in 1:n loop
    for j in 1:i loop
      distance[i, j] = 1;
      push[i, j] = 0;
    end for;
    for j in i + 1:n loop
      distance[i, j] = sqrt((x[j] - x[i])^2 + (y[j] - y[i])^2);
      push[i, j] = if distance[i, j] < 2*r then k*(2*r - distance[i, j])
        - d*((x[j] - x[i])*(u[j] - u[i]) + (y[j] - y[i])*(v[j] - v[i]))/distance[i, j] else 0;
    end for;
    wall[i] = if x[i] < r - width then k*(r - width - x[i]) - d*u[i]
      elseif x[i] > width - r then k*(width - r - x[i]) - d*u[i] else 0;
    floor_push[i] = if y[i] < r then k*(r - y[i]) - d*v[i] else 0;
    der(x[i]) = u[i];
    der(y[i]) = v[i];
    m*der(u[i]) = wall[i] + sum(push[j, i]*(x[i] - x[j])/distance[j, i] for j in 1:i - 1)
      - sum(push[i, j]*(x[j] - x[i])/distance[i, j] for j in i + 1:n);
    m*der(v[i]) = floor_push[i] - m*g + sum(push[j, i]*(y[i] - y[j])/distance[j, i] for j in 1:i - 1)
      - sum(push[i, j]*(y[j] - y[i])/distance[i, j] for j in i + 1:n);
    stored[i] = k/2*(noEvent(max(0, r - y[i]))^2 + noEvent(max(0, r - width - x[i]))^2 + noEvent(max(0, x[i] - width + r))^2)
      + sum(k/2*noEvent(max(0, 2*r - distance[i, j]))^2 for j in i + 1:n);
  end for;
  energy = sum(m*g*y[i] + m/2*(u[i]^2 + v[i]^2) + stored[i] for i in 1:n);
  annotation(experiment(StopTime = 2, Tolerance = 1e-6, Interval = 0.01));
end MarbleJar;
