// A skate on an inclined plane: it moves only along its edge (nonholonomic). Closed form: phi = w t, x = g sin(a)/(2 w²) sin²(w t).
model KnifeEdge
  parameter Real g = 9.81*sin(0.5);
  parameter Real w = 1;
  Real x(start = 0, fixed = true), y(start = 0, fixed = true), phi(start = 0, fixed = true);
  Real vx(start = 0, fixed = true), vy(start = 0), om(start = w, fixed = true), lambda;
  Real E = (vx^2 + vy^2 + om^2)/2 - g*x;
equation
  der(x) = vx;
  der(y) = vy;
  der(phi) = om;
  der(vx) = g + lambda*sin(phi);
  der(vy) = -lambda*cos(phi);
  der(om) = 0;
  vx*sin(phi) - vy*cos(phi) = 0;
  annotation(experiment(StopTime = 10));
end KnifeEdge;
