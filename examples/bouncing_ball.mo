// A ball that loses a fifth of its velocity at every bounce. The classic of hybrid systems. To see: the bounces come faster and faster
// and accumulate at t = sqrt(2 h0/g)·(1 + e)/(1 - e) = 4.0637. saltus notices, says when, and lets the ball lie there (--zeno rest, the default),
// ends the run (--zeno stop), or does nothing (--zeno continue). Here it
// ends by itself before that, after 20 bounces; --set last=1000 shows the accumulation.
model BouncingBall "with a coefficient of restitution"
  parameter Real g = 9.81, e = 0.8 "restitution", h0 = 1;
  parameter Integer last = 20 "bounce to end with";
  Real h(start = h0, fixed = true, unit = "m"), v(start = 0, fixed = true, unit = "m/s");
  discrete Integer bounces(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -g;
  when h <= 0 and v < 0 then
    reinit(v, -e*pre(v));
    bounces = pre(bounces) + 1;
  end when;
  when bounces >= last then
    terminate("the last bounce");
  end when;
  annotation(experiment(StopTime = 5, Tolerance = 1e-8, Interval = 0.005));
end BouncingBall;
