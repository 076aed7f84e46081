// Slow viscous flow in a unit box on a staggered N by N grid: velocities on the sides of cells, pressures in the middle, no divergence
// in any cell. The pressure has no equation of its own: index 2. Comes from the textbooks of incompressible flow (marker and cell);
// the lid moves faster and faster.
model Stokes "an incompressible flow"
  parameter Integer N = 6 "cells in each direction";
  parameter Real nu = 1, h = 1/N;
  Real u[N + 1, N](each start = 0) "horizontal velocity on vertical sides";
  Real v[N, N + 1](each start = 0) "vertical velocity on horizontal sides";
  Real p[N, N] "pressure";
  Real lid = 1 - exp(-10*time);
equation
  for j in 1:N loop
    u[1, j] = 0;
    u[N + 1, j] = 0;
  end for;
  for i in 1:N loop
    v[i, 1] = 0;
    v[i, N + 1] = 0;
  end for;
  for i in 2:N loop
    der(u[i, 1]) = nu*(u[i - 1, 1] - 2*u[i, 1] + u[i + 1, 1] + u[i, 2] - 3*u[i, 1])/h^2 - (p[i, 1] - p[i - 1, 1])/h;
    for j in 2:N - 1 loop
      der(u[i, j]) = nu*(u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4*u[i, j])/h^2 - (p[i, j] - p[i - 1, j])/h;
    end for;
    der(u[i, N]) = nu*(u[i - 1, N] - 2*u[i, N] + u[i + 1, N] + u[i, N - 1] - 3*u[i, N] + 2*lid)/h^2 - (p[i, N] - p[i - 1, N])/h;
  end for;
  for j in 2:N loop
    der(v[1, j]) = nu*(v[1, j - 1] - 2*v[1, j] + v[1, j + 1] + v[2, j] - 3*v[1, j])/h^2 - (p[1, j] - p[1, j - 1])/h;
    for i in 2:N - 1 loop
      der(v[i, j]) = nu*(v[i, j - 1] + v[i, j + 1] + v[i - 1, j] + v[i + 1, j] - 4*v[i, j])/h^2 - (p[i, j] - p[i, j - 1])/h;
    end for;
    der(v[N, j]) = nu*(v[N, j - 1] - 2*v[N, j] + v[N, j + 1] + v[N - 1, j] - 3*v[N, j])/h^2 - (p[N, j] - p[N, j - 1])/h;
  end for;
  p[1, 1] = 0;
  for j in 2:N loop
    u[2, j] - u[1, j] + v[1, j + 1] - v[1, j] = 0;
  end for;
  for i in 2:N loop
    for j in 1:N loop
      u[i + 1, j] - u[i, j] + v[i, j + 1] - v[i, j] = 0;
    end for;
  end for;
  annotation(experiment(StopTime = 1, Tolerance = 1e-6, Interval = 0.01));
end Stokes;
