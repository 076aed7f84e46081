// N point masses on massless links of length 1/N, from a horizontal line, under gravity: index 3, one constraint for each link.
model ChainOfLinks
  parameter Integer N = 10;
  parameter Real l = 1/N;
  Real x[N](start = {i*l for i in 1:N}, each fixed = false), y[N](each start = 0), vx[N](each start = 0), vy[N](each start = 0);
  Real lambda[N];
  Real E = sum(vx[i]^2 + vy[i]^2 for i in 1:N)/(2*N) + sum(y)*9.81/N;
equation
  for i in 1:N loop
    der(x[i]) = vx[i];
    der(y[i]) = vy[i];
  end for;
  for i in 1:N - 1 loop
    der(vx[i]) = (if i == 1 then x[1] else x[i] - x[i - 1])*lambda[i] - (x[i + 1] - x[i])*lambda[i + 1];
    der(vy[i]) = (if i == 1 then y[1] else y[i] - y[i - 1])*lambda[i] - (y[i + 1] - y[i])*lambda[i + 1] - 9.81;
  end for;
  der(vx[N]) = (if N == 1 then x[1] else x[N] - x[N - 1])*lambda[N];
  der(vy[N]) = (if N == 1 then y[1] else y[N] - y[N - 1])*lambda[N] - 9.81;
  x[1]^2 + y[1]^2 = l^2;
  for i in 2:N loop
    (x[i] - x[i - 1])^2 + (y[i] - y[i - 1])^2 = l^2;
  end for;
  annotation(experiment(StopTime = 0.5));
end ChainOfLinks;
