// Two equal masses between walls, joined by a weak spring: the motion wanders from one to the other and back.
// Comes from the textbooks of mechanics. The equations are of second order and written so. The exact solution is
// a sum of the two normal modes; `deviation` shows how far the computed one is from it.
model CoupledOscillators "beats of two masses"
  parameter Real k = 1 "spring to the wall";
  parameter Real c = 0.05 "spring between the masses";
  parameter Real m = 1;
  Real x1(start = 1, fixed = true), x2(start = 0, fixed = true);
  Real exact = 0.5*(cos(sqrt(k/m)*time) + cos(sqrt((k + 2*c)/m)*time));
  Real deviation = x1 - exact;
initial equation
  der(x1) = 0;
  der(x2) = 0;
equation
  m*der(der(x1)) = -k*x1 + c*(x2 - x1);
  m*der(der(x2)) = -k*x2 - c*(x2 - x1);
  annotation(experiment(StopTime = 150, Tolerance = 1e-9, Interval = 0.1));
end CoupledOscillators;
