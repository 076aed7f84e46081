// A Cuk converter with an ideal switch and an ideal diode, at light load: the diode stops to conduct before the switch closes again, and then both coils are in series (one state
// less). Comes from any textbook on power electronics. To see: a Boolean and a complementarity decide among four structures; nobody says which, and when the switch closes the diode
// blocks in the same instant.
model CukConverter "switch and diode, discontinuous conduction"
  parameter Real V = 24, L1 = 200e-6, L2 = 200e-6, C1 = 10e-6, C2 = 100e-6, R = 200;
  parameter Real T = 20e-6 "period", D = 0.3 "part of it with the switch closed";
  Real i1(start = 0, fixed = true), i2(start = 0, fixed = true) "currents of the coils";
  Real v1(start = 24, fixed = true), v2(start = 0, fixed = true) "voltages of the capacitors";
  Real id, vd "diode", isw, vsw "switch";
  Boolean closed = mod(time, T) < D*T;
equation
  L1*der(i1) = V - vsw;
  C1*der(v1) = i1 - isw;
  vd = vsw - v1;
  i1 + i2 = isw + id;
  L2*der(i2) = -vd - v2;
  C2*der(v2) = i2 - v2/R;
  if closed then
    vsw = 0;
  else
    isw = 0;
  end if;
  0 = min(id, -vd);
  annotation(experiment(StopTime = 2e-3, Tolerance = 1e-8, Interval = 1e-6));
end CukConverter;
