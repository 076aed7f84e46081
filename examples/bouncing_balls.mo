// A hundred balls fall on a springy floor from heights that differ by a nanometre. Comes from Compere, "Simulation of engineering
// systems described by high-index DAE and discontinuous ODE using single step methods", 5.3.3, which gives no parameters; these give its
// 1200 events in twelve groups. To see: all events are found one by one, 2.3e-10 s apart; --concurrency 1e-7,1e-6 takes each group as one
// (18 events instead of 1200 in the source), at a fraction of the evaluations.
model BouncingBalls "spring and damper, events in groups"
  parameter Integer N = 100;
  parameter Real g = 9.81, m = 1, k = 1e7 "spring", d = 316 "damper", step = 1e-9 "between the heights";
  Real y[N](start = {1 + i*step for i in 1:N}, each fixed = true);
  Real v[N](each start = 0, each fixed = true);
  Real energy "of the first ball";
equation
  for i in 1:N loop
    der(y[i]) = v[i];
    m*der(v[i]) = -m*g + (if y[i] < 0 then -k*y[i] - d*v[i] else 0);
  end for;
  energy = m*g*y[1] + 0.5*m*v[1]^2 + (if y[1] < 0 then 0.5*k*y[1]^2 else 0);
  annotation(experiment(StopTime = 3.5, Tolerance = 1e-3, Interval = 0.01));
end BouncingBalls;
