// The method `exact`: closed solutions to rounding errors, and refusals that name the equation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

HybridRun exact_run(const std::string& text, const std::string& stop, const std::string& interval = "0.37") {
  auto run = try_run(text, {{"method", "exact"}, {"stop", stop}, {"interval", interval}});
  EXPECT_TRUE(run.has_value()) << render_text(run.error());
  EXPECT_EQ(run->result.status, SimulationStatus::success) << run->result.message;
  return *run;
}

/// The largest error of a variable over all rows.
template <class Solution>
double error_of(const HybridRun& run, const std::string& name, Solution&& solution) {
  double largest = 0.0;
  for (const RowRecord& row : run.rows) {
    largest = std::max(largest, std::abs(run.value(row, name) - solution(row.time)));
  }
  EXPECT_GT(run.rows.size(), 3U);
  return largest;
}

TEST(ExactMethod, Oscillators) {
  const HybridRun run = exact_run(
      "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v; der(v) = "
      "-4*x - 0.2*v; end M;",
      "100");
  const double omega = std::sqrt(3.99);
  EXPECT_LT(error_of(run, "x",
                     [&](double t) {
                       return std::exp(-0.1 * t) * (std::cos(omega * t) + 0.1 / omega * std::sin(omega * t));
                     }),
            2e-14);
}

// Sums of products of powers, exponentials and sines; with resonance.
TEST(ExactMethod, Forcings) {
  const HybridRun run = exact_run(R"(model M
  Real x(start = 1, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true);
equation
  der(x) = -x + exp(-time) + time^2;
  der(der(y)) = -4*y + cos(2*time);
  der(z) = exp(-0.5*time)*sin(3*time + 1)*time;
initial equation
  der(y) = 0;
end M;)",
                                  "20");
  EXPECT_LT(error_of(run, "x",
                     [](double t) {
                       return std::exp(-t) * (1.0 + t) + (t * t - 2.0 * t + 2.0) - 2.0 * std::exp(-t);
                     }),
            2e-13);
  EXPECT_LT(error_of(run, "y", [](double t) { return 0.25 * t * std::sin(2.0 * t); }), 1e-13);
  // z = Im e^i ∫ s·e^(λs) ds with λ = -1/2 + 3i.
  const std::complex<double> lambda(-0.5, 3.0);
  EXPECT_LT(error_of(run, "z",
                     [&](double t) {
                       const std::complex<double> integral =
                           std::exp(lambda * t) * (t / lambda - 1.0 / (lambda * lambda)) +
                           1.0 / (lambda * lambda);
                       return (std::exp(std::complex<double>(0.0, 1.0)) * integral).imag();
                     }),
            1e-13);
}

// A rate of a million beside one of 1: the error is that of A, some roundings of its norm times the time.
TEST(ExactMethod, StiffSystems) {
  const HybridRun run = exact_run(
      "model M Real x(start = 2, fixed = true), y(start = 1, fixed = true); equation der(x) = -1e6*(x - y); "
      "der(y) = -y; end M;",
      "5");
  const auto slow = [](double t) { return std::exp(-t); };
  EXPECT_LT(error_of(run, "y", slow), 2e-12);
  const double a = 1e6 / (1e6 - 1.0);
  EXPECT_LT(error_of(run, "x", [&](double t) { return a * std::exp(-t) + (2.0 - a) * std::exp(-1e6 * t); }),
            5e-10);
  EXPECT_LT(run.result.statistics.accepted_steps, 400);
}

// States far down a ladder begin with high powers of time, which are nothing beside their nominal values.
TEST(ExactMethod, Ladders) {
  const HybridRun run = exact_run(R"(model Ladder
  constant Integer n = 30;
  Real v[n](each start = 0, each fixed = true);
equation
  der(v[1]) = 1 - 2*v[1] + v[2];
  for k in 2:n-1 loop
    der(v[k]) = v[k-1] - 2*v[k] + v[k+1];
  end for;
  der(v[n]) = v[n-1] - v[n];
end Ladder;)",
                                  "5000", "250");
  // Long after: 1 - v falls with the smallest eigenvalue, 4 sin²(π/(2(2n + 1))).
  const double rate = 4.0 * std::pow(std::sin(std::numbers::pi / 122.0), 2);
  double before = 0.0;
  for (const RowRecord& row : run.rows) {
    const double left = 1.0 - run.value(row, "v[30]");
    if (row.time > 2000.0) {
      EXPECT_NEAR(left, before * std::exp(-250.0 * rate), 1e-12);
    }
    before = left;
  }
  EXPECT_LT(run.result.statistics.accepted_steps, 200);
}

TEST(ExactMethod, HighIndex) {
  // Index 3: the force that moves a mass along sin(2t) + t², beside an oscillator that it drives.
  const HybridRun run = exact_run(R"(model M
  Real p, v, f, x(start = 0, fixed = true), w(start = 0, fixed = true);
equation
  der(p) = v; der(v) = f; p = sin(2*time) + time^2; der(x) = w; der(w) = -x + f;
end M;)",
                                  "10");
  EXPECT_LT(error_of(run, "f", [](double t) { return -4.0 * std::sin(2.0 * t) + 2.0; }), 1e-12);
  // x'' + x = 2 - 4 sin 2t
  EXPECT_LT(error_of(run, "x",
                     [](double t) {
                       return 2.0 - 2.0 * std::cos(t) + 4.0 / 3.0 * std::sin(2.0 * t) -
                              8.0 / 3.0 * std::sin(t);
                     }),
            2e-12);
}

TEST(ExactMethod, EventsOfAnElasticBall) {
  const HybridRun run = exact_run(R"(model Ball
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -9.81;
  when h < 0 then reinit(v, -0.8*pre(v)); end when;
end Ball;)",
                                  "3");
  double time = std::sqrt(2.0 / 9.81);
  double speed = 9.81 * time;
  ASSERT_GE(run.events.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(run.events[i].time, time, 4e-15 * static_cast<double>(i + 1)) << i;
    speed *= 0.8;
    time += 2.0 * speed / 9.81;
  }
}

// A buck converter that is always conducting, against exponentials of its two circuits in long double.
TEST(ExactMethod, BuckConverterOverManyPeriods) {
  constexpr int kPeriods = 500;  // of 1/65536
  const HybridRun run = exact_run(R"(model Buck
  parameter Real Vin = 24, L = 50e-6, C = 100e-6, R = 3;
  constant Real T = 1/65536, D = 3/8;
  Real i(start = 0, fixed = true), v(start = 0, fixed = true);
  discrete Real n(start = 0, fixed = true);
  Boolean on;
equation
  on = time - n*T < D*T;
  L*der(i) = (if on then Vin else 0) - v;
  C*der(v) = i - v/R;
  when sample(0, T) then n = time/T; end when;
end Buck;)",
                                  "0.00762939453125", "1e-4");
  using Real = long double;
  Real i = 0;
  Real v = 0;
  const auto advance = [&](Real u, Real h) {
    // Taylor series of the displacement from the equilibrium, which is far from stiff here.
    const int pieces = 8;
    for (int k = 0; k < pieces; ++k) {
      Real term_i = i;
      Real term_v = v;
      for (int order = 1; order < 30; ++order) {
        const Real next_i = ((order == 1 ? u : 0) - term_v) / Real{50e-6};
        const Real next_v = (term_i - term_v / 3) / Real{100e-6};
        term_i = next_i * (h / pieces) / order;
        term_v = next_v * (h / pieces) / order;
        i += term_i;
        v += term_v;
      }
    }
  };
  for (int k = 0; k < kPeriods; ++k) {
    advance(24, 0.375L / 65536);
    advance(0, 0.625L / 65536);
  }
  EXPECT_NEAR(run.result.final_value("v"), static_cast<double>(v), 1e-13 * 24);
  EXPECT_NEAR(run.result.final_value("i"), static_cast<double>(i), 1e-12);
  EXPECT_LT(run.result.statistics.accepted_steps, 8 * kPeriods);
}

std::string refusal(const std::string& equations,
                    const std::vector<std::pair<std::string, std::string>>& more = {}) {
  std::vector<std::pair<std::string, std::string>> options{{"method", "exact"}, {"stop", "1"}};
  options.insert(options.end(), more.begin(), more.end());
  const auto run = try_run(
      "model M Real x(start = 1, fixed = true), y; parameter Real p = 2; equation " + equations + " end M;",
      options);
  return run.has_value() ? "none" : render_text(run.error());
}

TEST(ExactMethod, RefusesWhatIsNotLinearWithConstantCoefficients) {
  for (const char* wrong : {"der(x) = -x*y;", "der(x) = -time*x;", "der(x) = -sqrt(x);",
                            "der(x) = -x + tan(time);", "der(x) = -x + exp(-time^2);",
                            "der(x) = -x + 1/(1 + time);", "der(x) = noEvent(if x > 0.5 then -x else 0);",
                            "der(x) = -x + sin(y*time);", "der(x) = -abs(x)*x;"}) {
    const std::string text = refusal("y = 2*x; " + std::string(wrong));
    EXPECT_THAT(text, HasSubstr("not-linear")) << wrong;
    EXPECT_THAT(text, HasSubstr("this one is not: der(x) = ")) << wrong;
  }
  EXPECT_THAT(refusal("y = x^2; der(x) = -x;"), HasSubstr("this one is not: y = "));
  EXPECT_EQ(refusal("y = x*p^2/sqrt(p); der(x) = -exp(p)*x + (if x > 0.5 then sin(p*time) else time^3);"),
            "none");
}

TEST(ExactMethod, RefusesOptionsThatItCannotFollow) {
  EXPECT_THAT(refusal("der(x) = -x; y = x;", {{"step", "0.1"}}), HasSubstr("conflicting-options"));
  EXPECT_THAT(refusal("der(x) = -x; y = x;", {{"order", "5"}}), HasSubstr("conflicting-options"));
  EXPECT_THAT(refusal("der(x) = -x; y = x;", {{"sens", "p"}}), HasSubstr("conflicting-options"));
}

TEST(ExactMethod, SlidingEndsTheRunWithAReason) {
  const auto run =
      try_run("model M Real x(start = 1, fixed = true); equation der(x) = if x > 0 then -1 else 1; end M;",
              {{"method", "exact"}, {"stop", "3"}});
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->result.status, SimulationStatus::failed);
  EXPECT_THAT(run->result.message, HasSubstr("the method 'exact' cannot follow it"));
  EXPECT_NEAR(run->result.end, 1.0, 1e-15);
}

}  // namespace
}  // namespace saltus::test
