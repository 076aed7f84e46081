// A bridge of six ideal diodes between three phases with coils and a load with a coil. From one phase to the next the current takes time: three diodes conduct together while it
// changes over. Comes from any textbook on power electronics. To see: which of the 64 combinations of diodes holds at the start, and which follow, is found; the constraints (index 2)
// change with every one.
model SixPulseRectifier "three phases, with commutation"
  constant Real pi = Modelica.Constants.pi;
  parameter Real V = 100, w = 2*pi*50, R = 5, L = 0.02, Ls = 1e-3 "coil of each phase";
  Real e[3] = {V*sin(w*time), V*sin(w*time - 2*pi/3), V*sin(w*time + 2*pi/3)};
  Real is[3](each start = 0), va[3] "currents and voltages behind the coils", ip[3], im[3] "currents of the upper and lower diodes";
  Real vp, vm "rails", i(start = 0, fixed = true) "load";
equation
  for k in 1:3 loop
    Ls*der(is[k]) = e[k] - va[k];
    is[k] = ip[k] - im[k];
    0 = min(ip[k], vp - va[k]);
    0 = min(im[k], va[k] - vm);
  end for;
  i = sum(ip);
  i = sum(im);
  L*der(i) + R*i = vp - vm;
  annotation(experiment(StopTime = 0.04, Tolerance = 1e-8, Interval = 1e-4));
end SixPulseRectifier;
