// Bodies, friction, stops, pendulums.
#include <array>
#include <cmath>

#include "traced/model_pair.hpp"

namespace saltus::traced_test {
namespace {

// A helper as a modeller writes it.
Real coulomb(const Real& v, double level) {
  return v > 0 ? level : v < 0 ? -level : 0.0;
}

template <class T>
T hardening(const T& x) {
  using std::abs;
  return x * (1.0 + 0.5 * abs(x));
}

}  // namespace

std::vector<ModelPair> mechanical_pairs() {
  std::vector<ModelPair> list;
  list.push_back(
      {.name = "Oscillator",
       .text = R"(Real x(start = 1, fixed = true), v(start = 0, fixed = true); parameter Real k = 4;
equation der(x) = v; der(v) = -k*x;)",
       .states = {{"x", 1}, {"v", 0}},
       .parameters = {{"k", 4}},
       .function = [](const State& s, std::span<Real> r) {
         r[0] = s.der("x") - s("v");
         r[1] = s.der("v") - -s.parameter("k") * s("x");
       }});
  list.push_back({.name = "FrictionOscillator",
                  .text = R"(Real x(start = 0, fixed = true), v(start = 0.3, fixed = true);
equation der(x) = v; der(v) = sin(time) - 0.2*x - 0.3*(if v > 0 then 1 else if v < 0 then -1 else 0);)",
                  .states = {{"x", 0}, {"v", 0.3}},
                  .function =
                      [](const State& s, std::span<Real> r) {
                        using std::sin;
                        const Real x = s[0];
                        const Real v = s[1];
                        const double f = v > 0 ? 1 : v < 0 ? -1 : 0;
                        r[0] = s.der(0) - v;
                        r[1] = s.der(1) - (sin(s.time()) - 0.2 * x - 0.3 * f);
                      },
                  .has_other_program = true});
  list.push_back({
      .name = "CoulombHelper",
      .text = R"(Real x(start = 0, fixed = true), v(start = 2, fixed = true);
equation der(x) = v; der(v) = -x - (if v > 0 then 0.4 else if v < 0 then -0.4 else 0);)",
      .states = {{"x", 0}, {"v", 2}},
      .function =
          [](const State& s, std::span<Real> r) {
            r[0] = s.der("x") - s("v");
            r[1] = s.der("v") - (-s("x") - coulomb(s("v"), 0.4));
          },
  });
  list.push_back(
      {.name = "StickSlip",
       .text =
           R"(Real p1(start = 1, fixed = true), p2(start = 1, fixed = true), v1(start = 0, fixed = true), v2(start = 0, fixed = true);
parameter Real mu = 0.4;
equation der(p1) = v1; der(p2) = v2; der(v1) = sin(time) - mu*sign(v1 - v2); der(v2) = mu*sign(v1 - v2);)",
       .states = {{"p1", 1}, {"p2", 1}, {"v1", 0}, {"v2", 0}},
       .parameters = {{"mu", 0.4}},
       .function = [](const State& s, std::span<Real> r) {
         const Real friction = s.parameter("mu") * sign(s("v1") - s("v2"));
         r[0] = s.der("p1") - s("v1");
         r[1] = s.der("p2") - s("v2");
         r[2] = s.der("v1") - (sin(s.time()) - friction);
         r[3] = s.der("v2") - friction;
       }});
  list.push_back({.name = "Belt",
                  .text = R"(parameter Real k = 3, Fs = 1, gamma = 3, speed = 0.2;
Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation der(x) = v; der(v) = -k*x - (if v - speed > 0 then 1 else -1)*Fs/(1 + gamma*abs(v - speed));)",
                  .states = {{"x", 0}, {"v", 0}},
                  .parameters = {{"k", 3}, {"Fs", 1}, {"gamma", 3}, {"speed", 0.2}},
                  .stop = 15,
                  .function = [](const State& s, std::span<Real> r) {
                    const Real relative = s("v") - s.parameter("speed");
                    Real direction = -1;
                    if (relative > 0) {
                      direction = 1;
                    }
                    r[0] = s.der("x") - s("v");
                    r[1] = s.der("v") -
                           (-s.parameter("k") * s("x") -
                            direction * s.parameter("Fs") / (1 + s.parameter("gamma") * abs(relative)));
                  }});
  list.push_back({.name = "EndStop",
                  .text = R"(Real x(start = 0, fixed = true), v(start = 2, fixed = true);
equation der(x) = v; der(v) = -x - (if x > 0.5 then 200*(x - 0.5) else 0);)",
                  .states = {{"x", 0}, {"v", 2}},
                  .function = [](const State& s, std::span<Real> r) {
                    Real push = 0;
                    if (s("x") > 0.5) {
                      push = 200 * (s("x") - 0.5);
                    }
                    r[0] = s.der("x") - s("v");
                    r[1] = s.der("v") - (-s("x") - push);
                  }});
  list.push_back({.name = "Backlash",
                  .text = R"(Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation der(x) = v; der(v) = -9*(if x > 0.1 then x - 0.1 elseif x < -0.1 then x + 0.1 else 0) - 0.05*v;)",
                  .states = {{"x", 1}, {"v", 0}},
                  .function =
                      [](const State& s, std::span<Real> r) {
                        const Real x = s("x");
                        Real d = 0;
                        if (x > 0.1) {
                          d = x - 0.1;
                        } else if (x < -0.1) {
                          d = x + 0.1;
                        }
                        r[0] = s.der("x") - s("v");
                        r[1] = s.der("v") - (-9 * d - 0.05 * s("v"));
                      },
                  .has_other_program = true});
  list.push_back(
      {.name = "Ball",
       .text = R"(parameter Real e = 0.8; Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation der(h) = v; der(v) = -9.81 - (if v > 0 then 0.1 else -0.1)*v^2;
when h <= 0 and v < 0 then reinit(v, -e*pre(v)); end when;)",
       .states = {{"h", 1}, {"v", 0}},
       .parameters = {{"e", 0.8}},
       .stop = 1.5,
       .function =
           [](const State& s, std::span<Real> r) {
             const Real v = s("v");
             const double drag = v > 0 ? 0.1 : -0.1;
             r[0] = s.der("h") - v;
             r[1] = s.der("v") - (-9.81 - drag * pow(v, 2));
           },
       .more =
           [](TracedModel& m) {
             const Expression v = Expression::text("v");
             m.when(Expression::text("h") <= 0 && v < 0,
                    [&](Body& body) { body.reinit(v, -Expression::text("e") * pre(v)); });
           }});
  list.push_back(
      {.name = "CartesianPendulum",
       .text =
           R"(parameter Real L = 1, g = 9.81; Real x(start = 0), y(start = -1), vx(start = 7), vy(start = 0), lambda;
equation der(x) = vx; der(y) = vy; der(vx) = -lambda*x; der(vy) = -lambda*y - g; x^2 + y^2 = L^2;)",
       .parameters = {{"L", 1}, {"g", 9.81}},
       .stop = 3,
       .function =
           [](const State& s, std::span<Real> r) {
             r[0] = s.der("x") - s("vx");
             r[1] = s.der("y") - s("vy");
             r[2] = s.der("vx") - -s("lambda") * s("x");
             r[3] = s.der("vy") - (-s("lambda") * s("y") - s.parameter("g"));
             r[4] = pow(s("x"), 2) + pow(s("y"), 2) - pow(s.parameter("L"), 2);
           },
       .more =
           [](TracedModel& m) {
             m.algebraic("x", {.start = 0});
             m.algebraic("y", {.start = -1});
             m.algebraic("vx", {.start = 7});
             m.algebraic("vy", {.start = 0});
             m.algebraic("lambda");
           }});
  list.push_back({.name = "PendulumWithDrag",
                  .text = R"(Real x(start = 0), y(start = -1), vx(start = 3), vy(start = 0), lambda;
equation der(x) = vx; der(y) = vy; der(vx) = -lambda*x - (if x > 0 then 0.5 else 0)*vx; der(vy) = -lambda*y - 9.81 - (if x > 0 then 0.5 else 0)*vy; x^2 + y^2 = 1;)",
                  .stop = 3,
                  .function =
                      [](const State& s, std::span<Real> r) {
                        const Real drag = s("x") > 0 ? 0.5 : 0.0;
                        r[0] = s.der("x") - s("vx");
                        r[1] = s.der("y") - s("vy");
                        r[2] = s.der("vx") - (-s("lambda") * s("x") - drag * s("vx"));
                        r[3] = s.der("vy") - (-s("lambda") * s("y") - 9.81 - drag * s("vy"));
                        r[4] = pow(s("x"), 2) + pow(s("y"), 2) - 1;
                      },
                  .more =
                      [](TracedModel& m) {
                        m.algebraic("x", {.start = 0});
                        m.algebraic("y", {.start = -1});
                        m.algebraic("vx", {.start = 3});
                        m.algebraic("vy", {.start = 0});
                        m.algebraic("lambda");
                      }});
  list.push_back({.name = "HardeningSpring",
                  .text = R"(Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation der(x) = v; der(v) = -x*(1 + 0.5*abs(x)) - max(0, v - 0.5);)",
                  .states = {{"x", 1}, {"v", 0}},
                  .function = [](const State& s, std::span<Real> r) {
                    r[0] = s.der("x") - s("v");
                    r[1] = s.der("v") - (-hardening(s("x")) - max(0.0, s("v") - 0.5));
                  }});
  list.push_back(
      {.name = "Blocks",
       .text =
           R"(Real x[4](start = {0, 0.1, 0.2, 0.3}, each fixed = true), v[4](start = {1, -1, 0.5, -0.5}, each fixed = true);
equation for i in 1:4 loop der(x[i]) = v[i]; der(v[i]) = -x[i] - 0.2*(if v[i] > 0 then 1 else -1); end for;)",
       .stop = 6,
       .function =
           [](const State& s, std::span<Real> r) {
             const std::vector<Real> x = s.array("x");
             const std::vector<Real> v = s.array("v");
             const std::vector<Real> dx = s.der_array("x");
             const std::vector<Real> dv = s.der_array("v");
             for (std::size_t i = 0; i < x.size(); ++i) {
               double direction = 1;
               if (!(v[i] > 0)) {
                 direction = -1;
               }
               r[2 * i] = dx[i] - v[i];
               r[2 * i + 1] = dv[i] - (-x[i] - 0.2 * direction);
             }
           },
       .more =
           [](TracedModel& m) {
             m.reals("x", 4, {.start = 0.0, .fixed = true});
             m.reals("v", 4, {.start = 0.0, .fixed = true});
           },
       .has_other_program = true});
  // Starts of single elements: as the text has them.
  list.back().text =
      R"(Real x[4](each start = 0, each fixed = true), v[4](each start = 0, each fixed = true);
equation for i in 1:4 loop der(x[i]) = v[i]; der(v[i]) = sin(i*time) - x[i] - 0.2*(if v[i] > 0 then 1 else -1); end for;)";
  list.back().function = [](const State& s, std::span<Real> r) {
    const std::vector<Real> x = s.array("x");
    const std::vector<Real> v = s.array("v");
    const std::vector<Real> dx = s.der_array("x");
    const std::vector<Real> dv = s.der_array("v");
    for (std::size_t i = 0; i < x.size(); ++i) {
      double direction = 1;
      if (!(v[i] > 0)) {
        direction = -1;
      }
      r[2 * i] = dx[i] - v[i];
      r[2 * i + 1] = dv[i] - (sin((i + 1) * s.time()) - x[i] - 0.2 * direction);
    }
  };
  return list;
}

}  // namespace saltus::traced_test
