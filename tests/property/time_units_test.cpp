// A model in other units of time is the same model: der(x) written as T*der(x) and time as time/T, for T from nanoseconds to decades.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

struct TimedModel {
  std::string name;
  std::string declarations;  // T is a constant
  std::string equations;
  double stop;
  std::vector<std::string> finals;
  std::vector<double> units;
};

std::ostream& operator<<(std::ostream& out, const TimedModel& model) {
  return out << model.name;
}

HybridRun run_in(const TimedModel& model, double unit, const std::string& method) {
  return run_text("model M\n constant Real T = " + number(unit) + ";\n" + model.declarations + "equation\n" +
                      model.equations + "end M;\n",
                  {{"stop", number(model.stop * unit)},
                   {"interval", number(model.stop * unit / 20)},
                   {"tolerance", "1e-8"},
                   {"method", method}});
}

class TimeUnits : public testing::TestWithParam<TimedModel> {};

TEST_P(TimeUnits, ChangeNothing) {
  const TimedModel& model = GetParam();
  for (const std::string method : {"auto", "radau5"}) {
    const HybridRun seconds = run_in(model, 2.0, method);
    ASSERT_EQ(seconds.result.status, SimulationStatus::success) << seconds.log();
    for (const double unit : model.units) {
      SCOPED_TRACE(method + ", unit " + number(unit));
      const HybridRun run = run_in(model, 2.0 * unit, method);
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      ASSERT_EQ(run.events.size(), seconds.events.size());
      for (std::size_t i = 0; i < run.events.size(); ++i) {
        EXPECT_EQ(run.events[i].kind, seconds.events[i].kind);
        EXPECT_NEAR(run.events[i].time / unit, seconds.events[i].time, 1e-6);
      }
      for (const std::string& name : model.finals) {
        EXPECT_NEAR(run.final(name), seconds.final(name), 1e-6 * std::max(1.0, std::abs(seconds.final(name))))
            << name;
      }
    }
  }
}

const std::vector<double> kAll{1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9};
const std::vector<double> kMost{1e-6, 1e-3, 1e3, 1e6};

INSTANTIATE_TEST_SUITE_P(
    Models, TimeUnits,
    testing::Values(
        TimedModel{
            "pendulum",
            " Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), vy, f;\n",
            " T*der(x) = vx;\n T*der(y) = vy;\n T*der(vx) = -f*x;\n T*der(vy) = -f*y - 9.81;\n"
            " x^2 + y^2 = 1;\n",
            3.0,
            {"x", "y", "vx", "f"},
            kAll},
        TimedModel{"second_order",
                   " Real x(start = 1, fixed = true), w;\n",
                   " w = T*der(x);\n T*der(w) = 3*(1 - x^2)*w - x;\n",
                   5.0,
                   {"x", "w"},
                   kAll},
        TimedModel{"written_twice",
                   " Real x(start = 1, fixed = true);\n",
                   " T*T*der(der(x)) = -4*x - 0.1*T*der(x);\n",
                   5.0,
                   {"x"},
                   kAll},
        TimedModel{"prescribed_path",
                   " Real x1, v1, x2, v2, force;\n",
                   " T*der(x1) = v1;\n T*der(x2) = v2;\n T*der(v1) = 10*(x2 - x1);\n"
                   " 2*T*der(v2) = -10*(x2 - x1) + force;\n x1 = sin(time/T);\n",
                   4.0,
                   {"x2", "v2", "force"},
                   kMost},
        TimedModel{
            "wall",
            " Real x(start = -0.8, fixed = true), y(start = -0.6), vx(start = 0, fixed = true), vy, f;\n"
            " Integer n(start = 0, fixed = true);\n",
            " T*der(x) = vx;\n T*der(y) = vy;\n T*der(vx) = -f*x;\n T*der(vy) = -f*y - 9.81;\n"
            " x^2 + y^2 = 1;\n when x >= 0 then\n  reinit(vx, -0.8*pre(vx));\n  n = pre(n) + 1;\n end "
            "when;\n",
            3.0,
            {"x", "y", "vx", "n"},
            kMost},
        TimedModel{
            "friction",
            " Real x(start = 0.9, fixed = true), y(start = -0.4), vx(start = 0, fixed = true), vy, f;\n",
            " T*der(x) = vx;\n T*der(y) = vy;\n T*der(vx) = -f*x + y*sign(y*vx - x*vy);\n"
            " T*der(vy) = -f*y - 9.81 - x*sign(y*vx - x*vy);\n x^2 + y^2 = 0.97;\n",
            4.0,
            {"x", "y"},
            kMost},
        TimedModel{
            "diode",
            " Real s, d, i, v(start = 0, fixed = true), u;\n Boolean off;\n",
            " u = 30*sin(time/T);\n off = s < 0;\n d = if off then s else 0;\n i = if off then 0 else s;\n"
            " u = d + 0.5*i + v;\n T*der(v) = i - v;\n",
            9.0,
            {"v", "s"},
            kAll},
        TimedModel{
            "equations_added_together",
            " Real x1(start = 1, fixed = true), v1(start = 0, fixed = true), x2, v2, p;\n",
            " T*der(x1) = v1;\n T*der(x2) = v2;\n T*der(v1) + 0.5*T*der(v2) = -x1 + 0.7*p + 0.5*(-x2 + p);\n"
            " T*der(v2) = -x2 + p;\n x1 + x2 - 0.3*T*der(v1) = 1 + 0.3*(x1 - 0.7*p);\n",
            3.0,
            {"x1", "x2", "p"},
            kMost}),
    [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace saltus::test
