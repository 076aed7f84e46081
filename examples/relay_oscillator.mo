// A mass that is always pushed towards the middle with the same force. The smallest oscillator with switching. To see: the switches come at
// t = 1, 3, 5, … exactly, with velocities ±1; after ten thousand of them (--stop 20000) the amplitude is still 1/2 to eight digits.
model RelayOscillator "x'' = -sign(x)"
  Real x(start = 0.5, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -sign(x);
  annotation(experiment(StopTime = 20, Tolerance = 1e-9, Interval = 0.02));
end RelayOscillator;
