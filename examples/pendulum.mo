// A compound pendulum (a rod hinged at its end) as an ordinary differential equation.
// Comes from M. D. Compere's dissertation (The University of Texas at Austin, 2001), section 3.5.1, where the variation of
// `energy` measures the integrator: saltus run examples/pendulum.mo --method kutta3 --step 0.01
model Pendulum "compound pendulum"
  parameter Real m(unit = "kg") = 36 "mass of the rod";
  parameter Real l(unit = "m") = 1 "its length";
  parameter Real g(unit = "m/s2") = 9.81;
  constant Real pi = Modelica.Constants.pi;
  Real theta(start = 20*pi/180, fixed = true, unit = "rad");
  Real omega(start = 1, fixed = true, unit = "rad/s");
  Real energy(unit = "J") = m*l^2/6*omega^2 - m*g*l/2*cos(theta);
equation
  der(theta) = omega;
  der(omega) = -3*g*sin(theta)/(2*l);
  annotation(experiment(StopTime = 5, Tolerance = 1e-10, Interval = 0.01));
end Pendulum;
