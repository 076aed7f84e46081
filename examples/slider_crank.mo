// A driven crank, a rod and a sliding piston, each body with its own coordinates and every joint an equation: five coordinates,
// four constraints, index 3. Comes from the textbooks of multibody dynamics.
model SliderCrank "crank, rod and piston"
  parameter Real l1 = 0.15, l2 = 0.35 "crank and rod", J1 = 0.005, m2 = 0.5, J2 = 0.006, m3 = 0.3;
  parameter Real torque = 1, g = 9.81;
  Real phi1(start = 0.5, fixed = true), w1(start = 5, fixed = true) "crank";
  Real x2(start = 0.3), y2(start = 0), phi2(start = -0.2) "middle of the rod and its angle";
  Real u2, v2, w2;
  Real x3(start = 0.5), u3 "piston";
  Real f1, f2, f3, f4 "forces in the joints and from the guide";
equation
  der(phi1) = w1;
  der(x2) = u2;
  der(y2) = v2;
  der(phi2) = w2;
  der(x3) = u3;
  J1*der(w1) = torque - l1*(-sin(phi1)*f1 + cos(phi1)*f2);
  m2*der(u2) = f1 - f3;
  m2*der(v2) = f2 - f4 - m2*g;
  J2*der(w2) = 0.5*l2*(sin(phi2)*(f1 + f3) - cos(phi2)*(f2 + f4));
  m3*der(u3) = f3;
  x2 - 0.5*l2*cos(phi2) = l1*cos(phi1);
  y2 - 0.5*l2*sin(phi2) = l1*sin(phi1);
  x3 = x2 + 0.5*l2*cos(phi2);
  0 = y2 + 0.5*l2*sin(phi2);
  annotation(experiment(StopTime = 1, Tolerance = 1e-8, Interval = 0.002));
end SliderCrank;
