// A bead on a wire bent to a parabola, with friction in proportion to the force between wire and bead. That force is an unknown of the constraint, so friction depends on a multiplier, and by
// its absolute value. Made for saltus. To see: the bead swings and sticks beside the lowest point; the force of the wire jumps where the motion turns.
model BeadOnWire "Coulomb friction with an unknown normal force"
  parameter Real g = 9.81, mu = 0.2;
  Real x(start = 1.5, fixed = true), y(start = 2.25), vx(start = 0, fixed = true), vy(start = 0);
  Real N "force of the wire, by mass", F "friction, by mass", vt "velocity along the wire", root = sqrt(1 + 4*x^2);
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -2*x/root*N - F/root;
  der(vy) = N/root - 2*x/root*F - g;
  y = x^2;
  vt = (vx + 2*x*vy)/root;
  F = mu*abs(N)*sign(vt);
  annotation(experiment(StopTime = 6, Tolerance = 1e-8, Interval = 0.01));
end BeadOnWire;
