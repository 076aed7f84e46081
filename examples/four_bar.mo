// Three bars in a closed chain with the ground as the fourth: three angles, two equations that close the loop, index 3; bars are
// uniform, gravity acts, the first one is driven. Comes from the textbooks of mechanisms (a crank and a rocker).
model FourBar "a closed chain of bars"
  parameter Real l0 = 1, l1 = 0.4, l2 = 0.9, l3 = 0.8 "ground, crank, coupler, rocker";
  parameter Real m1 = 1, m2 = 2, m3 = 1.5, g = 9.81, torque = 4;
  Real phi1(start = 1, fixed = true), w1(start = 6, fixed = true);
  Real phi2(start = 0.4), phi3(start = 1.5);
  Real w2, w3;
  Real fx, fy "force between coupler and rocker";
equation
  der(phi1) = w1;
  der(phi2) = w2;
  der(phi3) = w3;
  (m1/3 + m2)*l1^2*der(w1) + m2*l1*l2/2*(cos(phi1 - phi2)*der(w2) + sin(phi1 - phi2)*w2^2)
    = torque - (m1/2 + m2)*g*l1*cos(phi1) - l1*(-sin(phi1)*fx + cos(phi1)*fy);
  m2*l2^2/3*der(w2) + m2*l1*l2/2*(cos(phi1 - phi2)*der(w1) - sin(phi1 - phi2)*w1^2)
    = -m2*g*l2/2*cos(phi2) - l2*(-sin(phi2)*fx + cos(phi2)*fy);
  m3*l3^2/3*der(w3) = -m3*g*l3/2*cos(phi3) + l3*(-sin(phi3)*fx + cos(phi3)*fy);
  l1*cos(phi1) + l2*cos(phi2) = l0 + l3*cos(phi3);
  l1*sin(phi1) + l2*sin(phi2) = l3*sin(phi3);
  annotation(experiment(StopTime = 3, Tolerance = 1e-8, Interval = 0.005));
end FourBar;
