// The twisting controller of sliding-mode control: two relays bring position and velocity to zero in finite time. Comes from Levant (1993). To
// see: the curve winds around the origin, with amplitudes 1, 1/3, 1/9, …, faster and faster, and arrives at 4·sqrt(2)/3/(1 - 1/sqrt(3)) = 4.4614. There it slides
// on both surfaces at once.
model Twisting "finite-time convergence"
  parameter Real r1 = 2, r2 = 1;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -r1*sign(x) - r2*sign(v);
  annotation(experiment(StopTime = 6, Tolerance = 1e-8, Interval = 0.005));
end Twisting;
