// The place of a mass is prescribed, with a corner at time 1: the velocity jumps there, and the force that it takes is an impulse, of which only the rest is seen. Made for saltus. To see: no
// state at all; what jumps follows from the constraint.
model DrivenCorner "a prescribed place with a corner"
  parameter Real m = 2;
  Real x, v, force;
equation
  x = if time < 1 then time^2 else 1 + 0.5*(time - 1);
  der(x) = v;
  m*der(v) = force;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8, Interval = 0.01));
end DrivenCorner;
