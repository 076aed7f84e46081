// A pendulum with dry friction in its joint, in Cartesian coordinates: a constraint of index 3 and a force that jumps with the direction of motion. A slow push moves it to and fro; where it
// turns, it sticks until the push is strong enough. Made for saltus. To see: sticking under a constraint, so that all four coordinates stand still.
model FrictionPendulum "dry friction and a rod"
  parameter Real L = 1, g = 9.81, mu = 2 "friction torque by mass", push = 6;
  Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), vy(start = 0);
  Real force "of the rod", w "angular velocity", torque "of the friction";
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -force*x + torque*y/L^2 + push*sin(time);
  der(vy) = -force*y - torque*x/L^2 - g;
  x^2 + y^2 = L^2;
  w*L^2 = x*vy - y*vx;
  torque = mu*sign(w);
  annotation(experiment(StopTime = 10, Tolerance = 1e-8, Interval = 0.01));
end FrictionPendulum;
