// Diffusion along a chain of cells in which groups of cells react at rates of their own: many states, many parameters, stiff. Beside CVODES in the table
// `sensitivities`.
model ReactionChain "reactions of second order along a diffusing chain"
  parameter Integer N = 200 "cells";
  parameter Integer M = 50 "groups of cells";
  parameter Real k[M] = {1 + 0.02*i for i in 0:M - 1} "rates";
  Real u[N](each start = 0.5, each fixed = true);
protected
  final parameter Real d = 100 "diffusion";
equation
  der(u[1]) = d*(1 - 2*u[1] + u[2]) - k[1]*u[1]^2;
  for i in 2:N - 1 loop
    der(u[i]) = d*(u[i - 1] - 2*u[i] + u[i + 1]) - k[div((i - 1)*M, N) + 1]*u[i]^2;
  end for;
  der(u[N]) = d*(u[N - 1] - u[N]) - k[M]*u[N]^2;
  annotation(experiment(StopTime = 5, Tolerance = 1e-6, Interval = 0.01));
end ReactionChain;
