// Circuits with diodes and switches.
#include <cmath>

#include "traced/model_pair.hpp"

namespace saltus::traced_test {

std::vector<ModelPair> circuit_pairs() {
  std::vector<ModelPair> list;
  // Carver (1978): examples/carver.mo.
  list.push_back(
      {.name = "Carver",
       .text =
           R"(constant Real pi = Modelica.Constants.pi;
parameter Real a1 = 12, a2 = 0.24, a3 = 12, a4 = 0.24, a5 = 150/11, a6 = -125/11, a7 = -50, a8 = 0, r3 = 10, l3 = 0.2;
Real x1(start = 0, fixed = true), x2(start = 0, fixed = true), x3, v1, v2, v3, z3, z4;
equation
x3 = x1 + x2; v3 = r3*(x1 + x2) + l3*(der(x1) + der(x2)); v1 = 100*cos(100*pi*time); v2 = -v1; z3 = v1 - v3; z4 = v2 - v3;
if (x1 > 0 or v1 > v3) and (x2 <= 0 and v2 < v3) then der(x1) = (v1 - a1*x1)/a2; der(x2) = 0;
elseif (x2 > 0 or v2 > v3) and (x1 <= 0 and v1 < v3) then der(x1) = 0; der(x2) = (v2 - a3*x2)/a4;
else der(x1) = a5*v1 + a6*v2 + a7*x1 + a8*x2; der(x2) = a6*v1 + a5*v2 + a8*x1 + a7*x2; end if;)",
       .states = {{"x1", 0}, {"x2", 0}},
       .parameters = {{"r3", 10}, {"l3", 0.2}},
       .algebraic = {"x3", "v1", "v2", "v3", "z3", "z4"},
       .stop = 0.05,
       .function =
           [](const State& s, std::span<Real> r) {
             const double a1 = 12, a2 = 0.24, a3 = 12, a4 = 0.24, a5 = 150.0 / 11, a6 = -125.0 / 11, a7 = -50;
             const double pi = std::acos(-1.0);
             const Real x1 = s("x1"), x2 = s("x2"), v1 = s("v1"), v2 = s("v2"), v3 = s("v3");
             Real d1 = a5 * v1 + a6 * v2 + a7 * x1;
             Real d2 = a6 * v1 + a5 * v2 + a7 * x2;
             if ((x1 > 0 || v1 > v3) && x2 <= 0 && v2 < v3) {
               d1 = (v1 - a1 * x1) / a2;
               d2 = 0;
             } else if ((x2 > 0 || v2 > v3) && x1 <= 0 && v1 < v3) {
               d1 = 0;
               d2 = (v2 - a3 * x2) / a4;
             }
             r[0] = s("x3") - (x1 + x2);
             r[1] = v3 - (s.parameter("r3") * (x1 + x2) + s.parameter("l3") * (s.der("x1") + s.der("x2")));
             r[2] = v1 - 100 * cos(100 * pi * s.time());
             r[3] = v2 - -v1;
             r[4] = s("z3") - (v1 - v3);
             r[5] = s("z4") - (v2 - v3);
             r[6] = s.der("x1") - d1;
             r[7] = s.der("x2") - d2;
           },
       .has_other_program = true});
  list.push_back({.name = "HalfWave",
                  .text = R"(Real v(start = 0, fixed = true), vd, i;
equation 10*sin(50*time) = i + vd + v; 1e-3*der(v) = i - v/100; 0 = min(i, -vd);)",
                  .states = {{"v", 0}},
                  .algebraic = {"vd", "i"},
                  .stop = 0.3,
                  .function = [](const State& s, std::span<Real> r) {
                    r[0] = 10 * sin(50 * s.time()) - (s("i") + s("vd") + s("v"));
                    r[1] = 1e-3 * s.der("v") - (s("i") - s("v") / 100);
                    r[2] = 0 - min(s("i"), -s("vd"));
                  }});
  list.push_back({.name = "DiodeByIf",
                  .text = R"(Real v(start = 0, fixed = true), u, i;
equation u = 10*sin(50*time); i = if u > v then (u - v)/2 else 0; 1e-3*der(v) = i - v/100;)",
                  .states = {{"v", 0}},
                  .algebraic = {"u", "i"},
                  .stop = 0.3,
                  .function = [](const State& s, std::span<Real> r) {
                    r[0] = s("u") - 10 * sin(50 * s.time());
                    r[1] = s("i") - (s("u") > s("v") ? (s("u") - s("v")) / 2 : Real(0));
                    r[2] = 1e-3 * s.der("v") - (s("i") - s("v") / 100);
                  }});
  list.push_back({.name = "TwoDiodes",
                  .text = R"(Real a(start = 0, fixed = true), b(start = 0, fixed = true);
equation der(a) = 50*(if sin(3*time) > a then sin(3*time) - a else 0) - 0.2*a; der(b) = 50*(if b > sin(3*time) then sin(3*time) - b else 0) - 0.2*b;)",
                  .states = {{"a", 0}, {"b", 0}},
                  .stop = 6,
                  .function = [](const State& s, std::span<Real> r) {
                    const Real source = sin(3 * s.time());
                    Real up = 0;
                    Real down = 0;
                    if (source > s("a")) {
                      up = source - s("a");
                    }
                    if (s("b") > source) {
                      down = source - s("b");
                    }
                    r[0] = s.der("a") - (50 * up - 0.2 * s("a"));
                    r[1] = s.der("b") - (50 * down - 0.2 * s("b"));
                  }});
  list.push_back(
      {.name = "Buck",
       .text =
           R"(parameter Real period = 0.1, duty = 0.4; Real i(start = 0, fixed = true), v(start = 0, fixed = true);
equation der(i) = (if time/period - floor(time/period) < duty then 10 else 0) - v - 0.1*i; der(v) = 5*(i - v/2);)",
       .states = {{"i", 0}, {"v", 0}},
       .parameters = {{"period", 0.1}, {"duty", 0.4}},
       .stop = 1,
       .function = [](const State& s, std::span<Real> r) {
         const Real turns = s.time() / s.parameter("period");
         const bool on = turns - floor(turns) < s.parameter("duty");
         r[0] = s.der("i") - ((on ? 10.0 : 0.0) - s("v") - 0.1 * s("i"));
         r[1] = s.der("v") - 5 * (s("i") - s("v") / 2);
       }});
  list.push_back({.name = "IdealSwitch",
                  .text = R"(Real q(start = 1, fixed = true), v, i;
equation der(q) = i; 0 = if sin(time) > 0 then v - q - 0.1*i else i; v = 2*cos(time);)",
                  .states = {{"q", 1}},
                  .algebraic = {"v", "i"},
                  .function =
                      [](const State& s, std::span<Real> r) {
                        r[0] = s.der("q") - s("i");
                        if (sin(s.time()) > 0) {
                          r[1] = s("v") - s("q") - 0.1 * s("i");
                        } else {
                          r[1] = s("i");
                        }
                        r[2] = s("v") - 2 * cos(s.time());
                      },
                  .has_other_program = true});
  list.push_back({.name = "Ladder",
                  .text = R"(Real v[6](each start = 0, each fixed = true);
equation der(v[1]) = 5*((if 4*sin(2*time) > v[1] then 4*sin(2*time) - v[1] else 0) - (if v[1] > v[2] then v[1] - v[2] else 0));
for k in 2:5 loop der(v[k]) = 5*((if v[k-1] > v[k] then v[k-1] - v[k] else 0) - (if v[k] > v[k+1] then v[k] - v[k+1] else 0)); end for;
der(v[6]) = 5*(if v[5] > v[6] then v[5] - v[6] else 0) - v[6];)",
                  .stop = 4,
                  .function =
                      [](const State& s, std::span<Real> r) {
                        const std::vector<Real> v = s.array("v");
                        const std::vector<Real> dv = s.der_array("v");
                        const auto diode = [](const Real& from, const Real& to) -> Real {
                          if (from > to) {
                            return from - to;
                          }
                          return 0;
                        };
                        const std::size_t n = v.size();
                        for (std::size_t k = 0; k < n; ++k) {
                          const Real in = k == 0 ? diode(4 * sin(2 * s.time()), v[0]) : diode(v[k - 1], v[k]);
                          r[k] =
                              k + 1 < n ? dv[k] - 5 * (in - diode(v[k], v[k + 1])) : dv[k] - (5 * in - v[k]);
                        }
                      },
                  .more = [](TracedModel& m) { m.reals("v", 6, {.start = 0.0, .fixed = true}); }});
  return list;
}

}  // namespace saltus::traced_test
