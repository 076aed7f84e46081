// A spinning ball is thrown onto a rough floor: it bounces ever less, its point of contact slips and sticks, and in the end it rolls. Comes from billiards. To see: contact(gap, force, e) is the floor,
// with impacts in which friction takes part; bouncing ends after finitely many impacts, and what is left is rolling: 5/7 of the velocity and 2/7 of what the spin gives.
model ThrownBall "a ball that bounces, slips and rolls"
  parameter Real R = 0.1 "radius", J = 0.4*R^2 "moment of inertia over mass", mu = 0.2 "friction", e = 0.5 "restitution", g = 9.81 "gravity";
  Real h(start = 1, fixed = true) "height over the floor", u(start = 0, fixed = true) "rate of the height", N "force of the floor over mass";
  Real v[2](start = {2, 0.5}, each fixed = true) "velocity along the floor", w[2](start = {-30, 20}, each fixed = true) "spin, as it moves the point of contact";
  Real c[2] = v + R*w "velocity of the point of contact", f[2] = -mu*N*direction(c) "friction over mass";
equation
  der(h) = u;
  der(u) = N - g;
  der(v) = f;
  J*der(w) = R*f;
  contact(h, N, e);
  annotation(experiment(StopTime = 3, Tolerance = 1e-8, Interval = 0.01));
end ThrownBall;
