// A car axis on a bumpy road: two masses on springs, a rigid axis between them, index 3. Comes from the test set for initial value
// problem solvers (Mazzia, Iavernaro; problem "car axis" of Schneider), where solvers are told the index of every variable.
model CarAxis "springs, a rigid axis and a road"
  parameter Real L = 1, L0 = 0.5, epsilon = 0.01, M = 10, height = 0.1, omega = 10, g = 1;
  parameter Real k = M*epsilon^2/2;
  Real xl(start = 0), yl(start = 0.5), xr(start = 1), yr(start = 0.5) "left and right end of the axis";
  Real ul(start = -0.5), vl(start = 0), ur(start = -0.5), vr(start = 0) "their velocities";
  Real lambda1, lambda2 "forces of the constraints";
  Real yb = height*sin(omega*time), xb = sqrt(L^2 - yb^2) "right wheel";
  Real Ll = sqrt(xl^2 + yl^2), Lr = sqrt((xr - xb)^2 + (yr - yb)^2) "lengths of the springs";
equation
  der(xl) = ul;
  der(yl) = vl;
  der(xr) = ur;
  der(yr) = vr;
  k*der(ul) = (L0 - Ll)*xl/Ll + lambda1*xb + 2*lambda2*(xl - xr);
  k*der(vl) = (L0 - Ll)*yl/Ll + lambda1*yb + 2*lambda2*(yl - yr) - k*g;
  k*der(ur) = (L0 - Lr)*(xr - xb)/Lr - 2*lambda2*(xl - xr);
  k*der(vr) = (L0 - Lr)*(yr - yb)/Lr - 2*lambda2*(yl - yr) - k*g;
  0 = xl*xb + yl*yb;
  0 = (xl - xr)^2 + (yl - yr)^2 - L^2;
  annotation(experiment(StopTime = 3, Tolerance = 1e-7, Interval = 0.01));
end CarAxis;
