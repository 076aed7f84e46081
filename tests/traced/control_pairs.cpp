// Relays, saturations, tables, logic.
#include <algorithm>
#include <array>
#include <cmath>

#include "traced/model_pair.hpp"

namespace saltus::traced_test {
namespace {

// A characteristic by comparisons, as it is found in many programs.
Real line_by_line(const Real& x) {
  const std::array<double, 5> at{-2, -0.5, 0.25, 0.75, 2};
  const std::array<double, 5> to{-1, -0.2, 0, 0.6, 1};
  if (x < at.front()) {
    return to.front();
  }
  for (std::size_t i = 1; i < at.size(); ++i) {
    if (x < at[i]) {
      return to[i - 1] + (to[i] - to[i - 1]) / (at[i] - at[i - 1]) * (x - at[i - 1]);
    }
  }
  return to.back();
}

}  // namespace

std::vector<ModelPair> control_pairs() {
  std::vector<ModelPair> list;
  list.push_back({.name = "Relay",
                  .text = R"(Real x(start = 0.5, fixed = true), v(start = 0, fixed = true);
equation der(x) = v; der(v) = if x > 0 then -1 else 1;)",
                  .states = {{"x", 0.5}, {"v", 0}},
                  .function = [](const State& s, std::span<Real> r) {
                    r[0] = s.der("x") - s("v");
                    r[1] = s.der("v") - (s("x") > 0 ? Real(-1) : Real(1));
                  }});
  list.push_back({.name = "SlidingRelay",
                  .text = R"(Real x(start = 1, fixed = true), y(start = 0.5, fixed = true);
equation der(x) = y - 2*(if x + y >= 0 then 1 else -1); der(y) = -x + 0.3*sin(time) - (if x + y >= 0 then 1 else -1);)",
                  .states = {{"x", 1}, {"y", 0.5}},
                  .function =
                      [](const State& s, std::span<Real> r) {
                        const double u = s("x") + s("y") >= 0 ? 1 : -1;
                        r[0] = s.der("x") - (s("y") - 2 * u);
                        r[1] = s.der("y") - (-s("x") + 0.3 * sin(s.time()) - u);
                      },
                  .has_other_program = true});
  list.push_back({.name = "TwoRelays",
                  .text = R"(Real x(start = 1, fixed = true), y(start = -0.7, fixed = true);
equation der(x) = 0.3*sin(2*time) - (if x > 0 then 1 else -1); der(y) = 0.2*x - (if y > 0 then 0.5 else -0.5);)",
                  .states = {{"x", 1}, {"y", -0.7}},
                  .stop = 5,
                  .function = [](const State& s, std::span<Real> r) {
                    const Real a = s("x") > 0 ? 1 : -1;
                    const Real b = s("y") > 0 ? 0.5 : -0.5;
                    r[0] = s.der("x") - (0.3 * sin(2 * s.time()) - a);
                    r[1] = s.der("y") - (0.2 * s("x") - b);
                  }});
  list.push_back({.name = "Saturation",
                  .text = R"(Real x(start = 2, fixed = true), y(start = 0, fixed = true);
equation der(x) = -(if y > 1 then 1 elseif y < -1 then -1 else y); der(y) = 3*x - y;)",
                  .states = {{"x", 2}, {"y", 0}},
                  .function = [](const State& s, std::span<Real> r) {
                    Real u = s("y");
                    if (u > 1) {
                      u = 1;
                    } else if (u < -1) {
                      u = -1;
                    }
                    r[0] = s.der("x") - -u;
                    r[1] = s.der("y") - (3 * s("x") - s("y"));
                  }});
  list.push_back({.name = "Clamped",
                  .text = R"(Real x(start = 2, fixed = true), y(start = 0, fixed = true);
equation der(x) = -min(max(y, -1), 1); der(y) = 3*x - y;)",
                  .states = {{"x", 2}, {"y", 0}},
                  .function = [](const State& s, std::span<Real> r) {
                    using std::max;
                    using std::min;
                    r[0] = s.der("x") - -min(max(s("y"), -1.0), 1.0);
                    r[1] = s.der("y") - (3 * s("x") - s("y"));
                  }});
  list.push_back({.name = "DeadZone",
                  .text = R"(Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation der(x) = y; der(y) = -2*(if x > 0.3 then x - 0.3 else if x < -0.3 then x + 0.3 else 0) - 0.1*y;)",
                  .states = {{"x", 1}, {"y", 0}},
                  .function =
                      [](const State& s, std::span<Real> r) {
                        const Real x = s("x");
                        const Real zone = x > 0.3 ? x - 0.3 : x < -0.3 ? x + 0.3 : Real(0);
                        r[0] = s.der("x") - s("y");
                        r[1] = s.der("y") - (-2 * zone - 0.1 * s("y"));
                      },
                  .has_other_program = true});
  list.push_back({.name = "MinMaxAbs",
                  .text = R"(Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation der(x) = y - 0.1*max(min(x, y), abs(x) - 1); der(y) = -x - 0.1*min(abs(y), max(x, 0.5));)",
                  .states = {{"x", 1}, {"y", 0}},
                  .function = [](const State& s, std::span<Real> r) {
                    const Real x = s("x"), y = s("y");
                    r[0] = s.der("x") - (y - 0.1 * max(min(x, y), fabs(x) - 1));
                    r[1] = s.der("y") - (-x - 0.1 * fmin(abs(y), fmax(x, 0.5)));
                  }});
  list.push_back({.name = "NestedIfs",
                  .text = R"(Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation der(x) = y; der(y) = if x > 0 then (if y > 0 then -1 else (if x > 0.5 then -2 else -1.5)) else (if y > 0.2 then 1 else 2);)",
                  .states = {{"x", 1}, {"y", 0}},
                  .function = [](const State& s, std::span<Real> r) {
                    Real force = 0;
                    if (s("x") > 0) {
                      if (s("y") > 0) {
                        force = -1;
                      } else {
                        force = s("x") > 0.5 ? -2.0 : -1.5;
                      }
                    } else {
                      force = s("y") > 0.2 ? 1 : 2;
                    }
                    r[0] = s.der("x") - s("y");
                    r[1] = s.der("y") - force;
                  }});
  list.push_back({.name = "AndOr",
                  .text = R"(Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation der(x) = y; der(y) = -x + (if x > 0.2 and y > 0.1 then 0.5 else 0) - (if x < -0.2 or y < -0.3 then 0.4 else 0);)",
                  .states = {{"x", 1}, {"y", 0}},
                  .function = [](const State& s, std::span<Real> r) {
                    const Real x = s("x"), y = s("y");
                    const double a = x > 0.2 && y > 0.1 ? 0.5 : 0;
                    const double b = x < -0.2 || y < -0.3 ? 0.4 : 0;
                    r[0] = s.der("x") - y;
                    r[1] = s.der("y") - (-x + a - b);
                  }});
  list.push_back({.name = "Table",
                  .text = R"(Real x(start = 1.5, fixed = true), y(start = 0, fixed = true);
equation der(x) = y; der(y) = -0.1*y - (if x < -2 then -1 elseif x < -0.5 then -1 + 0.8/1.5*(x + 2) elseif x < 0.25 then -0.2 + 0.2/0.75*(x + 0.5) elseif x < 0.75 then 0.6/0.5*(x - 0.25) elseif x < 2 then 0.6 + 0.4/1.25*(x - 0.75) else 1);)",
                  .states = {{"x", 1.5}, {"y", 0}},
                  .function =
                      [](const State& s, std::span<Real> r) {
                        r[0] = s.der("x") - s("y");
                        r[1] = s.der("y") - (-0.1 * s("y") - line_by_line(s("x")));
                      },
                  .has_other_program = true});
  list.push_back({.name = "ScheduledSteps",
                  .text = R"(Real x(start = 0, fixed = true);
equation der(x) = (if time >= 1 and time < 2 then 3 else 0) + (if time > 4 then -1 else 0) - x;)",
                  .states = {{"x", 0}},
                  .stop = 6,
                  .function =
                      [](const State& s, std::span<Real> r) {
                        const Real t = s.time();
                        Real u = 0;
                        if (t >= 1 && t < 2) {
                          u += 3;
                        }
                        if (t > 4) {
                          u -= 1;
                        }
                        r[0] = s.der("x") - (u - s("x"));
                      },
                  .has_other_program = true});
  list.push_back({.name = "ParameterSwitch",
                  .text = R"(parameter Real mode = 1; Real x(start = 1, fixed = true);
equation der(x) = if mode > 0 then -x else 1 - x;)",
                  .states = {{"x", 1}},
                  .parameters = {{"mode", 1}},
                  .stop = 2,
                  .function = [](const State& s, std::span<Real> r) {
                    Real f = 1 - s("x");
                    if (s.parameter("mode") > 0) {
                      f = -s("x");
                    }
                    r[0] = s.der("x") - f;
                  }});
  list.push_back({.name = "Protected",
                  .text = R"(Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation der(x) = y; der(y) = -x - (if x > 0 then (if x > 0.25 then 0.2 else 0.1) else 0);)",
                  .states = {{"x", 1}, {"y", 0}},
                  .function =
                      [](const State& s, std::span<Real> r) {
                        Real extra = 0;
                        if (s("x") > 0) {
                          extra = sqrt(s("x")) > 0.5 ? 0.2 : 0.1;  // has no value elsewhere
                        }
                        r[0] = s.der("x") - s("y");
                        r[1] = s.der("y") - (-s("x") - extra);
                      },
                  .has_other_program = true,
                  .has_other_guard = true});
  list.push_back({.name = "Tanks",
                  .text = R"(Real h[3](start = {1, 0.4, 0.1}, each fixed = true);
equation der(h[1]) = (if h[1] < 0.8 then 0.3 else 0) - 0.2*(if h[1] > h[2] then sqrt(abs(h[1] - h[2])) else -sqrt(abs(h[1] - h[2])));
der(h[2]) = 0.2*(if h[1] > h[2] then sqrt(abs(h[1] - h[2])) else -sqrt(abs(h[1] - h[2]))) - 0.1*h[2]; der(h[3]) = 0.1*h[2] - (if h[3] > 0.5 then 0.2 else 0);)",
                  .states = {{"h1", 1}, {"h2", 0.4}, {"h3", 0.1}},
                  .stop = 8,
                  .function = [](const State& s, std::span<Real> r) {
                    const Real d = s[0] - s[1];
                    const Real root = sqrt(abs(d));
                    const Real flow = 0.2 * (s[0] > s[1] ? root : -root);
                    Real pump = 0;
                    if (s[0] < 0.8) {
                      pump = 0.3;
                    }
                    r[0] = s.der(0) - (pump - flow);
                    r[1] = s.der(1) - (flow - 0.1 * s[1]);
                    r[2] = s.der(2) - (0.1 * s[1] - (s[2] > 0.5 ? 0.2 : 0.0));
                  }});
  list.back().text =
      R"(Real h1(start = 1, fixed = true), h2(start = 0.4, fixed = true), h3(start = 0.1, fixed = true);
equation der(h1) = (if h1 < 0.8 then 0.3 else 0) - 0.2*(if h1 > h2 then sqrt(abs(h1 - h2)) else -sqrt(abs(h1 - h2)));
der(h2) = 0.2*(if h1 > h2 then sqrt(abs(h1 - h2)) else -sqrt(abs(h1 - h2))) - 0.1*h2; der(h3) = 0.1*h2 - (if h3 > 0.5 then 0.2 else 0);)";
  return list;
}

std::vector<ModelPair> all_pairs() {
  std::vector<ModelPair> all;
  for (const auto& part : {mechanical_pairs(), circuit_pairs(), control_pairs()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace saltus::traced_test
