// The car axis with both constraints differentiated twice by hand: index 1, as a careful modeller would write it for a solver that
// reduces nothing. The constraints themselves drift.
model CarAxisByHand
  parameter Real L = 1, L0 = 0.5, epsilon = 0.01, M = 10, height = 0.1, omega = 10, g = 1;
  parameter Real k = M*epsilon^2/2;
  Real xl(start = 0, fixed = true), yl(start = 0.5, fixed = true), xr(start = 1, fixed = true), yr(start = 0.5, fixed = true);
  Real ul(start = -0.5, fixed = true), vl(start = 0, fixed = true), ur(start = -0.5, fixed = true), vr(start = 0, fixed = true);
  Real lambda1, lambda2;
  Real al, bl, ar, br "accelerations";
  Real yb = height*sin(omega*time), dyb = height*omega*cos(omega*time), ddyb = -height*omega^2*sin(omega*time);
  Real xb = sqrt(L^2 - yb^2), dxb = -yb*dyb/xb, ddxb = -(dyb^2 + yb*ddyb + dxb^2)/xb;
  Real Ll = sqrt(xl^2 + yl^2), Lr = sqrt((xr - xb)^2 + (yr - yb)^2);
equation
  der(xl) = ul;
  der(yl) = vl;
  der(xr) = ur;
  der(yr) = vr;
  der(ul) = al;
  der(vl) = bl;
  der(ur) = ar;
  der(vr) = br;
  k*al = (L0 - Ll)*xl/Ll + lambda1*xb + 2*lambda2*(xl - xr);
  k*bl = (L0 - Ll)*yl/Ll + lambda1*yb + 2*lambda2*(yl - yr) - k*g;
  k*ar = (L0 - Lr)*(xr - xb)/Lr - 2*lambda2*(xl - xr);
  k*br = (L0 - Lr)*(yr - yb)/Lr - 2*lambda2*(yl - yr) - k*g;
  al*xb + 2*ul*dxb + xl*ddxb + bl*yb + 2*vl*dyb + yl*ddyb = 0;
  (ul - ur)^2 + (xl - xr)*(al - ar) + (vl - vr)^2 + (yl - yr)*(bl - br) = 0;
end CarAxisByHand;
