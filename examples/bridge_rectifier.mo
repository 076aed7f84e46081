// Four diodes, a source with a resistance, a capacitor and a load. Comes from any textbook; the diodes are those of the Modelica library: s runs along the characteristic, which has two
// slopes. To see: two diodes change together, twice in a half wave, found as one instant; the four unknowns s are solved together.
model BridgeRectifier "four diodes"
  constant Real pi = Modelica.Constants.pi;
  parameter Real V = 20, f = 50, Rs = 0.5 "of the source", C = 2e-3, R = 50 "load", Ron = 1e-3 "of a conducting diode", Goff = 1e-6 "of a blocking diode";
  Real v(start = 0, fixed = true) "voltage of the load", a, b "potentials at the source", line "current of the source";
  Real s[4], i[4], drop[4] "of the diodes";
equation
  V*sin(2*pi*f*time) = Rs*line + a - b;
  drop = {a - v, b - v, -a, -b};
  for k in 1:4 loop
    drop[k] = s[k]*(if s[k] < 0 then 1 else Ron);
    i[k] = s[k]*(if s[k] < 0 then Goff else 1);
  end for;
  line + i[3] = i[1];
  i[4] = i[2] + line;
  C*der(v) = i[1] + i[2] - v/R;
  annotation(experiment(StopTime = 0.04, Tolerance = 1e-8, Interval = 4e-5));
end BridgeRectifier;
