// Obstacles: 0 = min(der(u) - f, u - psi). Where u rests its derivative is in no equation, and the side that is not taken is still compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// Cells u' = left - 2u + right with zero outside, from 1, above psi[i].
std::vector<double> reference(const std::vector<double>& psi, double end) {
  const std::size_t n = psi.size();
  std::vector<double> u(n, 1.0);
  const auto rates = [&](const std::vector<double>& x) {
    std::vector<double> f(n);
    for (std::size_t i = 0; i < n; ++i) {
      f[i] = (i > 0 ? x[i - 1] : 0.0) - 2 * x[i] + (i + 1 < n ? x[i + 1] : 0.0);
      f[i] = x[i] <= psi[i] ? std::max(f[i], 0.0) : f[i];
    }
    return f;
  };
  const int n_steps = 30000;
  const double h = end / n_steps;
  for (int k = 0; k < n_steps; ++k) {
    const std::vector<double> first = rates(u);
    std::vector<double> middle(n);
    for (std::size_t i = 0; i < n; ++i) {
      middle[i] = std::max(psi[i], u[i] + 0.5 * h * first[i]);
    }
    const std::vector<double> second = rates(middle);
    for (std::size_t i = 0; i < n; ++i) {
      u[i] = std::max(psi[i], u[i] + h * second[i]);
    }
  }
  return u;
}

std::string model_of(const std::vector<double>& psi, const std::string& spelling, bool is_fixed) {
  const std::size_t n = psi.size();
  std::string text = "model M\n Real u[" + std::to_string(n) + "](each start = 1" +
                     (is_fixed ? ", each fixed = true" : "") + ");\nequation\n";
  for (std::size_t i = 1; i <= n; ++i) {
    const auto cell = [](std::size_t k) { return "u[" + std::to_string(k) + "]"; };
    const std::string rate = "(der(" + cell(i) + ") - (" + (i > 1 ? cell(i - 1) + " " : "") + "- 2*" +
                             cell(i) + (i < n ? " + " + cell(i + 1) : "") + "))";
    const std::string gap = "(" + cell(i) + " - " + number(psi[i - 1]) + ")";
    if (spelling == "min") {
      text += " 0 = min(" + rate + ", " + gap + ");\n";
    } else if (spelling == "exchanged") {
      text += " min(" + gap + ", " + rate + ") = 0;\n";
    } else if (spelling == "max") {
      text += " 0 = max(-" + rate + ", -" + gap + ");\n";
    } else {
      text += " 0 = if " + rate + " < " + gap + " then " + rate + " else " + gap + ";\n";
    }
  }
  return text + "end M;\n";
}

void expect_rest(const std::vector<double>& psi, const std::vector<std::string>& methods) {
  for (const std::string spelling : {"min", "exchanged", "max", "if"}) {
    for (const bool is_fixed : {true, false}) {
      for (const std::string& method : methods) {
        const std::string what = spelling + ", " + method + (is_fixed ? ", fixed" : "");
        const HybridRun run = run_text(model_of(psi, spelling, is_fixed),
                                       {{"stop", "3"}, {"interval", "0.5"}, {"method", method}});
        ASSERT_TRUE((run.result.status == SimulationStatus::success)) << what << run.log() << run.words();
        for (const double t : {0.5, 1.5, 3.0}) {
          const std::vector<double> u = reference(psi, t);
          for (std::size_t i = 0; i < psi.size(); ++i) {
            EXPECT_NEAR(run.value(run.rows_at(t).back(), "u[" + std::to_string(i + 1) + "]"), u[i], 2e-4)
                << what << ", cell " << i + 1 << " at " << t;
          }
        }
      }
    }
  }
}

TEST(DerivativeUnderChoice, OneCell) {
  expect_rest({0.5}, {"dopri5", "fehlberg78", "radau5", "sdirk4", "bdf"});
}

TEST(DerivativeUnderChoice, TwoCells) {
  expect_rest({0.5, 0.8}, {"dopri5", "fehlberg78", "radau5", "sdirk4", "bdf"});
  const HybridRun run = run_text(model_of({0.5, 0.8}, "min", false), {{"stop", "3"}, {"interval", "0.5"}});
  EXPECT_NEAR(run.value(run.rows_at(0.5).back(), "u[1]"), 0.4 + 0.4 * std::exp(-2 * (0.5 - std::log(1.25))),
              1e-5);
}

TEST(DerivativeUnderChoice, FiveCells) {
  expect_rest({0.3, 0.4, 0.5, 0.6, 0.7}, {"dopri5", "radau5"});
}

TEST(DerivativeUnderChoice, TwentyCells) {
  std::vector<double> psi;
  for (int i = 0; i < 20; ++i) {
    psi.push_back(0.3 + 0.4 * std::sin(0.9 * i) * std::sin(0.9 * i));
  }
  const HybridRun run = run_text(model_of(psi, "min", false), {{"stop", "1.5"}, {"interval", "0.5"}});
  ASSERT_TRUE((run.result.status == SimulationStatus::success)) << run.log() << run.words();
  const std::vector<double> u = reference(psi, 1.5);
  for (std::size_t i = 0; i < psi.size(); ++i) {
    EXPECT_NEAR(run.final("u[" + std::to_string(i + 1) + "]"), u[i], 2e-4) << i + 1;
  }
}

}  // namespace
}  // namespace saltus::test
