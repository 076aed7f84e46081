// A voltage multiplier of Cockcroft and Walton: a ladder of capacitors and diodes, each diode one equation (current and blocking voltage are not negative, and one of them is zero), with
// a resistance. Comes from the textbooks. To see: 2N conditions, whose order nobody knows beforehand; --set N=5.
model VoltageMultiplier "diodes in a ladder"
  parameter Integer N = 2 "stages";
  parameter Real V = 10, w = 100*Modelica.Constants.pi, C = 1e-5, R = 10, load = 1e5;
  Real c[2*N](each start = 0, each fixed = true) "voltages of the capacitors";
  Real node[2*N + 1] "potentials", i[2*N], d[2*N] "currents and voltages of the diodes";
equation
  node[1] = 0;
  node[2] - V*sin(w*time) = c[1];
  for k in 2:2*N loop
    node[k + 1] - node[k - 1] = c[k];
  end for;
  for k in 1:2*N loop
    node[k] - node[k + 1] = d[k] + R*i[k];
    0 = min(i[k], -d[k]);
    C*der(c[k]) = sum((-1)^(j - k)*i[j] for j in k:2*N) - (if mod(k, 2) == 0 then node[2*N + 1]/load else 0);
  end for;
  annotation(experiment(StopTime = 0.2, Tolerance = 1e-8, Interval = 2e-4));
end VoltageMultiplier;
