// Whole numbers that are held, where the run begins on a level that it leaves at once: ceil(time) from 0, floor(time) backwards from 3.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

struct Law {
  const char* text;  ///< of the argument A
  std::function<double(double)> value;
};

// Between multiples of a quarter the laws are constant, or linear: the midpoint is exact.
double integral(const std::function<double(double)>& law, double from, double to) {
  const double h = to > from ? 0.25 : -0.25;
  double sum = 0.0;
  for (double t = from; (to - t) * h > 0.0; t += h) {
    sum += h * law(t + 0.5 * h);
  }
  return sum;
}

TEST(HeldStart, LeavesItsLevelAtOnce) {
  const std::vector<Law> laws = {
      {"ceil(A)", [](double t) { return std::ceil(t); }},
      {"floor(A)", [](double t) { return std::floor(t); }},
      {"integer(A)", [](double t) { return std::floor(t); }},
      {"div(A, 1)", [](double t) { return std::trunc(t); }},
      {"mod(A, 1)", [](double t) { return t - std::floor(t); }},
      {"mod(-A, 1)", [](double t) { return -t - std::floor(-t); }},
      {"-floor(-A)", [](double t) { return std::ceil(t); }},
      {"ceil(2*A)", [](double t) { return std::ceil(2.0 * t); }},
      {"floor(1 - 4*A)", [](double t) { return std::floor(1.0 - 4.0 * t); }},
      {"interpolate({{-2, 1}, {0, 4}, {1, -1}, {2, 5}}, A, rule = \"hold\")",
       [](double t) {
         return t < 0.0 ? 1.0 : t < 1.0 ? 4.0 : t < 2.0 ? -1.0 : 5.0;
       }},
  };
  for (const Law& law : laws) {
    for (const bool is_scheduled : {true, false}) {
      for (const auto& [start, stop] :
           {std::pair{0.0, 2.0}, {1.0, 3.0}, {3.0, 1.0}, {2.0, 0.0}, {-2.0, 1.0}, {1.0, -2.0}}) {
        std::string text = law.text;
        text.replace(text.find('A'), 1, is_scheduled ? "time" : "w");
        const std::string model = "model M\n Real x(start = 0, fixed = true), w(start = " + number(start) +
                                  ", fixed = true);\nequation\n der(w) = 1;\n der(x) = " + text +
                                  ";\nend M;\n";
        for (const char* const method : {"auto", "radau5", "bdf"}) {
          const HybridRun run =
              run_text(model, {{"start", number(start)}, {"stop", number(stop)}, {"method", method}});
          ASSERT_TRUE(run.result.ok()) << run.log();
          EXPECT_NEAR(run.final("x"), integral(law.value, start, stop), 1e-5)
              << method << ' ' << text << " from " << start << " to " << stop << '\n'
              << run.log();
        }
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
