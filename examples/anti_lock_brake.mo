// A quarter of a car that brakes hard: the friction of the tyre falls when it slips too much (Burckhardt's curve for dry asphalt), so a controller takes pressure away above one slip
// and gives it back below another. To see: a discrete state with hysteresis, a limited pressure, and the end of the run by the model.
model AntiLockBrake "on-off control of the slip"
  parameter Real m = 400, J = 1.2, r = 0.3, g = 9.81, most = 2000 "largest moment of the brake";
  Real v(start = 30, fixed = true), w(start = 100, fixed = true), P(start = 0, fixed = true) "moment of the brake", s(start = 0, fixed = true) "way";
  Real slip = (v - w*r)/v;
  Real mu = 1.28*(1 - exp(-23.99*slip)) - 0.52*slip;
  discrete Boolean build(start = true, fixed = true);
equation
  der(s) = v;
  m*der(v) = -mu*m*g;
  J*der(w) = mu*m*g*r - P;
  der(P) = if build then (if P < most then 8000 else 0) else (if P > 0 then -16000 else 0);
  when slip > 0.22 then
    build = false;
  elsewhen slip < 0.12 then
    build = true;
  end when;
  when v < 1 then
    terminate("slow enough");
  end when;
  annotation(experiment(StopTime = 10, Tolerance = 1e-9));
end AntiLockBrake;
