#include "problems.hpp"

namespace saltus::test {

const std::vector<SensitivityProblem>& switching_problems() {
  static const std::vector<SensitivityProblem> problems = {
      {"threshold",
       R"(model M parameter Real p = 2.9; Real x(start = 0, fixed = true);
equation der(x) = if x^3 - 5*x^2 + 7*x <= p then 4 - x else 10 - 2*x; end M;)",
       {"p", "x"},
       3.0},
      {"one switch",
       R"(model M parameter Real c = 0.5, a = 1, b = 3; Real x(start = 0, fixed = true);
equation der(x) = if x < c then a else b; end M;)",
       {"c", "a", "b", "x"},
       1.0},
      {"scheduled switch",
       R"(model M parameter Real T = 0.4, a = 1, b = -2; Real x(start = 0, fixed = true);
equation der(x) = if time < T then a else b*x; end M;)",
       {"T", "a", "b"},
       1.0},
      {"bouncing ball",
       R"(model M parameter Real e = 0.8, g = 9.81; Real h(start = 1, fixed = true), v(start = 0.5, fixed = true);
equation der(h) = v; der(v) = -g;
when h < 0 then reinit(v, -e*pre(v)); end when; end M;)",
       {"e", "g", "h", "v"},
       2.0},
      {"bouncing in a drag",
       R"(model M parameter Real e = 0.7, g = 9.81, k = 0.3; Real h(start = 2, fixed = true), v(start = 0, fixed = true);
equation der(h) = v; der(v) = -g - k*v*abs(v);
when h < 0 then reinit(v, -e*pre(v)*(1 - 0.01*time)); end when; end M;)",
       {"e", "g", "k", "h"},
       2.0},
      {"several reinits",
       R"(model M parameter Real q = 0.3, c = 1; Real x(start = 0, fixed = true), y(start = 1, fixed = true);
equation der(x) = 1 + 0.1*y; der(y) = -q*y + x;
when x > c then reinit(x, q*y); reinit(y, y + c*x); end when; end M;)",
       {"q", "c", "x", "y"},
       2.0},
      {"a reset to what a variable of time was",
       R"(model M parameter Real p = 0.5, q = 0.3; Real x(start = 0, fixed = true), y(start = 1, fixed = true), z;
discrete Real d(start = 0, fixed = true);
equation der(x) = 1 + 0.1*y; der(y) = -q*y; z = q*time^2 + x;
when x > p then reinit(y, pre(z)); d = pre(z) + 2*time; end when; end M;)",
       {"p", "q", "x", "y"},
       1.0},
      {"sample and hold",
       R"(model M parameter Real k = 1.5, r = 1; Real x(start = 0, fixed = true); discrete Real u(start = 0);
equation der(x) = -x + u;
when sample(0.1, 0.25) then u = k*(r - x); end when; end M;)",
       {"k", "r", "x"},
       2.0},
      {"sampling interval",
       R"(model M parameter Real T = 0.3, s = 0.1; Real x(start = 1, fixed = true); discrete Real u(start = 0);
equation der(x) = -x + u;
when sample(s, T) then u = 0.5*x + 0.1*pre(u); end when; end M;)",
       {"T", "s", "x"},
       2.0},
      {"timer",
       R"(model M parameter Real c = 0.6, T = 0.35; Real x(start = 0, fixed = true); discrete Real t0(start = 1e9); discrete Real on(start = 0);
equation der(x) = 1 - 0.5*x + on;
when x > c then t0 = time; end when;
when time > t0 + T then on = 2*x; end when; end M;)",
       {"c", "T", "x"},
       2.0},
      {"thermostat with hysteresis",
       R"(model M parameter Real hot = 22, cold = 20, p = 8; Real x(start = 15, fixed = true); discrete Boolean on(start = true, fixed = true);
equation der(x) = -0.3*(x - 5) + (if on then p else 0);
when {x > hot, x < cold} then on = x < cold; end when; end M;)",
       {"hot", "cold", "p", "x"},
       4.0},
      {"guard over an algebraic variable",
       R"(model M parameter Real b = 0.7, c = 0.8; Real x(start = 0, fixed = true), y(start = 0.1), n(start = 0, fixed = true);
equation y^3 + b*y = x; der(x) = if y > c then 0.5 else 1; der(n) = y; end M;)",
       {"b", "c", "x"},
       3.0},
      {"guard over a rate",
       R"(model M parameter Real w = 2, c = 0.3; Real x(start = 1, fixed = true), v(start = 0, fixed = true), y(start = 0, fixed = true);
equation der(x) = v; der(v) = -w^2*x; der(y) = if der(v) > c then x else -y; end M;)",
       {"w", "c", "x"},
       2.0},
      {"moving threshold",
       R"(model M parameter Real a = 0.4, w = 5; Real x(start = 0, fixed = true), y(start = 0, fixed = true);
equation der(x) = 1; der(y) = if x > a + 0.1*sin(w*time) then 2*y + 1 else -y; end M;)",
       {"a", "w", "x"},
       1.2},
      {"clause that sets a discrete Real",
       R"(model M parameter Real c = 0.5, k = 2; Real x(start = 0, fixed = true); discrete Real d(start = 1);
equation der(x) = d + 0.2*x;
when x > c then d = k*x*time; elsewhen x > 3*c then d = pre(d) - k; end when; end M;)",
       {"c", "k", "x"},
       2.0},
      {"implicit jump",
       R"(model M parameter Real a = 0.5, c = 1; Real x(start = 0, fixed = true), y(start = 2, fixed = true);
equation der(x) = 1; der(y) = -0.5*y;
when x > c then reinit(x, -a*y); reinit(y, y^2 + a*x); end when; end M;)",
       {"a", "c", "y"},
       2.0},
      {"two switches one after the other",
       R"(model M parameter Real c = 0.4, d = 0.6; Real x(start = 0, fixed = true), y(start = 1, fixed = true);
equation der(x) = if y < 0.7 then 2 else 1; der(y) = if x > c then -d*y else -0.1; end M;)",
       {"c", "d", "x", "y"},
       2.0},
      {"switching oscillator",
       R"(model M parameter Real a = 1, d = 0.3; Real x(start = 1, fixed = true), v(start = 0.2, fixed = true);
equation der(x) = v; der(v) = -x + (if v > 0 then -d else d)*a*x^2 - (if x > 0 then a else 0); end M;)",
       {"a", "d", "x", "v"},
       5.0},
      {"floor",
       R"(model M parameter Real a = 2.3; Real x(start = 0.1, fixed = true), y(start = 0, fixed = true);
equation der(x) = a*cos(time); der(y) = floor(3*x); end M;)",
       {"a", "x"},
       1.4},
      {"table",
       R"(model M parameter Real a = 1.7; parameter Real t[4,2] = [0, 0; 1, 2; 2, 1; 3, 4]; Real x(start = 0, fixed = true);
equation der(x) = interpolate(t, a*time); end M;)",
       {"a"},
       1.5},
      {"ends at an event",
       R"(model M parameter Real g = 9.81, v0 = 5, a = 0.9; Real x(start = 0, fixed = true), y(start = 1, fixed = true), vy(start = v0*sin(a), fixed = true);
equation der(x) = v0*cos(a); der(y) = vy; der(vy) = -g;
when y < 0 then terminate("landed"); end when; end M;)",
       {"g", "v0", "a", "y"},
       10.0},
      {"two events at one time that move together",
       R"(model M parameter Real c = 0.5; Real x(start = 0, fixed = true), y(start = 0, fixed = true);
equation der(x) = 1; der(y) = (if x > c then 2 else 1) + (if x^3 > c^3 then 0.5 else 0)*y; end M;)",
       {"c", "x"},
       1.0},
      {"two switches that commute",
       R"(model M parameter Real a = 0.5, b = 0.5; Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true), w(start = 0, fixed = true);
equation der(x) = 1; der(y) = 1; der(z) = if x > a then 2 else 1; der(w) = if y > b then -1 else 1; end M;)",
       {"a", "b"},
       1.0},
      {"backwards through a switch",
       R"(model M parameter Real c = 0.4, a = 2; Real x(start = 1, fixed = true);
equation der(x) = if x > c then a else 0.5; end M;)",
       {"c", "a", "x"},
       -1.0,
       1.0},
      {"start on the surface",
       R"(model M parameter Real a = 1; Real x(start = 0, fixed = true), y(start = 0, fixed = true);
equation der(x) = a; der(y) = if x > 0 then x else -5; end M;)",
       {"a"},
       1.0},
  };
  return problems;
}

}  // namespace saltus::test
