// A small sphere that rolls on a fixed one: a constraint of positions and two of velocities (index 3, nonholonomic).
// Spherical coordinates of its centre, Euler angles Z-X-Z, no gravity.
// Source: M. D. Compere, dissertation, UT Austin 2001, 3.6; the second constraint is simplified there too. E is kept. With
// --formulation reaching --set rho0=0.7 --set fphi=1.2 --set ftheta=1.5 it begins off all three constraints (3.6.3).
model RollingSphere "A sphere that rolls on a fixed sphere"
  parameter Real R = 0.55;
  parameter Real r = 0.05;
  parameter Real m = 1;
  parameter Real I = 2/5*m*r^2;
  parameter Real pi = 3.14159265358979323846;
  parameter Real w = 45/8*pi/180;
  parameter Real rho0 = R + r;
  parameter Real fphi = 1;
  parameter Real ftheta = 1;
  Real rho(start = rho0, fixed = true), alpha(start = 0, fixed = true), beta(start = pi/2, fixed = true);
  Real phi(start = 0, fixed = true), theta(start = pi/2, fixed = true), psi(start = pi/2, fixed = true);
  Real vrho(start = 0, fixed = true), valpha(start = -w, fixed = true), vbeta(start = w, fixed = true);
  Real vphi(start = fphi*(R + r)/r*w, fixed = true), vtheta(start = ftheta*(R + r)/r*w, fixed = true), vpsi(start = 0, fixed = true);
  Real l1, l2, l3;
  Real E = m/2*(vrho^2 + rho^2*valpha^2 + rho^2*vbeta^2*cos(alpha)^2) + m*r^2/5*(vphi^2 + vtheta^2 + vpsi^2 + 2*vphi*vpsi*cos(theta));
equation
  der(rho) = vrho; der(alpha) = valpha; der(beta) = vbeta; der(phi) = vphi; der(theta) = vtheta; der(psi) = vpsi;
  m*der(vrho) = m*rho*(valpha^2 + vbeta^2*cos(alpha)^2) + l3;
  m*rho^2*der(valpha) = -m*rho*(2*vrho*valpha + rho*vbeta^2*cos(alpha)*sin(alpha)) + (R + r)*l1;
  m*rho^2*cos(alpha)^2*der(vbeta) = -2*m*rho*(vrho*vbeta*cos(alpha)^2 - rho*vbeta*valpha*cos(alpha)*sin(alpha)) + (R + r)*l2;
  I*der(vphi) + I*cos(theta)*der(vpsi) = I*vtheta*vpsi*sin(theta) - r*sin(theta)*cos(psi)*l1 - r*sin(theta)*sin(psi)*l2;
  I*der(vtheta) = -I*vphi*vpsi*sin(theta) + r*sin(psi)*l1 - r*cos(psi)*l2;
  I*cos(theta)*der(vphi) + I*der(vpsi) = I*vphi*vtheta*sin(theta);
  (R + r)*valpha - r*(vphi*sin(theta)*cos(psi) - vtheta*sin(psi)) = 0;
  (R + r)*vbeta - r*(vphi*sin(theta)*sin(psi) + vtheta*cos(psi)) = 0;
  rho - (R + r) = 0;
  annotation(experiment(StopTime = 8));
end RollingSphere;
