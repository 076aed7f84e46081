// A plate hangs on three parallel bars of one length, one more than needed: the third constraint says nothing new, and how the bars
// share the load cannot be known from rigid bodies. saltus finds both out by ranks, moves the plate like a pendulum and says which
// forces are undetermined. Comes from the textbooks (redundant constraints).
model ParallelBars "a redundantly constrained mechanism"
  parameter Real L = 1, g = 9.81, m = 2, J = 0.3;
  Real x(start = 0.6), y(start = -0.8), phi(start = 0) "middle of the plate, its angle";
  Real vx(start = 0), vy(start = 0), w(start = 0);
  Real f1, f2, f3 "forces in the bars, by length";
equation
  der(x) = vx;
  der(y) = vy;
  der(phi) = w;
  m*der(vx) = -f1*(x - cos(phi) + 1) - f2*x - f3*(x + cos(phi) - 1);
  m*der(vy) = -f1*(y - sin(phi)) - f2*y - f3*(y + sin(phi)) - m*g;
  J*der(w) = -f1*((x - cos(phi) + 1)*sin(phi) - (y - sin(phi))*cos(phi)) - f3*(-(x + cos(phi) - 1)*sin(phi) + (y + sin(phi))*cos(phi));
  (x - cos(phi) + 1)^2 + (y - sin(phi))^2 = L^2;
  x^2 + y^2 = L^2;
  (x + cos(phi) - 1)^2 + (y + sin(phi))^2 = L^2;
  annotation(experiment(StopTime = 3, Tolerance = 1e-6, Interval = 0.01));
end ParallelBars;
