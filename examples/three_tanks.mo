// Three tanks in a row, joined by pipes at half their height, each with a rim: filled from the left by a changing flow. Through a pipe flows what Torricelli's law says, to either side,
// and only from levels above it. Comes from the benchmark of the three tanks. To see: square roots whose argument is zero until a level reaches the pipe, where a corner of max moves them.
model ThreeTanks "pipes, overflow, flow to either side"
  parameter Real k = 0.4, pipe = 0.5 "height of the pipes";
  function torricelli "to the side of the lower level"
    input Real a;
    input Real b;
    output Real q;
  algorithm
    q := if a > b then sqrt(a - b) else -sqrt(b - a);
  end torricelli;
  Real h[3](start = {0, 0, 0}, each fixed = true), over[3], q12, q23, source = 0.3*(1 + sin(0.5*time));
equation
  q12 = k*torricelli(max(h[1], pipe), max(h[2], pipe));
  q23 = k*torricelli(max(h[2], pipe), max(h[3], pipe));
  for i in 1:3 loop
    over[i] = if h[i] > 1 then 2*(h[i] - 1) else 0;
  end for;
  der(h[1]) = source - q12 - over[1];
  der(h[2]) = q12 - q23 - over[2];
  der(h[3]) = q23 - over[3] - 0.1*sqrt(max(h[3], 0));
  annotation(experiment(StopTime = 60, Tolerance = 1e-9));
end ThreeTanks;
