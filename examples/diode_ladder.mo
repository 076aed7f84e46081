// N cells, each a resistor in line, a capacitor and a diode to ground, and a fast internal node that makes it stiff and
// differential-algebraic: the current of each diode follows from its own law with a series resistance, index 1. Comes from circuit
// simulation; --set N=10000 is as sparse as N = 10.
model DiodeLadder "a sparse nonlinear circuit"
  parameter Integer N = 10;
  parameter Real R = 100, C = 1e-6, Is = 1e-9, UT = 0.026, Rs = 10;
  Real v[N](each start = 0.1, each fixed = true) "nodes";
  Real i[N] "from the left into node k";
  Real u[N](each start = 0.1) "voltage of the diode alone";
  Real source = 5*sin(2*3.14159265358979324*50*time);
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
  annotation(experiment(StopTime = 0.02, Tolerance = 1e-6, Interval = 0.0001));
end DiodeLadder;
