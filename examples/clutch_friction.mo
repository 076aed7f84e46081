// The clutch without modes: the torque has the sign of the slip, and that is all. Locking and slipping are found by themselves (with one friction for both). To see: while the clutch
// is locked the torque, an algebraic variable, is what keeps the speeds equal.
model ClutchFriction "a clutch from sign"
  parameter Real J1 = 0.2 "engine", J2 = 0.5 "load", b = 0.1 "drag of the load", capacity = 20 "of the clutch when fully pressed";
  Real w1(start = 100, fixed = true), w2(start = 0, fixed = true) "speeds", slip, torque "transmitted", press "0 to 1";
  Real engine = 5 + 10*sin(2*time), load = if time > 6 and time < 7 then 60 else 2;
equation
  slip = w1 - w2;
  press = min(time, 1);
  torque = capacity*press*sign(slip);
  J1*der(w1) = engine - torque;
  J2*der(w2) = torque - load - b*w2;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8, Interval = 0.01));
end ClutchFriction;
