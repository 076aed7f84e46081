// More equations than unknowns: the motion on a circle and the circle itself. They agree, so there is a solution; saltus finds that one
// equation is redundant and runs. Comes from the textbooks (an invariant written beside the equations of motion).
model CircleThreeEquations "overdetermined and consistent"
  Real x(start = 1), y(start = 0);
equation
  der(x) = -y;
  der(y) = x;
  x^2 + y^2 = 1;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8, Interval = 0.02));
end CircleThreeEquations;
