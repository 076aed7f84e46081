#include "functional_problems.hpp"

namespace saltus::test {
namespace {

constexpr const char* kOscillator = R"(
model Oscillator
  parameter Real k = 4; parameter Real c = 0.3; parameter Real m = 2*c + 1;
  Real x(start = 1, fixed = true); Real v(start = 0.5, fixed = true); Real u;
  Real a[2];
equation
  der(x) = v; m*der(v) = -k*x - c*v + u; u = sin(k*time) - x^3; a = {x*v, c*time};
end Oscillator;)";

constexpr const char* kImplicit = R"(
model Implicit
  parameter Real a = 1.2;
  Real x(start = 0.4, fixed = true); Real z(start = 0.5);
equation
  der(x) = -a*z; z + a*exp(z) = 2 + x;
end Implicit;)";

// Index 3.
constexpr const char* kPendulum = R"(
model Pendulum
  parameter Real g = 9.81; parameter Real l = 1.3;
  Real x(start = l*sin(0.7), fixed = true); Real y(start = -l*cos(0.7)); Real u(start = 0.2, fixed = true); Real w; Real f;
equation
  der(x) = u; der(y) = w; der(u) = -f*x; der(w) = -f*y - g; x^2 + y^2 = l^2;
end Pendulum;)";

constexpr const char* kBall = R"(
model Ball
  parameter Real g = 9.81; parameter Real e = 0.8; parameter Real drag = 0.1;
  Real h(start = 1.5, fixed = true); Real v(start = 0.3, fixed = true); Real s(start = 0, fixed = true);
  Real energy; discrete Real best(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -g - drag*v; der(s) = 1 + h; energy = g*h + v^2/2;
  when h <= 0 then
    reinit(v, -e*pre(v));
    best = pre(best) + pre(v)^2;
  end when;
end Ball;)";

constexpr const char* kFriction = R"(
model Friction
  parameter Real F = 0.8; parameter Real A = 1.5; parameter Real w = 2;
  Real x(start = 0, fixed = true); Real v(start = 0.6, fixed = true); Real r;
equation
  der(x) = v; r = if v > 0 then F elseif v < 0 then -F else 0; der(v) = A*sin(w*time) - x - r;
end Friction;)";

// Slides on x = 0 from a time on that depends on k.
constexpr const char* kSliding = R"(
model Sliding
  parameter Real k = 1.5; parameter Real q = 0.4;
  Real x(start = 1, fixed = true); Real y(start = 0, fixed = true);
equation
  der(x) = (if x > 0 then -k else k) + q*sin(time);
  der(y) = x + (if x > 0 then 1 else -2)*k;
end Sliding;)";

constexpr const char* kEnding = R"(
model Ending
  parameter Real g = 9.81; parameter Real c = 0.2;
  Real h(start = 2, fixed = true); Real v(start = 1, fixed = true); Real d(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -g - c*v; der(d) = 3 - c*d;
  when h < 0 then
    terminate("down");
  end when;
end Ending;)";

constexpr const char* kTank = R"(
model Tank
  parameter Real q = 1.1; parameter Real r = 0.7; parameter Real high = 1.4;
  Real level(start = 0.2, fixed = true);
  initial mode filling
    equation der(level) = q - r*level;
    transition to draining when level > high;
  end filling;
  mode draining
    equation der(level) = -r*level;
    transition to filling when level < 0.5*high then reinit(level, pre(level) + 0.1*q); end transition;
  end draining;
end Tank;)";

constexpr const char* kSampled = R"(
model Sampled
  parameter Real gain = 0.7; parameter Real T = 0.3;
  Real x(start = 1, fixed = true); discrete Real u(start = 0, fixed = true);
equation
  der(x) = -0.5*x + u;
  when sample(T, T) then
    u = -gain*x + 0.2*pre(u);
  end when;
end Sampled;)";

}  // namespace

const std::vector<FunctionalProblem>& functional_problems() {
  static const std::vector<FunctionalProblem> problems{
      {"final", kOscillator, "final(x^2 + a[2]*v)", {"k", "c", "x", "v"}, 2.0},
      {"integral", kOscillator, "integral(u^2) - 2*integral(x*v)", {"k", "c", "x"}, 2.0},
      {"mixed",
       kOscillator,
       "k*sqrt(integral(u^2))*exp(-final(x)) + max(final(v), m) / (1 + final(der(v))^2) - abs(final(x*time))",
       {"k", "c", "v"},
       2.0},
      {"implicit", kImplicit, "final(z)*integral(x*z)", {"a", "x"}, 1.0},
      {"index 3", kPendulum, "final(f) + integral(y^2)", {"g", "l", "u"}, 1.0},
      {"ball after", kBall, "at_event(2, v) + at_event(2, s*energy)", {"g", "e", "drag", "h", "v"}, 2.2},
      {"ball before",
       kBall,
       "before_event(2, v)*before_event(1, energy + best)",
       {"g", "e", "drag", "h", "v"},
       2.2},
      {"ball times", kBall, "event_time(2) - event_time(1)^2", {"g", "e", "drag", "h", "v"}, 2.2},
      {"ball all",
       kBall,
       "final(h) + integral(energy) + at_event(1, best + der(v)) * before_event(2, time*s) + g*event_time(2)",
       {"g", "e", "drag", "h"},
       2.2},
      {"friction", kFriction, "final(x) + integral(r*v) + at_event(1, x*der(v))", {"F", "A", "w", "v"}, 3.0},
      {"sliding",
       kSliding,
       "final(y) + integral(x) + at_event(1, y)*event_time(1) + before_event(1, y)",
       {"k", "q", "x"},
       1.5},
      {"ending",
       kEnding,
       "final(d) + final(time) + integral(v^2) + before_event(1, d*v)",
       {"g", "c", "h", "v"},
       5.0},
      {"modes",
       kTank,
       "final(level) + at_event(2, level)*event_time(3) + integral(level^2)",
       {"q", "r", "high", "level"},
       6.6},
      {"sampled",
       kSampled,
       "final(x)^2 + at_event(2, u + x) + before_event(3, u*x) + event_time(2)",
       {"gain", "T", "x"},
       1.1},
  };
  return problems;
}

}  // namespace saltus::test
