// A relay whose input depends on its own output: y = x - sign(y)/2. For x between -1/2 and 1/2 neither output of the relay is possible; the one between them that keeps y at zero is. Made for
// saltus. To see: y stays at zero, and the output of the relay follows from that, u = 2x, by the equation itself and not by its rate.
model RelayWithFeedthrough "a relay in an algebraic loop"
  Real x(start = 1, fixed = true), y "input of the relay", u "output of the relay";
equation
  der(x) = -u;
  u = sign(y);
  y = x - 0.5*u;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8, Interval = 0.01));
end RelayWithFeedthrough;
