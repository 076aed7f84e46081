// A walker of two straight legs on a slope (the compass gait of Goswami, Espiau and Keramane), in the coordinates of hip and swinging foot: each leg is a constraint (index 3). When the
// swinging foot meets the ground the legs change their parts, and all velocities jump: angular momentum about the new foot and of the leg behind about the hip is kept.
// To see: jump equations and constraints solved together at every step of a stable walk.
model CompassWalker "two legs that walk down"
  parameter Real mh = 10 "hip", m = 5 "of a leg, in its middle", L = 1, g = 9.81, slope = 3*Modelica.Constants.pi/180;
  parameter Real a0 = -0.2187, b0 = a0 - 2*slope "angles of the legs at the start", wa = 1.0918, wb = -0.3772 "their rates";
  Real x(start = L*sin(a0), fixed = true), y(start = L*cos(a0)), vx(start = L*wa*cos(a0), fixed = true), vy(start = -L*wa*sin(a0)) "hip";
  Real xs(start = L*sin(a0) + L*sin(b0), fixed = true), ys(start = L*cos(a0) - L*cos(b0)) "swinging foot";
  Real vxs(start = L*wa*cos(a0) + L*wb*cos(b0), fixed = true), vys(start = -L*wa*sin(a0) + L*wb*sin(b0));
  Real f1, f2 "forces of the legs, by length";
  discrete Real px(start = 0, fixed = true), py(start = 0, fixed = true) "standing foot";
  discrete Integer steps(start = 0, fixed = true);
equation
  der(x) = vx;
  der(y) = vy;
  der(xs) = vxs;
  der(ys) = vys;
  (mh + m/2)*der(vx) + m/4*der(vxs) = f1*(x - px) + f2*(x - xs);
  (mh + m/2)*der(vy) + m/4*der(vys) = f1*(y - py) + f2*(y - ys) - (mh + m)*g;
  m/4*(der(vx) + der(vxs)) = -f2*(x - xs);
  m/4*(der(vy) + der(vys)) = -f2*(y - ys) - m/2*g;
  (x - px)^2 + (y - py)^2 = L^2;
  (x - xs)^2 + (y - ys)^2 = L^2;
  when ys + tan(slope)*xs < 0 and xs - px > 0.1 then
    steps = pre(steps) + 1;
    px = pre(xs);
    py = pre(ys);
    xs = pre(px);
    ys = pre(py);
    vx*(x - px) + vy*(y - py) = 0;
    (vx - vxs)*(x - xs) + (vy - vys)*(y - ys) = 0;
    // about the new foot: hip, leg in front, leg behind
    (mh + m/4)*((x - px)*vy - (y - py)*vx) + m/2*((0.5*(x + xs) - px)*(vy + vys) - (0.5*(y + ys) - py)*(vx + vxs))
      = mh*((x - px)*pre(vy) - (y - py)*pre(vx)) + m/4*((x - px)*(pre(vy) + pre(vys)) - (y - py)*(pre(vx) + pre(vxs)))
        + m/2*((0.5*(x + xs) - px)*pre(vy) - (0.5*(y + ys) - py)*pre(vx));
    // the leg behind, about the hip
    (xs - x)*(vy + vys) - (ys - y)*(vx + vxs) = (xs - x)*pre(vy) - (ys - y)*pre(vx);
  end when;
  annotation(experiment(StopTime = 5, Tolerance = 1e-8, Interval = 0.01));
end CompassWalker;
