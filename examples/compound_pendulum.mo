// A rod on a hinge, written with its centre of mass and two constraints: index 3. x points down.
// Source: M. D. Compere, dissertation, UT Austin 2001, 3.5.2. E is kept; its change over the run is Table 3.2 of the source
// (--formulation post-stabilized, --method kutta3, fehlberg45 or fehlberg78, --step).
model CompoundPendulum "A rod on a hinge as an index-3 problem"
  parameter Real m = 36;
  parameter Real l = 1;
  parameter Real g = 9.81;
  parameter Real theta0 = 20*3.14159265358979323846/180;
  parameter Real omega0 = 1;
  Real x(start = l/2*cos(theta0), fixed = true);
  Real vx(start = -l/2*sin(theta0)*omega0, fixed = true);
  Real y(start = l/2*sin(theta0), fixed = true);
  Real vy(start = l/2*cos(theta0)*omega0, fixed = true);
  Real theta(start = theta0, fixed = true);
  Real omega(start = omega0, fixed = true);
  Real lambda1, lambda2;
  Real E = m/2*(vx^2 + vy^2) + m*l^2/24*omega^2 - m*g*x;
equation
  der(x) = vx;
  der(y) = vy;
  der(theta) = omega;
  m*der(vx) = m*g + lambda1;
  m*der(vy) = lambda2;
  m*l^2/12*der(omega) = l/2*sin(theta)*lambda1 - l/2*cos(theta)*lambda2;
  x - l/2*cos(theta) = 0;
  y - l/2*sin(theta) = 0;
  annotation(experiment(StopTime = 5));
end CompoundPendulum;
