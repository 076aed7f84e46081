// The peak detector with the diode as one equation: current and blocking voltage are not negative, and one of them is zero. Comes from the complementarity formulations of circuits. To see: min
// decides whether the equations have index 2 (conducting) or 1 (blocking).
model Complementarity "an ideal diode in one equation"
  parameter Real C = 1e-3 "capacitance", R = 100 "load", V = 10 "amplitude", w = 50 "angular frequency";
  Real v(start = 0, fixed = true) "voltage of the capacitor", vd "voltage over the diode", i "current through the diode";
equation
  V*sin(w*time) = vd + v;
  C*der(v) = i - v/R;
  0 = min(i, -vd);
  annotation(experiment(StopTime = 0.5, Tolerance = 1e-8, Interval = 0.001));
end Complementarity;
