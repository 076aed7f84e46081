model StickSlip "two bodies with dry friction"
  parameter Real mu = 0.4 "friction coefficient";
  Real p1(start = 1, fixed = true, unit = "m");
  Real v1(start = 0, fixed = true);
  Real p2(start = 1, fixed = true), v2(start = 0, fixed = true);
equation
  der(p1) = v1;
  der(p2) = v2;
  der(v1) = sin(time) - mu*sign(v1 - v2);
  der(v2) = mu*sign(v1 - v2);
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8, Interval = 0.01), __saltus(method = "dopri5", sliding = "on"));
end StickSlip;
