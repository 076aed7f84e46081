// A wheel without a rim walks down a slope on its spokes. Comes from McGeer, "Passive dynamic walking" (1990). To see: at every step the
// next spoke hits the ground, which takes a part of the velocity; whatever the first push, the walk ends in the same rhythm, where
// each step loses what the slope gives: the velocity after a step goes to cos(2 alpha)·sqrt(4 g/l·sin(alpha)·sin(slope))/sin(2 alpha).
model RimlessWheel "passive walking"
  constant Real pi = Modelica.Constants.pi;
  parameter Real g = 9.81, l = 1 "length of a spoke", alpha = pi/8 "half the angle between spokes", slope = 0.15;
  Real theta(start = slope - alpha, fixed = true) "angle of the standing spoke";
  Real omega(start = 1, fixed = true);
  discrete Integer steps(start = 0, fixed = true);
  discrete Real after(start = 0, fixed = true) "velocity after the last step";
equation
  der(theta) = omega;
  l*der(omega) = g*sin(theta);
  when theta >= slope + alpha then
    reinit(theta, slope - alpha);
    reinit(omega, cos(2*alpha)*pre(omega));
    after = cos(2*alpha)*pre(omega);
    steps = pre(steps) + 1;
  end when;
  annotation(experiment(StopTime = 30, Tolerance = 1e-8, Interval = 0.02));
end RimlessWheel;
