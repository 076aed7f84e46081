// A resistor network with an alternating source feeds a coil and a capacitor. Comes from the textbooks of circuit analysis.
// The equations are Ohm's and Kirchhoff's laws as they stand; the voltages and currents of the network are algebraic
// variables, a linear system that saltus solves at every evaluation.
model LinearCircuit "network with algebraic variables"
  parameter Real R1 = 10, R2 = 100, R3 = 20, R4 = 50, R5 = 1000 "resistors";
  parameter Real L = 0.1 "coil", C = 1e-4 "capacitor";
  parameter Real f = 50 "frequency of the source";
  constant Real pi = Modelica.Constants.pi;
  Real vs "source", va, vb "nodes of the network";
  Real i1, i2, i3, i4 "currents through R1 to R4";
  Real iL(start = 0, fixed = true) "current of the coil";
  Real vC(start = 0, fixed = true) "voltage of the capacitor";
equation
  vs = 10*sin(2*pi*f*time);
  vs - va = R1*i1;
  va = R2*i2;
  va - vb = R3*i3;
  vb = R4*i4;
  i1 = i2 + i3;
  i3 = i4 + iL;
  L*der(iL) = vb - vC;
  C*der(vC) = iL - vC/R5;
  annotation(experiment(StopTime = 0.1, Tolerance = 1e-8, Interval = 1e-4));
end LinearCircuit;
