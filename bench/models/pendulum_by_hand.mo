// The pendulum with its constraint differentiated twice by hand: index 1; the constraint itself drifts.
model PendulumByHand
  parameter Real g = 9.81;
  Real x(start = 0, fixed = true), y(start = -1, fixed = true), vx(start = 7, fixed = true), vy(start = 0, fixed = true);
  Real lambda, ax, ay;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = ax;
  der(vy) = ay;
  ax = -lambda*x;
  ay = -lambda*y - g;
  x*ax + y*ay + vx^2 + vy^2 = 0;
end PendulumByHand;
