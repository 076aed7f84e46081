// The clutch of clutch.saltus without modes: a Boolean that clauses set, and an equation that depends on it. To see: the same run; while the clutch is locked there is one state less.
model ClutchIf "one of two equations, by a Boolean"
  parameter Real J1 = 0.2 "engine", J2 = 0.5 "load", b = 0.1 "drag of the load", capacity = 20 "of the clutch when fully pressed";
  Real w1(start = 100, fixed = true), w2(start = 0, fixed = true) "speeds", torque "transmitted", press "0 to 1";
  Real engine = 5 + 10*sin(2*time), load = if time > 6 and time < 7 then 60 else 2;
  discrete Boolean locked(start = false, fixed = true);
equation
  press = min(time, 1);
  J1*der(w1) = engine - torque;
  J2*der(w2) = torque - load - b*w2;
  if locked then
    w1 = w2;
  else
    torque = capacity*press;
  end if;
  when not pre(locked) and w1 < w2 then
    locked = true;
  elsewhen pre(locked) and torque > 1.2*capacity*press then
    locked = false;
  end when;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8, Interval = 0.01));
end ClutchIf;
