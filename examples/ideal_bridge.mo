// Four ideal diodes on an ideal source, a capacitor and a load. Comes from any textbook. To see: where all diodes block nothing gives the potential of the source, and where two of one
// side conduct it would be shorted; of the 16 combinations the one is taken that determines everything: a diode without current holds the potential. v is the source while
// two conduct (index 2), until tan(w t) = -w R C; then it decays.
model IdealBridge "no resistance, no coil"
  constant Real pi = Modelica.Constants.pi;
  parameter Real V = 20, f = 50, C = 2e-3, R = 50 "load";
  Real v(start = 0, fixed = true) "voltage of the load", a, b "potentials at the source", line "current of the source";
  Real s[4] "along the characteristics", i[4], drop[4] "of the diodes";
equation
  V*sin(2*pi*f*time) = a - b;
  drop = {a - v, b - v, -a, -b};
  for k in 1:4 loop
    drop[k] = if s[k] < 0 then s[k] else 0;
    i[k] = if s[k] < 0 then 0 else s[k];
  end for;
  line + i[3] = i[1];
  i[4] = i[2] + line;
  C*der(v) = i[1] + i[2] - v/R;
  annotation(experiment(StopTime = 0.037, Tolerance = 1e-8, Interval = 4e-5));
end IdealBridge;
