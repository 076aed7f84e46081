#include "problems.hpp"

namespace saltus::test {

const std::vector<SensitivityProblem>& structural_problems() {
  static const std::vector<SensitivityProblem> problems = {
      // examples/carver.mo with the coefficients of the second branch by themselves, 14 as in the manual of DSL48SE. With l3 = 0.2, as there,
      // v1 - v3 and v2 - v3 are zero together, and beside that value the circuit has other events, or none that go on.
      {"Carver's circuit",
       R"(model M parameter Real a1 = 12, a2 = 0.24, a3 = 12, a4 = 0.24, a5 = 150/11, a6 = -125/11, a7 = -50, a8 = 0, a9 = -125/11, a10 = 150/11, a11 = 0,
a12 = -50, r3 = 10, l3 = 0.21; Real x1(start = 0.1, fixed = true), x2(start = 0, fixed = true), x3, v1, v2, v3, z3, z4;
equation x3 = x1 + x2; v3 = r3*(x1 + x2) + l3*(der(x1) + der(x2)); v1 = 100*cos(314.15926535897932*time); v2 = -v1; z3 = v1 - v3; z4 = v2 - v3;
if (x1 > 0 or v1 > v3) and (x2 <= 0 and v2 < v3) then der(x1) = (v1 - a1*x1)/a2; der(x2) = 0;
elseif (x2 > 0 or v2 > v3) and (x1 <= 0 and v1 < v3) then der(x1) = 0; der(x2) = (v2 - a3*x2)/a4;
else der(x1) = a5*v1 + a6*v2 + a7*x1 + a8*x2; der(x2) = a9*v1 + a10*v2 + a11*x1 + a12*x2; end if; end M;)",
       {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11", "a12", "r3", "l3", "x1"},
       0.05},
      {"sliding entry",
       R"(model M parameter Real a = 2, c = 0.3; Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation der(x) = if x > c + 0.1*time then -a else 1; der(y) = x^2 + (if x > c + 0.1*time then 1 else -1); end M;)",
       {"a", "c", "x"},
       1.5},
      {"dry friction",
       R"(model M parameter Real mu = 0.4, a = 1, w = 2; Real x(start = 0, fixed = true), v(start = 0.3, fixed = true);
equation der(x) = v; der(v) = a*sin(w*time) - (if v > 0 then mu else -mu) - 0.2*x; end M;)",
       {"mu", "a", "w", "v", "x"},
       4.0},
      {"stick and slip",
       R"(model M parameter Real k = 1, mu = 0.5, vb = 0.3; Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation der(x) = v; der(v) = -k*x + (if vb - v > 0 then mu else -mu)/(1 + abs(vb - v)); end M;)",
       {"k", "mu", "vb"},
       8.0},
      {"relay feedback",
       R"(model M parameter Real k = 1, d = 0.5; Real x(start = 1, fixed = true), y(start = 0.5, fixed = true);
equation der(x) = y - (if x + d*y > 0 then k else -k); der(y) = -y - (if x + d*y > 0 then k else -k); end M;)",
       {"k", "d", "x", "y"},
       1.5},
      {"sliding and its end",
       R"(model M parameter Real a = 1.2, b = 0.7; Real x(start = 0.5, fixed = true), y(start = 0, fixed = true);
equation der(y) = 1; der(x) = if x > 0 then -a + b*y else a + b*y; end M;)",
       {"a", "b", "x", "y"},
       3.0},
      {"modes with own states",
       R"(model M parameter Real c = 0.8, k = 2, a = 1; Real x(start = 0, fixed = true);
initial mode up equation der(x) = a; transition to osc when x > c then v = k*x; end transition; end up;
mode osc Real v(start = 0); equation der(x) = v; der(v) = -k^2*x; end osc;
end M;)",
       {"c", "k", "a"},
       2.0},
      {"transition that keeps values",
       R"(model M parameter Real c = 0.5, d = 2; Real x(start = 0, fixed = true), y(start = 1, fixed = true);
initial mode a equation der(x) = y; der(y) = -0.1*y; transition to b when x > c; end a;
mode b equation der(x) = -d*x + y; der(y) = x; end b;
end M;)",
       {"c", "d", "y"},
       1.5},
      {"structure by if",
       R"(model M parameter Real c = 0.5, r = 2; Real x(start = 0, fixed = true), y(start = 0, fixed = true), i;
equation der(x) = 1 - i; der(y) = i - 0.2*y; if x > c then i = r*(x - c) + 0.3; else i = 0; end if; end M;)",
       {"c", "r", "x"},
       2.0},
      {"index changes",
       R"(model M parameter Real c = 1, k = 1.5; Real x(start = 0, fixed = true), v(start = 0, fixed = true), f;
initial mode free equation der(x) = v; der(v) = k; f = 0; transition to bound when x > c; end free;
mode bound equation der(x) = v; der(v) = k + f; v = 0.2*x; end bound;
end M;)",
       {"c", "k"},
       2.5},
      {"pendulum with a wall",
       R"(model M parameter Real l = 1, g = 9.81, e = 0.6; Real x(start = l*sin(0.8)), y(start = -l*cos(0.8)), u(start = 0), v, f;
initial equation x = l*sin(0.8); u = 0;
equation der(x) = u; der(y) = v; der(u) = -f*x; der(v) = -f*y - g; x^2 + y^2 = l^2;
when x < 0 then reinit(u, -e*pre(u)); end when; end M;)",
       {"l", "g", "e"},
       0.9},
      {"two sliding surfaces",
       R"(model M parameter Real a = 1, b = 1.5; Real x(start = 0.4, fixed = true), y(start = 0.7, fixed = true), z(start = 0, fixed = true);
equation der(x) = (if x > 0 then -a else a) + 0.2*y; der(y) = (if y > 0 then -b else b) + 0.1*sin(time); der(z) = x + (if y > 0 then 1 else -1); end M;)",
       {"a", "b", "x", "y"},
       1.5},
      {"circuit of two diodes",
       R"(model M parameter Real r1 = 2, r2 = 2, r3 = 10, l1 = 0.04, l2 = 0.04, l3 = 0.2, V = 100, f = 50;
Real i1(start = 0, fixed = true), i2(start = 0, fixed = true), u, s1(start = 1), s2(start = -1), w;
equation u = V*cos(2*Modelica.Constants.pi*f*time); w = r3*(i1 + i2) + l3*(der(i1) + der(i2));
l1*der(i1) + r1*i1 = u - w - (if s1 > 0 then 0 else s1); l2*der(i2) + r2*i2 = -u - w - (if s2 > 0 then 0 else s2);
i1 = if s1 > 0 then s1 else 0; i2 = if s2 > 0 then s2 else 0; end M;)",
       {"r1", "r2", "r3", "l1", "l2", "l3", "V", "f"},
       0.05},
      {"diode by complementarity",
       R"(model M parameter Real r = 2, w = 3; Real i(start = 0, fixed = true), u, v; Boolean off(start = false);
equation off = v < 0; u = sin(w*time); if v > 0 then der(i) = v; else der(i) = 0.1*v; end if; v = u - r*i; end M;)",
       {"r", "w"},
       2.0},
  };
  return problems;
}

}  // namespace saltus::test
