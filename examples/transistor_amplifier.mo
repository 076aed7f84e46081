// Two transistors, five capacitors, eight nodes; the capacitors between nodes make the matrix of the derivatives singular, index 1.
// Comes from the test set for initial value problem solvers (Mazzia, Iavernaro; Rentrop).
model TransistorAmplifier "a circuit with coupled derivatives"
  parameter Real Ub = 6, UF = 0.026, alpha = 0.99, beta = 1e-6, R0 = 1000, R = 9000;
  parameter Real C1 = 1e-6, C2 = 2e-6, C3 = 3e-6, C4 = 4e-6, C5 = 5e-6;
  Real y1(start = 0), y2(start = 3), y3(start = 3), y4(start = 6), y5(start = 3), y6(start = 3), y7(start = 6), y8(start = 0);
  Real Ue = 0.1*sin(200*3.14159265358979324*time);
  function current "of a transistor"
    input Real U, beta, UF;
    output Real i;
  algorithm
    i := beta*(exp(U/UF) - 1);
  end current;
equation
  C1*(der(y2) - der(y1)) = (y1 - Ue)/R0;
  C1*(der(y1) - der(y2)) = y2*2/R - Ub/R + (1 - alpha)*current(y2 - y3, beta, UF);
  -C2*der(y3) = y3/R - current(y2 - y3, beta, UF);
  C3*(der(y5) - der(y4)) = (y4 - Ub)/R + alpha*current(y2 - y3, beta, UF);
  C3*(der(y4) - der(y5)) = y5*2/R - Ub/R + (1 - alpha)*current(y5 - y6, beta, UF);
  -C4*der(y6) = y6/R - current(y5 - y6, beta, UF);
  C5*(der(y8) - der(y7)) = (y7 - Ub)/R + alpha*current(y5 - y6, beta, UF);
  C5*(der(y7) - der(y8)) = y8/R;
  annotation(experiment(StopTime = 0.2, Tolerance = 1e-6, Interval = 0.0005));
end TransistorAmplifier;
