// Seven bodies, six constraints of closed loops, a spring, a drive: Andrews' squeezing mechanism as index 3, 14 revolutions of the drive in
// 0.03 s. Comes from the test set for initial value problem solvers (Mazzia, Iavernaro; Giles, Manning), where
// solvers are told the index of every variable.
model AndrewsSqueezer "a mechanism with closed loops"
  parameter Real m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705, m6 = 0.00706, m7 = 0.05498;
  parameter Real xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, c0 = 4530;
  parameter Real i1 = 2.194e-6, i2 = 4.41e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5;
  parameter Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, l0 = 0.07785, ss = 0.035, sa = 0.01874;
  parameter Real sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449;
  parameter Real zf = 0.02, zt = 0.04, fa = 0.01421, mom = 0.033;
  Real beta(start = -0.0617138900142764), theta(start = 0), gamma(start = 0.45527981916307), phi(start = 0.222668390165886);
  Real delta(start = 0.487364979543843), omega(start = -0.222668390165886), epsilon(start = 1.23054744454982);
  Real vbeta(start = 0), vtheta(start = 0), vgamma(start = 0), vphi(start = 0), vdelta(start = 0), vomega(start = 0), vepsilon(start = 0);
  Real lambda[6];
  Real xd = sd*cos(gamma) + sc*sin(gamma) + xb, yd = sd*sin(gamma) - sc*cos(gamma) + yb;
  Real length = sqrt((xd - xc)^2 + (yd - yc)^2), force = -c0*(length - l0)/length, fx = force*(xd - xc), fy = force*(yd - yc);
equation
  der(beta) = vbeta;
  der(theta) = vtheta;
  der(gamma) = vgamma;
  der(phi) = vphi;
  der(delta) = vdelta;
  der(omega) = vomega;
  der(epsilon) = vepsilon;
  (m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(theta) + da^2) + i1 + i2)*der(vbeta) + (m2*(da^2 - da*rr*cos(theta)) + i2)*der(vtheta)
    = mom - m2*da*rr*vtheta*(vtheta + 2*vbeta)*sin(theta)
    - (-rr*sin(beta) + d*sin(beta + theta))*(lambda[1] + lambda[3] + lambda[5])
    - (rr*cos(beta) - d*cos(beta + theta))*(lambda[2] + lambda[4] + lambda[6]);
  (m2*(da^2 - da*rr*cos(theta)) + i2)*der(vbeta) + (m2*da^2 + i2)*der(vtheta)
    = m2*da*rr*vbeta^2*sin(theta) - d*sin(beta + theta)*(lambda[1] + lambda[3] + lambda[5])
    + d*cos(beta + theta)*(lambda[2] + lambda[4] + lambda[6]);
  (m3*(sa^2 + sb^2) + i3)*der(vgamma)
    = fx*(sc*cos(gamma) - sd*sin(gamma)) + fy*(sd*cos(gamma) + sc*sin(gamma)) + ss*cos(gamma)*lambda[1] + ss*sin(gamma)*lambda[2];
  (m4*(e - ea)^2 + i4)*der(vphi) + (m4*((e - ea)^2 + zt*(e - ea)*sin(phi)) + i4)*der(vdelta)
    = m4*zt*(e - ea)*vdelta^2*cos(phi) + e*cos(phi + delta)*lambda[3] + e*sin(phi + delta)*lambda[4];
  (m4*((e - ea)^2 + zt*(e - ea)*sin(phi)) + i4)*der(vphi)
    + (m4*(zt^2 + 2*zt*(e - ea)*sin(phi) + (e - ea)^2) + m5*(ta^2 + tb^2) + i4 + i5)*der(vdelta)
    = -m4*zt*(e - ea)*vphi*(vphi + 2*vdelta)*cos(phi)
    - (-e*cos(phi + delta) + zt*sin(delta))*lambda[3] - (-e*sin(phi + delta) - zt*cos(delta))*lambda[4];
  (m6*(zf - fa)^2 + i6)*der(vomega) + (m6*((zf - fa)^2 - u*(zf - fa)*sin(omega)) + i6)*der(vepsilon)
    = -m6*u*(zf - fa)*vepsilon^2*cos(omega) - zf*sin(omega + epsilon)*lambda[5] + zf*cos(omega + epsilon)*lambda[6];
  (m6*((zf - fa)^2 - u*(zf - fa)*sin(omega)) + i6)*der(vomega)
    + (m6*((zf - fa)^2 - 2*u*(zf - fa)*sin(omega) + u^2) + m7*(ua^2 + ub^2) + i6 + i7)*der(vepsilon)
    = m6*u*(zf - fa)*vomega*(vomega + 2*vepsilon)*cos(omega)
    - (zf*sin(omega + epsilon) - u*cos(epsilon))*lambda[5] - (-zf*cos(omega + epsilon) - u*sin(epsilon))*lambda[6];
  rr*cos(beta) - d*cos(beta + theta) - ss*sin(gamma) = xb;
  rr*sin(beta) - d*sin(beta + theta) + ss*cos(gamma) = yb;
  rr*cos(beta) - d*cos(beta + theta) - e*sin(phi + delta) - zt*cos(delta) = xa;
  rr*sin(beta) - d*sin(beta + theta) + e*cos(phi + delta) - zt*sin(delta) = ya;
  rr*cos(beta) - d*cos(beta + theta) - zf*cos(omega + epsilon) - u*sin(epsilon) = xa;
  rr*sin(beta) - d*sin(beta + theta) - zf*sin(omega + epsilon) + u*cos(epsilon) = ya;
  annotation(experiment(StopTime = 0.03, Tolerance = 1e-8, Interval = 0.0001));
end AndrewsSqueezer;
