// The circuit of rectifier as Carver (1978) has it in the DSL48SE manual: eight equations, and conditions with several relations instead of modes (coefficients from R and L, digit slips of
// the manual corrected). To see: which equations hold follows from currents and voltages together; relations that are zero while a diode blocks.
model Carver "two diodes by conditions"
  constant Real pi = Modelica.Constants.pi;
  parameter Real a1 = 12, a2 = 0.24, a3 = 12, a4 = 0.24, a5 = 150/11, a6 = -125/11, a7 = -50, a8 = 0, r3 = 10, l3 = 0.2;
  Real x1(start = 0, fixed = true), x2(start = 0, fixed = true), x3, v1, v2, v3, z3, z4;
equation
  x3 = x1 + x2;
  v3 = r3*(x1 + x2) + l3*(der(x1) + der(x2));
  v1 = 100*cos(100*pi*time);
  v2 = -v1;
  z3 = v1 - v3;
  z4 = v2 - v3;
  if (x1 > 0 or v1 > v3) and (x2 <= 0 and v2 < v3) then
    der(x1) = (v1 - a1*x1)/a2;
    der(x2) = 0;
  elseif (x2 > 0 or v2 > v3) and (x1 <= 0 and v1 < v3) then
    der(x1) = 0;
    der(x2) = (v2 - a3*x2)/a4;
  else
    der(x1) = a5*v1 + a6*v2 + a7*x1 + a8*x2;
    der(x2) = a6*v1 + a5*v2 + a8*x1 + a7*x2;
  end if;
  annotation(experiment(StopTime = 0.05, Tolerance = 1e-8, Interval = 5e-5));
end Carver;
