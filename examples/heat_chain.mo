// Heat moves through a chain of N cells whose conductance grows with temperature; the left end is heated and cooled in turns.
// Comes from the method of lines for the heat equation with cells of width 1, so that the time scale does not depend on N:
// --set N=10000 gives 20,001 scalar equations that are as easy to integrate as 10 cells.
model HeatChain "nonlinear heat conduction"
  parameter Integer N = 10 "number of cells";
  parameter Real conductance = 1 "between two cells at temperature 0";
  parameter Real slope = 0.5 "relative growth of the conductance with temperature";
  Real T[N](each start = 0.25, each fixed = true) "temperature of the cells";
  Real q[N + 1] "heat flow into cell i from the left";
  Real hot = 1 + 0.5*sin(time) "temperature of the left end";
equation
  q[1] = conductance*(1 + 0.5*slope*(hot + T[1]))*(hot - T[1]);
  for i in 2:N loop
    q[i] = conductance*(1 + 0.5*slope*(T[i - 1] + T[i]))*(T[i - 1] - T[i]);
  end for;
  q[N + 1] = 0;
  for i in 1:N loop
    der(T[i]) = q[i] - q[i + 1];
  end for;
  annotation(experiment(StopTime = 20, Tolerance = 1e-6, Interval = 0.1));
end HeatChain;
