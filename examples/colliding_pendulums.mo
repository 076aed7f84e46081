// Two balls on long strings swing and hit each other. Comes from the textbooks of mechanics: momentum is kept, the relative velocity turns around
// with a coefficient of restitution. To see: the two laws stand in the `when` as they are (jump equations), and saltus solves them for the
// velocities after the impact. With equal masses and e = 1 the balls would exchange their velocities.
model CollidingPendulums "impact laws as equations"
  parameter Real m1 = 1, m2 = 2, e = 0.9 "restitution", omega = 2 "of the small swing";
  Real x1(start = -1, fixed = true), v1(start = 0, fixed = true);
  Real x2(start = 0, fixed = true), v2(start = 0, fixed = true);
  Real momentum = m1*v1 + m2*v2;
equation
  der(x1) = v1;
  der(v1) = -omega^2*x1;
  der(x2) = v2;
  der(v2) = -omega^2*x2;
  when x1 - x2 >= 0 and v1 > v2 then
    m1*v1 + m2*v2 = m1*pre(v1) + m2*pre(v2);
    v1 - v2 = -e*(pre(v1) - pre(v2));
  end when;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8, Interval = 0.01));
end CollidingPendulums;
