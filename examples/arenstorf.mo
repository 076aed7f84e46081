// A satellite between earth and moon on a periodic orbit, in the rotating frame of the restricted three-body problem.
// Comes from R. F. Arenstorf (1963); constants and initial values as in Hairer, Nørsett and Wanner,
// "Solving Ordinary Differential Equations I", II.0. After one period (the stop time) the satellite is back where it began.
model Arenstorf "periodic orbit of the restricted three-body problem"
  constant Real mu = 0.012277471 "mass of the moon, as a part of the whole";
  constant Real nu = 1 - mu "mass of the earth";
  Real x(start = 0.994, fixed = true), y(start = 0, fixed = true);
  Real u(start = 0, fixed = true), v(start = -2.00158510637908252240537862224, fixed = true);
  Real earth = ((x + mu)^2 + y^2)^1.5 "cube of the distance to the earth";
  Real moon = ((x - nu)^2 + y^2)^1.5 "cube of the distance to the moon";
equation
  der(x) = u;
  der(y) = v;
  der(u) = x + 2*v - nu*(x + mu)/earth - mu*(x - nu)/moon;
  der(v) = y - 2*u - nu*y/earth - mu*y/moon;
  annotation(experiment(StartTime = 0, StopTime = 17.0652165601579625588917206249, Tolerance = 1e-8, Interval = 0.02));
end Arenstorf;
