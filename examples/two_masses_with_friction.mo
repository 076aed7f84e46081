// Two masses joined by a spring slide on a floor of two materials and come to rest one after the other. Comes from Calvo, Montijano
// and Rández (DISODE45, problem 4; their last event, 10.8197, lies beyond the interval they print, so the stop is 11). To see: 13
// changes of direction or material, then the first mass sticks at 8.8259, the second at 10.8197: sliding on two surfaces at once,
// where the source stops with an error.
model TwoMassesWithFriction "Coulomb friction that depends on the place"
  parameter Real k = 1 "spring";
  Real y1(start = -2, fixed = true), y2(start = 3, fixed = true);
  Real v1(start = 0, fixed = true), v2(start = 0, fixed = true);
  Real f1 = if y1 > 0 then 1 else 0.6 "friction of the first mass";
  Real f2 = if y2 > 0 then 0.2 else 0.5 "friction of the second mass";
equation
  der(y1) = v1;
  der(y2) = v2;
  der(v1) = -k*(y1 - y2) - f1*sign(v1);
  der(v2) = -k*(y2 - y1) - f2*sign(v2);
  annotation(experiment(StopTime = 11, Tolerance = 1e-8, Interval = 0.01));
end TwoMassesWithFriction;
