// Steps over kinks and jumps that noEvent hides (docs/math/error_control.md, "Kinks that nobody watches"). Solutions in closed form, compared
// at every row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// The largest error beside the tolerance of a state.
double error_of(const HybridRun& run, const std::string& name, double tolerance,
                const std::function<double(double)>& exact) {
  double largest = 0;
  for (const RowRecord& row : run.rows) {
    const double x = exact(row.time);
    largest = std::max(largest, std::abs(run.value(row, name) - x) / (tolerance * (1 + std::abs(x))));
  }
  return largest;
}

struct Worst {
  double error = 0;
  std::string what;

  void take(double found, const std::string& where) {
    if (!(found <= error)) {
      error = found;
      what = where;
    }
  }
};

const std::vector<std::string> kMethods{"dopri5", "fehlberg45", "fehlberg78", "radau5", "sdirk4", "bdf"};

HybridRun run_of(const std::string& text, const std::string& method, double tolerance) {
  return run_text(
      text, {{"stop", "3"}, {"interval", "0.05"}, {"method", method}, {"tolerance", number(tolerance)}});
}

// Levels a and b meet when √(a - b) = √d - k·t vanishes, and stay together.
TEST(UnwatchedKinks, LevelsMeet) {
  for (const std::string law : {"noEvent(if a > b then K*sqrt(a - b) else 0)",
                                "noEvent(K*sqrt(max(0, a - b)))", "noEvent(K*sign(a - b)*sqrt(abs(a - b)))",
                                "smooth(0, noEvent(if a > b then K*(a - b)^0.5 else 0))"}) {
    for (const std::string& method : kMethods) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        Worst worst;
        for (const double d : {0.31, 0.52, 0.73, 1.0, 1.19, 1.4}) {
          std::string flow = law;
          flow.replace(flow.find('K'), 1, "0.6");
          const HybridRun run =
              run_of("model M\n Real a(start = " + number(d) +
                         ", fixed = true), b(start = 0, fixed = true), q;\nequation\n q = " + flow +
                         ";\n der(a) = -q;\n der(b) = q;\nend M;\n",
                     method, tolerance);
          ASSERT_TRUE((run.result.status == SimulationStatus::success)) << law << method << run.log();
          const auto level = [&](double t) {
            const double root = std::max(0.0, std::sqrt(d) - 0.6 * t);
            return 0.5 * (d + root * root);
          };
          worst.take(error_of(run, "a", tolerance, level), number(d));
        }
        EXPECT_LT(worst.error, 30) << law << ", " << method << ", " << tolerance << " from " << worst.what;
      }
    }
  }
}

// ḣ = -k·h^p ends at zero in finite time, with an infinite slope before and none behind it: a Jacobian from before must not hold a rate there
// (h went on falling with 4e-7 by sdirk4).
TEST(UnwatchedKinks, VesselsRunEmpty) {
  for (const std::string law : {"noEvent(max(0, h))^P", "noEvent(if h > 0 then h^P else 0)", "max(0, h)^P"}) {
    for (const std::string method : {"radau5", "sdirk4", "bdf"}) {
      for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
        Worst worst;
        for (const double p : {0.1, 0.25, 0.5, 0.75}) {
          for (const auto& [start, factor] : {std::pair{1.0, 1.0}, std::pair{0.37, 2.5}}) {
            std::string flow = law;
            flow.replace(flow.find('P'), 1, number(p));
            const HybridRun run = run_of("model M\n Real h(start = " + number(start) +
                                             ", fixed = true);\nequation\n der(h) = -" + number(factor) +
                                             "*" + flow + ";\nend M;\n",
                                         method, tolerance);
            ASSERT_TRUE((run.result.status == SimulationStatus::success)) << law << method << run.log();
            const auto level = [&](double t) {
              return std::pow(std::max(0.0, std::pow(start, 1 - p) - (1 - p) * factor * t), 1 / (1 - p));
            };
            worst.take(error_of(run, "h", tolerance, level), number(p) + " from " + number(start));
          }
        }
        EXPECT_LT(worst.error, 60) << law << ", " << method << ", " << tolerance << ": " << worst.what;
      }
    }
  }
}

TEST(UnwatchedKinks, RatesJump) {
  for (const std::string& method : kMethods) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      if (method == "bdf" && tolerance < 1e-11) {
        continue;  // ends at the jump: step_size_too_small
      }
      Worst worst;
      for (const double c : {0.0, 0.13, 0.3, 0.51, 0.77}) {
        const HybridRun run =
            run_of("model M\n Real x(start = 1, fixed = true);\nequation\n der(x) = noEvent(if x > " +
                       number(c) + " then -2 else -1);\nend M;\n",
                   method, tolerance);
        ASSERT_TRUE((run.result.status == SimulationStatus::success)) << method << run.log();
        const double at = (1 - c) / 2;
        worst.take(error_of(run, "x", tolerance, [&](double t) { return t < at ? 1 - 2 * t : c - (t - at); }),
                   number(c));
      }
      EXPECT_LT(worst.error, 15) << method << ", " << tolerance << " at " << worst.what;
    }
  }
}

}  // namespace
}  // namespace saltus::test
