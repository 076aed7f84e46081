// A mass on a rod, written as it stands in the textbook: Newton's law with the force of the rod as unknown, and the length of the
// rod as an equation. The index is 3 (differentiation index); nothing about it is said here. The mass is thrown hard enough to go
// round and round, so no choice of two coordinates would serve as states throughout.
model CartesianPendulum "a constraint on positions"
  parameter Real L = 1 "length of the rod", g = 9.81;
  Real x(start = 0), y(start = -1), vx(start = 7), vy(start = 0);
  Real lambda "force of the rod, by mass and length";
  Real energy = 0.5*(vx^2 + vy^2) + g*y "constant";
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = L^2;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8, Interval = 0.01));
end CartesianPendulum;
