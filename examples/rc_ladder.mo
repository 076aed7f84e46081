// N resistors and capacitors in a chain with all currents and voltages as unknowns, driven by a source that is tied to the first
// capacitor itself: its voltage is prescribed, so its current follows from a derivative, index 2. Comes from circuit simulation.
model RcLadder "a loop of a source and a capacitor"
  parameter Integer N = 10;
  parameter Real R = 1, C = 1;
  Real v[N] "voltages of the capacitors";
  Real i[N] "currents of the capacitors", j[N] "of the resistors, from node k to node k + 1";
  Real supply "current of the source";
equation
  v[1] = sin(time);
  supply = i[1] + j[1];
  for k in 1:N loop
    i[k] = C*der(v[k]);
  end for;
  for k in 2:N loop
    i[k] = j[k - 1] - j[k];
  end for;
  for k in 1:N - 1 loop
    R*j[k] = v[k] - v[k + 1];
  end for;
  j[N] = 0;
  annotation(experiment(StopTime = 20, Tolerance = 1e-8, Interval = 0.05));
end RcLadder;
