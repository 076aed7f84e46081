#include "problems.hpp"

namespace saltus::test {

const std::vector<SensitivityProblem>& smooth_problems() {
  static const std::vector<SensitivityProblem> problems = {
      {"decay",
       R"(model M parameter Real k = 2; Real x(start = 3, fixed = true);
equation der(x) = -k*x; end M;)",
       {"k", "x"}},
      {"forced oscillator",
       R"(model M parameter Real w = 3, d = 0.2, a = 1.5; Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation der(x) = v; der(v) = -w^2*x - d*v + a*cos(2*time); end M;)",
       {"w", "d", "a", "x", "v"},
       4.0},
      {"predator and prey",
       R"(model M parameter Real a = 1.1, b = 0.4, c = 0.1, d = 0.4; Real x(start = 10, fixed = true), y(start = 5, fixed = true);
equation der(x) = a*x - b*x*y; der(y) = c*x*y - d*y; end M;)",
       {"a", "b", "c", "d", "x", "y"},
       6.0},
      {"stiff relaxation",
       R"(model M parameter Real mu = 50, a = 1; Real x(start = 2, fixed = true), v(start = -0.6, fixed = true);
equation der(x) = v; der(v) = mu*((1 - x^2)*v) - a*x; end M;)",
       {"mu", "a", "x"},
       5.0},
      {"slaved component",
       R"(model M parameter Real l = 1e4, w = 2; Real x(start = 0, fixed = true), y(start = 1, fixed = true);
equation der(x) = w*cos(w*time) - l*(x - sin(w*time)); der(y) = -y + x; end M;)",
       {"l", "w", "y"},
       2.0},
      {"kinetics",
       R"(model M parameter Real k1 = 0.04, k2 = 3e3, k3 = 1e2; Real a(start = 1, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);
equation der(a) = -k1*a + k2*b*c; der(b) = k1*a - k2*b*c - k3*b^2; der(c) = k3*b^2; end M;)",
       {"k1", "k2", "k3", "a"},
       10.0},
      {"implicit algebraic",
       R"(model M parameter Real a = 1.5, b = 0.7; Real x(start = 1, fixed = true), y(start = 0.5);
equation der(x) = -a*y; y^3 + b*y = x + 0.1*sin(time); end M;)",
       {"a", "b", "x"},
       2.0},
      {"linear block",
       R"(model M parameter Real r1 = 2, r2 = 3, c = 0.5, u = 1; Real v(start = 0, fixed = true), i1, i2, w;
equation w = r1*i1; u - w = r2*i2; i1 + 0.2*i2 = v; c*der(v) = i2 - i1; end M;)",
       {"r1", "r2", "c", "u"},
       3.0},
      {"dependent parameters",
       R"(model M parameter Real a = 1.2; parameter Real b = a^2 + 1; parameter Real c[2] = {b, 3*a}; Real x(start = a, fixed = true);
equation der(x) = -b*x + c[1]*sin(c[2]*time); end M;)",
       {"a"},
       2.0},
      {"arrays",
       R"(model M parameter Real k[3] = {1, 2, 3}; Real x[3](start = {1, 2, 3}, each fixed = true);
equation for i in 1:3 loop der(x[i]) = -k[i]*x[i] + x[mod(i, 3) + 1]; end for; end M;)",
       {"k[1]", "k[2]", "k[3]", "x[2]"},
       1.0},
      {"pendulum of index 3",
       R"(model M parameter Real l = 1, g = 9.81; Real x(start = l*sin(0.5)), y(start = -l*cos(0.5)), u(start = 0), v, f;
equation der(x) = u; der(y) = v; der(u) = -f*x; der(v) = -f*y - g; x^2 + y^2 = l^2;
initial equation x = l*sin(0.5); u = 0; end M;)",
       {"l", "g"},
       1.3},
      {"prescribed motion",
       R"(model M parameter Real a = 2, b = 0.5; Real x, y(start = 1, fixed = true);
equation x = a*sin(b*time); der(y) = -y + der(x)^2; end M;)",
       {"a", "b", "y"},
       2.0},
      {"index 2",
       R"(model M parameter Real a = 1.3, b = 0.4; Real x(start = 1), y(start = 0), z;
equation der(x) = -a*x + z; der(y) = b*x + 2*z; x + y = cos(time);
initial equation x = 0.6; end M;)",
       {"a", "b"},
       2.0},
      {"zeros that uncouple equations",
       R"(model M parameter Real d = 0, k = 4, c = 0, q = 0; Real x(start = 1, fixed = true), y(start = 0.3), z(start = 0.1);
equation der(x) = -k*x + y + d*z; y^3 + y + q*z = x; z + 0.2*sin(z) + c*y = x - 0.2; end M;)",
       {"d", "k", "c", "q", "x"},
       2.0},
      {"initial equations",
       R"(model M parameter Real a = 2, b = 5; Real x(start = 1), v(start = 0);
initial equation x^3 + a*x = b; v = a*x;
equation der(x) = v; der(v) = -x; end M;)",
       {"a", "b"},
       1.0},
      {"steady start",
       R"(model M parameter Real k = 2, u = 3; Real x(start = 1), y(start = 1);
initial equation der(x) = 0; der(y) = 0;
equation der(x) = u - k*x + 0.1*y + sin(time); der(y) = x^2 - y; end M;)",
       {"k", "u"},
       1.0},
      {"backwards",
       R"(model M parameter Real k = 0.7; Real x(start = 3, fixed = true);
equation der(x) = -k*x + cos(time); end M;)",
       {"k", "x"},
       -2.0,
       1.0},
      {"no states",
       R"(model M parameter Real a = 2; Real y(start = 1); equation y + y^3 = a*time; end M;)",
       {"a"},
       1.0},
      {"kinks",
       R"(model M parameter Real c = 0.5, a = 2; Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation der(x) = -a*x + abs(sin(3*time) - c); der(y) = max(x - c, 0)*a; end M;)",
       {"c", "a", "x"},
       2.0},
  };
  return problems;
}

}  // namespace saltus::test
