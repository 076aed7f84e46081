// Which force moves two masses with a spring between them so that the far one follows a given path? The path is an equation, the
// force is unknown: index 5. Comes from control-prescribed path problems (Brenan, Campbell, Petzold); the exact answer is beside it.
model PrescribedTrajectory "inverse dynamics of a flexible joint"
  parameter Real m1 = 1, m2 = 2, k = 10;
  Real x1, v1, x2, v2 "far and near mass";
  Real force;
  Real exact = -(m1 + m2)*sin(time) + m1*m2/k*sin(time) "of the force";
equation
  der(x1) = v1;
  der(x2) = v2;
  m1*der(v1) = k*(x2 - x1);
  m2*der(v2) = -k*(x2 - x1) + force;
  x1 = sin(time);
  annotation(experiment(StopTime = 10, Tolerance = 1e-8, Interval = 0.02));
end PrescribedTrajectory;
