// A building shaken by an earthquake strikes its neighbour. Comes from Jankowski's contact model as used by Calvo, Montijano and
// Rández (DISODE45, problem 2). To see: six impacts in 3 s, each with its beginning, its deepest point and its end (18 events). The contact force
// has powers 3/2 and 1/2 of the penetration, which do not exist before contact: the guard is reached from one side only.
model StructuralPounding "seismic pounding of two buildings"
  parameter Real c = 2.47e6 "stiffness of the contact";
  parameter Real gap = 0.005 "distance at rest";
  Real y(start = 0, fixed = true), v(start = 0, fixed = true);
  Real force "of the contact";
equation
  der(y) = v;
  2*der(v) = -4.1*v - 210.125*y - force - 2*sin(14*time);
  force = if y > gap then
    (if v > 0 then c*(y - gap)^1.5 + 1.98*sqrt(2*c*sqrt(y - gap))*v else c*(y - gap)^1.5) else 0;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8, Interval = 0.005));
end StructuralPounding;
