// A linear system under feedback by an ideal relay. Comes from Calvo, Montijano and Rández (DISODE45, problem 3); there from
// di Bernardo, Budd, Champneys and Kowalczyk, "Piecewise-smooth dynamical systems", with omega = 25, zeta = 0.05. To see: it begins
// sliding and leaves and meets the surface 55 times; some sliding stretches last 2 ms. They are found at every tolerance.
model RelayFeedback "multisliding oscillation"
  parameter Real omega = 25, zeta = 0.05;
  constant Real pi = Modelica.Constants.pi;
  Real y1(start = 0, fixed = true), y2(start = 0.2, fixed = true), y3(start = 0.06, fixed = true);
equation
  der(y1) = -(2*zeta*omega + 1)*y1 + y2 - sign(y1);
  der(y2) = -(2*zeta*omega + omega^2)*y1 + y3 + 2*sign(y1);
  der(y3) = -omega^2*y1 - sign(y1);
  annotation(experiment(StopTime = 4*pi, Tolerance = 1e-8, Interval = 0.005));
end RelayFeedback;
