// The diode ladder with a source that is switched when the voltage of the third cell leaves a band. Beside IDA in the table `hybrid`.
model SwitchedLadder "diode ladder with a switched source"
  parameter Integer N = 10;
  parameter Real R = 100, C = 1e-6, Is = 1e-9, UT = 0.026, Rs = 10, high = 0.34, low = 0.25;
  Real v[N](each start = 0.1, each fixed = true) "nodes";
  Real i[N] "from the left into node k";
  Real u[N](each start = 0.1) "voltage of the diode alone";
  discrete Real source(start = 5, fixed = true);
equation
  R*i[1] = source - v[1];
  for k in 2:N loop
    R*i[k] = v[k - 1] - v[k];
  end for;
  for k in 1:N loop
    (v[k] - u[k])/Rs = Is*(exp(u[k]/UT) - 1);
  end for;
  for k in 1:N - 1 loop
    C*der(v[k]) = i[k] - i[k + 1] - (v[k] - u[k])/Rs;
  end for;
  C*der(v[N]) = i[N] - (v[N] - u[N])/Rs;
  when v[3] > high then
    source = -1;
  elsewhen v[3] < low then
    source = 5;
  end when;
  annotation(experiment(StopTime = 0.005, Tolerance = 1e-6, Interval = 0.0001));
end SwitchedLadder;
