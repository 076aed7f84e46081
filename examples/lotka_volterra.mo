// Predators and prey. Comes from A. Lotka (1910) and V. Volterra (1926), here in the scaled form of Hairer, Lubich and Wanner,
// "Geometric Numerical Integration", I.1. The orbit is closed: `invariant` stays constant.
model LotkaVolterra "predators and prey"
  parameter Real growth = 1 "of the prey, without predators";
  parameter Real decay = 2 "of the predators, without prey";
  Real predators(start = 2, fixed = true), prey(start = 2, fixed = true);
  Real invariant = growth*log(predators) - predators + decay*log(prey) - prey;
equation
  der(predators) = predators*(prey - decay);
  der(prey) = prey*(growth - predators);
  annotation(experiment(StopTime = 20, Tolerance = 1e-8, Interval = 0.02));
end LotkaVolterra;
