// A planet on an ellipse, beside the exact solution. Comes from J. Kepler, "Astronomia nova" (1609): the position at a given time
// follows from the equation E - e*sin(E) = M for the eccentric anomaly E, solved here by Newton's method in a function.
model Kepler "planet on an ellipse, computed in two ways"
  function eccentric_anomaly "solves Kepler's equation by Newton's method"
    input Real M "mean anomaly";
    input Real e "eccentricity";
    output Real E;
  algorithm
    E := M + e*sin(M);
    for i in 1:6 loop
      E := E - (E - e*sin(E) - M)/(1 - e*cos(E));
    end for;
  end eccentric_anomaly;
  parameter Real e = 0.6 "eccentricity";
  Real x(start = 1 - e, fixed = true), y(start = 0, fixed = true);
  Real u(start = 0, fixed = true), v(start = sqrt((1 + e)/(1 - e)), fixed = true);
  Real r3 = (x^2 + y^2)^1.5;
  Real E = eccentric_anomaly(time, e);
  Real deviation = sqrt((x - (cos(E) - e))^2 + (y - sqrt(1 - e^2)*sin(E))^2) "distance of the two positions";
  Real momentum = x*v - y*u "angular momentum, constant";
equation
  der(x) = u;
  der(y) = v;
  der(u) = -x/r3;
  der(v) = -y/r3;
  annotation(experiment(StopTime = 20, Tolerance = 1e-9, Interval = 0.02));
end Kepler;
