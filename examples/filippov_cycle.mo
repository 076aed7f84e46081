// A planar system that slides on a curved surface, leaves it and comes back, again and again. Comes from Calvo, Montijano and
// Rández, "DISODE45, a Matlab Runge-Kutta solver for piecewise smooth IVPs of Filippov type", problem 1. To see: the surface is
// crossed at 0.7232, slid on from 1.4965 to 11.0834, then a cycle with period 8.8102. Neither side is defined beyond the surface
// (|g|^1.5), and nothing in the text says so: saltus approaches from the side it is on.
model FilippovCycle "sliding on a curved surface"
  Real y1(start = -0.75, fixed = true);
  Real y2(start = -1 - sin(1.5), fixed = true);
  Real g = y2 - 0.2 - sin(2*y1) "the switching surface";
  Real u = -sign(g)/(1 + abs(g)^1.5);
equation
  der(y1) = y2 - sin(2*y1);
  der(y2) = 2*cos(2*y1)*(y2 - sin(2*y1)) - y1 + u;
  annotation(experiment(StopTime = 30, Tolerance = 1e-8, Interval = 0.02));
end FilippovCycle;
