// The tank of tank_overflow.saltus without modes: a Boolean decides which equation holds. To see: the level is a state or given, as the Boolean says.
model TankIf "one of two equations, by a Boolean"
  parameter Real A = 1 "area", H = 1 "rim", k = 0.5 "outlet";
  Real h(start = 0.5, fixed = true) "level", inflow = 0.5 + 0.4*sin(time), outflow, over "what runs over";
  discrete Boolean full(start = false, fixed = true);
equation
  A*der(h) = inflow - outflow - over;
  outflow = k*sqrt(h);
  if full then
    h = H;
  else
    over = 0;
  end if;
  when h > H then
    full = true;
  elsewhen over < 0 then
    full = false;
  end when;
  annotation(experiment(StopTime = 20, Tolerance = 1e-8, Interval = 0.02));
end TankIf;
