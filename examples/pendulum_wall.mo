// A pendulum in Cartesian coordinates that swings against a wall. Made for saltus. To see: an impact under a constraint of index 3; the velocities after it satisfy the rod.
model PendulumWall "an impact under a constraint"
  parameter Real L = 1, g = 9.81, wall = 0.3, e = 0.8;
  Real x(start = -0.8, fixed = true), y(start = -0.6), vx(start = 0, fixed = true), vy(start = 0), force;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -force*x;
  der(vy) = -force*y - g;
  x^2 + y^2 = L^2;
  when x > wall then
    reinit(vx, -e*pre(vx));
    reinit(vy, -e*pre(vy));
  end when;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8, Interval = 0.01));
end PendulumWall;
