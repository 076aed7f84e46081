// Two bodies with dry friction between them, one of them shaken. Comes from Wunderlich, "Analysis and numerical solution of structured
// and switched differential-algebraic systems", 7.2.2, without its hysteresis. To see: they stick together
// until arcsin 0.8 = 0.9273, slip until 2.8870 and so on; seven events and no mode, no band and no tolerance in the text.
model StickSlip "two bodies with dry friction"
  parameter Real mu = 0.4 "friction coefficient";
  Real p1(start = 1, fixed = true), p2(start = 1, fixed = true) "positions";
  Real v1(start = 0, fixed = true), v2(start = 0, fixed = true) "velocities";
  Real friction = mu*sign(v1 - v2) "while sticking: what keeps them together";
equation
  der(p1) = v1;
  der(p2) = v2;
  der(v1) = sin(time) - friction;
  der(v2) = friction;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8, Interval = 0.01));
end StickSlip;
