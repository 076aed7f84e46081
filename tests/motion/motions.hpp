/// Motions for tests of methods that keep their geometry.
#pragma once

namespace saltus::test {

/// A pendulum in Cartesian coordinates, index 3. T: the force of the rod over its length.
inline constexpr const char* kRod = R"(model Rod
  Real x(start = 1, fixed = true), y(start = 0), vx(start = 0, fixed = true), vy(start = -1);
  Real T;
  Real E = (vx^2 + vy^2)/2 + y;
  Real r = x^2 + y^2 - 1;
  Real rv = x*vx + y*vy;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -T*x;
  der(vy) = -T*y - 1;
  x^2 + y^2 = 1;
end Rod;
)";

/// Two rods with different masses: constraints that pull at each other, written with forces of their own, one position with a minus.
inline constexpr const char* kTwoRods = R"(model TwoRods
  parameter Real m1 = 1, m2 = 2;
  Real x1(start = 1, fixed = true), y1(start = 0), x2(start = 1), y2(start = 1, fixed = true);
  Real vx1(start = 0, fixed = true), vy1(start = 0.3), vx2(start = 0.5), vy2(start = 0.3, fixed = true);
  Real T1, T2, fx, fy;
  Real z2(start = -1), wz2(start = -0.3);
  Real E = (m1*(vx1^2 + vy1^2) + m2*(vx2^2 + vy2^2))/2 + m1*y1 + m2*y2;
equation
  der(x1) = vx1;
  der(y1) = vy1;
  vx2 = der(x2);
  der(z2) = wz2;
  z2 = -y2;
  vy2 = -wz2;
  fx = T2*(x2 - x1);
  fy = T2*(y2 - y1);
  m1*der(vx1) = -T1*x1 + fx;
  m1*der(vy1) = -T1*y1 + fy - m1;
  m2*der(vx2) = -fx;
  m2*der(vy2) = -fy - m2;
  x1^2 + y1^2 = 1;
  (x2 - x1)^2 + (y2 - y1)^2 = 1;
end TwoRods;
)";

/// Without constraints.
inline constexpr const char* kOrbit = R"(model Orbit
  Real x(start = 0.4, fixed = true), y(start = 0, fixed = true), vx(start = 0, fixed = true), vy(start = 2, fixed = true);
  Real r3 = sqrt(x^2 + y^2)^3;
  Real E = (vx^2 + vy^2)/2 - 1/sqrt(x^2 + y^2);
  Real L = x*vy - y*vx;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -x/r3;
  der(vy) = -y/r3;
end Orbit;
)";

}  // namespace saltus::test
