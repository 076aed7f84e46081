// A bowling ball that is thrown with spin slides, its path bends, and then it rolls.
// Friction with a disc: -mu*m*g*direction(s), s the velocity of the point of contact, is no sum of two laws for x and y. It is mu*m*g long while the
// ball slides; the ball rolls from the event slide_enter on, with what friction then takes (here nothing).
// The slip falls by 7/2*mu*g in a unit of time along its own direction: the ball rolls at |s(0)|/(3.5*mu*g) = 0.46463 s, with
// v = v(0) - 2/7*s(0).
model BowlingBall
  parameter Real r = 0.11, mu = 0.2, g = 9.81;
  Real x[2](each start = 0, each fixed = true), v[2](start = {6, 0.5}, each fixed = true);
  Real w[2](start = {-20, 30}, each fixed = true) "spin about the horizontal axes";
  Real s[2] = {v[1] - r*w[2], v[2] + r*w[1]} "slip";
  Real a[2] = -mu*g*direction(s);
equation
  der(x) = v;
  der(v) = a;
  der(w) = 5/(2*r)*{a[2], -a[1]};
  annotation(experiment(StopTime = 1));
end BowlingBall;
