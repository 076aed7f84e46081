// Twenty blocks in a row, joined by springs, on a floor with dry friction; the first springs are tight at the start. Comes from the spring-block models of
// Burridge and Knopoff. To see: a wave runs along the row and dies out; every block stops, starts again or stays, each by itself
// (sliding on up to twenty surfaces), and at the end all are at rest, with springs still tight within what friction holds.
model FrictionBlocks "springs and Coulomb friction"
  parameter Integer N = 20;
  parameter Real k = 1 "spring", F = 0.01 "friction of a block";
  Real x[N](start = {exp(-0.1*(i - 1)^2) for i in 1:N}, each fixed = true) "displacements";
  Real v[N](each start = 0, each fixed = true);
  Real force[N] "of the springs";
  Real dissipated(start = 0, fixed = true) "work of the friction", energy "with what friction took: constant";
equation
  for i in 1:N loop
    force[i] = (if i > 1 then k*(x[max(i - 1, 1)] - x[i]) else 0) + (if i < N then k*(x[min(i + 1, N)] - x[i]) else 0);
    der(x[i]) = v[i];
    der(v[i]) = force[i] - F*sign(v[i]);
  end for;
  der(dissipated) = sum(F*abs(v[i]) for i in 1:N);
  energy = sum(v[i]^2 for i in 1:N)/2 + sum(k/2*(x[i + 1] - x[i])^2 for i in 1:N - 1) + dissipated;
  annotation(experiment(StopTime = 32, Tolerance = 1e-8, Interval = 0.05));
end FrictionBlocks;
