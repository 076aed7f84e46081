// A source with a resistance, a diode, a capacitor and a load. The diode is one equation: its current and its blocking voltage are not negative, and one of them is zero. Comes from the
// complementarity formulations of circuits. To see: min chooses which of the two is solved for; nothing jumps there, so no event is reported.
model HalfWaveRectifier "a diode as complementarity"
  parameter Real C = 1e-3 "capacitance", R = 100 "load", V = 10 "amplitude", w = 50 "angular frequency", Rs = 1 "of the source";
  Real v(start = 0, fixed = true) "voltage of the capacitor", vd "voltage over the diode", i "current through the diode";
equation
  V*sin(w*time) = Rs*i + vd + v;
  C*der(v) = i - v/R;
  0 = min(i, -vd);
  annotation(experiment(StopTime = 0.5, Tolerance = 1e-8, Interval = 0.001));
end HalfWaveRectifier;
