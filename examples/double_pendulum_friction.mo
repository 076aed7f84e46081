// A double pendulum of two masses and two rods in Cartesian coordinates (index 3), with dry friction in both joints. Made for saltus. To see: two surfaces; the joints stick and slip each
// by itself, while the constraints hold.
model DoublePendulumFriction "two rods, two joints that stick"
  parameter Real g = 9.81, c1 = 1.5, c2 = 0.8 "friction of the joints";
  Real x1(start = 0.8, fixed = true), y1(start = -0.6), x2(start = 1.8), y2(start = -0.6, fixed = true);
  Real vx1(start = 0, fixed = true), vy1(start = 0), vx2(start = 0), vy2(start = 0, fixed = true);
  Real f1, f2 "forces of the rods", w1, w2 "angular velocities", t1, t2 "torques of friction";
equation
  der(x1) = vx1;
  der(y1) = vy1;
  der(x2) = vx2;
  der(y2) = vy2;
  // torque t at a rod (dx, dy) of length 1 acts by the forces t*(dy, -dx) at its outer end and the opposite at its inner end
  der(vx1) = -f1*x1 + f2*(x2 - x1) + (t1 - t2)*y1 + t2*(-(y2 - y1));
  der(vy1) = -f1*y1 + f2*(y2 - y1) - (t1 - t2)*x1 + t2*(x2 - x1) - g;
  der(vx2) = -f2*(x2 - x1) + t2*(y2 - y1);
  der(vy2) = -f2*(y2 - y1) - t2*(x2 - x1) - g;
  x1^2 + y1^2 = 1;
  (x2 - x1)^2 + (y2 - y1)^2 = 1;
  w1 = x1*vy1 - y1*vx1;
  w2 = (x2 - x1)*(vy2 - vy1) - (y2 - y1)*(vx2 - vx1);
  t1 = c1*sign(w1);
  t2 = c2*sign(w2 - w1);
  annotation(experiment(StopTime = 8, Tolerance = 1e-8, Interval = 0.01));
end DoublePendulumFriction;
