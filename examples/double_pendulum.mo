// Two rods with point masses, one hung on the other. Comes from the textbooks of mechanics (Lagrange's equations). The
// accelerations stand in both equations: saltus solves the linear system for them at every evaluation.
model DoublePendulum "chaotic motion of two pendulums"
  parameter Real m1 = 1, m2 = 1, l1 = 1, l2 = 1, g = 9.81;
  Real phi1(start = 2, fixed = true), phi2(start = 2.5, fixed = true);
  Real w1(start = 0, fixed = true), w2(start = 0, fixed = true);
  Real energy = 0.5*(m1 + m2)*l1^2*w1^2 + 0.5*m2*l2^2*w2^2 + m2*l1*l2*w1*w2*cos(phi1 - phi2)
    - (m1 + m2)*g*l1*cos(phi1) - m2*g*l2*cos(phi2) "constant";
equation
  der(phi1) = w1;
  der(phi2) = w2;
  (m1 + m2)*l1*der(w1) + m2*l2*der(w2)*cos(phi1 - phi2) = -m2*l2*w2^2*sin(phi1 - phi2) - (m1 + m2)*g*sin(phi1);
  m2*l1*der(w1)*cos(phi1 - phi2) + m2*l2*der(w2) = m2*l1*w1^2*sin(phi1 - phi2) - m2*g*sin(phi2);
  annotation(experiment(StopTime = 10, Tolerance = 1e-9, Interval = 0.01));
end DoublePendulum;
