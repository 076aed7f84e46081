// An integrator with an operational amplifier of gain 1e5 that saturates: the output depends on its own consequences, and on which side of two limits it is. Comes from the textbooks.
// To see: conditions inside an algebraic loop; nothing jumps, so nothing is reported, but every limit is met exactly.
model OpAmp "saturation in an algebraic loop"
  parameter Real A = 1e5 "gain", sat = 12 "limit", R = 1e4, C = 1e-6;
  Real source = 2*sin(20*time), minus, out, vc(start = 0, fixed = true) "over the capacitor", i;
equation
  out = min(max(-A*minus, -sat), sat);
  i = (source - minus)/R;
  C*der(vc) = i;
  minus - out = vc;
  annotation(experiment(StopTime = 0.6, Tolerance = 1e-8, Interval = 0.001));
end OpAmp;
