// Formulations of constrained systems (docs/math/formulations.md): the tables of [Com01], drift, reaching, events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"
#include "support/source_folder.hpp"

namespace saltus::test {
namespace {

using testing::HasSubstr;

constexpr const char* kFormulations[] = {"general",
                                         "index-reduced",
                                         "baumgarte",
                                         "equivalent-control",
                                         "acceleration",
                                         "post-stabilized",
                                         "post-stabilized:holonomic",
                                         "ggl",
                                         "minimal"};

Result<HybridRun> try_run_example(const std::string& name, const OptionList& options) {
  std::ifstream file(source_folder() + "/examples/" + name);
  return try_run(std::string(std::istreambuf_iterator<char>(file), {}), options);
}

HybridRun run_example(const std::string& name, const OptionList& options) {
  return std::move(try_run_example(name, options).value());
}

// max - min over the rows.
double range_of(const HybridRun& run, const std::string& name) {
  double least = run.value(run.rows.front(), name);
  double most = least;
  for (const RowRecord& row : run.rows) {
    least = std::min(least, run.value(row, name));
    most = std::max(most, run.value(row, name));
  }
  return most - least;
}

double largest(const HybridRun& run, const std::string& name) {
  double most = 0.0;
  for (const RowRecord& row : run.rows) {
    most = std::max(most, std::abs(run.value(row, name)));
  }
  return most;
}

struct Entry {
  const char* method;
  double h;
  double printed;     // ΔE in joule
  double recomputed;  // by an independent program (compere.md); what is tested
};

void expect_table(const char* model, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    const HybridRun run = run_example(model, {{"method", entry.method},
                                              {"step", std::to_string(entry.h)},
                                              {"interval", "steps"},
                                              {"formulation", "post-stabilized"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    // The independent values have three digits.
    EXPECT_NEAR(range_of(run, "E") / entry.recomputed, 1.0, 0.006) << entry.method << " h = " << entry.h;
    const double unit = std::pow(10.0, std::floor(std::log10(entry.printed)) - 1.0);
    EXPECT_NEAR(range_of(run, "E"), entry.printed, 0.6 * unit) << entry.method << " h = " << entry.h;
  }
}

// Where truncation decides. The printed RK-8 entry at 0.05, 4.4e-8, is 1 % off the independent one.
TEST(CompereTable32, EnergyOfTheConstrainedPendulum) {
  expect_table("compound_pendulum.mo", {{"kutta3", 0.05, 2.0e-1, 2.00e-1},
                                        {"kutta3", 0.01, 1.8e-3, 1.79e-3},
                                        {"kutta3", 0.005, 2.3e-4, 2.26e-4},
                                        {"fehlberg45", 0.05, 2.8e-4, 2.82e-4},
                                        {"fehlberg45", 0.01, 8.9e-8, 8.90e-8},
                                        {"fehlberg45", 0.005, 2.8e-9, 2.77e-9}});
}

TEST(CompereTable33, EnergyOfTheRollingSphere) {
  expect_table("rolling_sphere.mo", {{"kutta3", 0.05, 6.0e-7, 5.98e-7},
                                     {"kutta3", 0.01, 4.6e-9, 4.56e-9},
                                     {"kutta3", 0.005, 5.7e-10, 5.69e-10},
                                     {"fehlberg45", 0.05, 3.3e-10, 3.34e-10},
                                     {"fehlberg45", 0.01, 9.2e-14, 9.17e-14}});
}

// y² + x² = 1 under gravity, from rest beside the lowest point; the exact solution by the angle.
constexpr const char* kPendulum = R"(model Pendulum
  Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0), vy(start = 0);
  Real lambda;
  Real r = x^2 + y^2 - 1;
  Real rv = x*vx + y*vy;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = lambda*x;
  der(vy) = lambda*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;
)";

// All formulations have the solution of the angle's equation, by explicit and implicit methods.
TEST(Formulations, HaveTheSameSolution) {
  const HybridRun angle = run_text(R"(model Angle
  Real phi(start = asin(0.6), fixed = true), w(start = 0, fixed = true);
  Real x = sin(phi);
equation
  der(phi) = w;
  der(w) = -9.81*sin(phi);
end Angle;
)",
                                   {{"stop", "3"}, {"tolerance", "1e-12"}});
  for (const std::string formulation : kFormulations) {
    for (const std::string method : {"dopri5", "radau5", "sdirk4", "bdf", "fehlberg78"}) {
      SCOPED_TRACE(formulation + " " + method);
      const HybridRun run = run_text(kPendulum, {{"stop", "3"},
                                                 {"tolerance", "1e-8"},
                                                 {"method", method},
                                                 {"verify", "full"},
                                                 {"formulation", formulation}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      EXPECT_NEAR(run.final("x"), angle.final("x"), 3e-6);
    }
  }
}

// What each does with errors, by steps that make some.
TEST(Formulations, DriftAsTheyShould) {
  const auto drift = [](const std::string& formulation, const char* stop) {
    const HybridRun run = run_text(kPendulum, {{"stop", stop},
                                               {"step", "0.02"},
                                               {"method", "kutta3"},
                                               {"interval", "steps"},
                                               {"formulation", formulation}});
    EXPECT_EQ(run.result.status, SimulationStatus::success) << formulation << run.log();
    return std::pair(largest(run, "r"), largest(run, "rv"));
  };
  // Errors of velocities are kept: positions move away faster and faster.
  EXPECT_GT(drift("index-reduced", "32").first, 6.0 * drift("index-reduced", "8").first);
  // Errors of velocities decay: positions move away evenly.
  const double growth = drift("equivalent-control", "32").first / drift("equivalent-control", "8").first;
  EXPECT_GT(growth, 3.0);
  EXPECT_LT(growth, 5.0);
  // Both decay.
  EXPECT_DOUBLE_EQ(drift("baumgarte", "32").first, drift("baumgarte", "8").first);
  EXPECT_LT(drift("baumgarte", "32").first, 0.1 * drift("equivalent-control", "32").first);
  for (const char* formulation :
       {"general", "minimal", "post-stabilized", "post-stabilized:holonomic", "ggl"}) {
    const auto [position, velocity] = drift(formulation, "8");
    EXPECT_LT(position, 1e-11) << formulation;
    EXPECT_LT(velocity, 1e-11) << formulation;
  }
}

// The root has a value near the circle only: the stages of a long step are on it with `minimal`, and off it else.
TEST(Formulations, MinimalKeepsStagesOnTheConstraints) {
  const std::string text = R"(model M
  Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0), vy(start = 0), w(start = 0, fixed = true);
  Real lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = lambda*x;
  der(vy) = lambda*y - 9.81;
  der(w) = sqrt(1e-6 + 1 - x^2 - y^2);
  x^2 + y^2 = 1;
end M;
)";
  const auto run = [&](const char* formulation) {
    return run_text(text,
                    {{"stop", "1"}, {"step", "0.05"}, {"method", "kutta3"}, {"formulation", formulation}});
  };
  const HybridRun minimal = run("minimal");
  ASSERT_EQ(minimal.result.status, SimulationStatus::success) << minimal.log();
  EXPECT_NEAR(minimal.final("w"), 1e-3, 1e-7);
  EXPECT_EQ(run("general").result.reason, "not_finite");
}

// A pendulum that hits a wall, one whose bearing sticks, and one that is let go: with each formulation the events are those of the angle.
TEST(Formulations, HaveTheEventsOfTheModel) {
  const struct {
    const char* example;
    const char* stop;
  } cases[] = {{"pendulum_wall.mo", "3"}, {"friction_pendulum.mo", "3"}, {"string_pendulum.saltus", "2"}};
  for (const auto& item : cases) {
    const HybridRun reference = run_example(item.example, {{"stop", item.stop}, {"tolerance", "1e-9"}});
    for (const std::string formulation : kFormulations) {
      for (const std::string method : {"dopri5", "radau5"}) {
        SCOPED_TRACE(std::string(item.example) + " " + formulation + " " + method);
        const auto run = try_run_example(
            item.example,
            {{"stop", item.stop}, {"tolerance", "1e-8"}, {"method", method}, {"formulation", formulation}});
        if (!run.has_value()) {
          EXPECT_THAT(render_text(run.error()), HasSubstr("formulation-not-supported"));
          continue;
        }
        ASSERT_EQ((*run).result.status, reference.result.status) << (*run).log();
        ASSERT_EQ((*run).events.size(), reference.events.size()) << (*run).log() << reference.log();
        for (std::size_t i = 0; i < reference.events.size(); ++i) {
          EXPECT_EQ((*run).events[i].kind, reference.events[i].kind);
          EXPECT_NEAR((*run).events[i].time, reference.events[i].time, 1e-5);
        }
      }
    }
  }
}

// [Com01] 3.6.3 with the decoupled law: surfaces are reached after |S(0)|/η, numbers of an independent program (compere.md 3.5).
TEST(Reaching, ReachesEverySurfaceWhenItShould) {
  for (const std::string method : {"dopri5", "fehlberg78"}) {
    const HybridRun run = run_example("rolling_sphere.mo", {{"stop", "4"},
                                                            {"tolerance", "1e-9"},
                                                            {"method", method},
                                                            {"formulation", "reaching"},
                                                            {"reaching-rate", "0.02945243,0.02356194,0.5"},
                                                            {"set", "rho0=0.7"},
                                                            {"set", "fphi=1.2"},
                                                            {"set", "ftheta=1.5"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    const std::vector<EventRecord> reached = run.of_kind("slide_enter");
    ASSERT_EQ(reached.size(), 3U) << run.log();
    EXPECT_NEAR(reached[0].time, 0.5, 1e-6);
    EXPECT_NEAR(reached[1].time, 1.0, 1e-6);
    EXPECT_NEAR(reached[2].time, 2.0, 1e-6);
    EXPECT_NEAR(run.final("E"), 8.9598e-3, 1e-7);
    EXPECT_NEAR(run.value(run.rows.front(), "E"), 7.283460e-3, 1e-9);
  }
}

// From beside the circle: S decreases linearly, then Φ like exp(-σ t).
TEST(Reaching, TakesStartsAsTheyAreGiven) {
  const std::string text =
      std::string(kPendulum).replace(std::string(kPendulum).find("y(start = -0.8)"), 15, "y(start = -0.9)");
  const HybridRun run = run_text(
      text, {{"stop", "6"}, {"tolerance", "1e-8"}, {"formulation", "reaching"}, {"reaching-rate", "2"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_DOUBLE_EQ(run.value(run.rows.front(), "y"), -0.9);
  const double s = 10.0 * (0.6 * 0.6 + 0.9 * 0.9 - 1.0);
  const std::vector<EventRecord> reached = run.of_kind("slide_enter");
  ASSERT_EQ(reached.size(), 1U) << run.log();
  EXPECT_NEAR(reached[0].time, s / 2.0, 1e-6);
  EXPECT_LT(std::abs(run.final("r")), 1e-8);
}

TEST(Reaching, RefusesWhatHasNoStartToReachFrom) {
  const std::string problems = problems_of(R"(model M
  Real x(start = 0.6, fixed = true), y(start = -0.8), vx, vy, lambda, r;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = lambda*x;
  der(vy) = lambda*y - 9.81;
  r = sqrt(x^2 + y^2) + 0.1*r^3;
  r = 1 + 0.1;
end M;
)",
                                           {{"formulation", "reaching"}});
  EXPECT_THAT(problems, HasSubstr("formulation-not-supported"));
  EXPECT_THAT(problems, HasSubstr("'r'"));
}

// Second derivatives alone have no equations der(q) = v; constraints of index 5 are about more than positions and velocities.
TEST(Formulations, RefuseWhatTheyAreNotFor) {
  const std::string second = R"(model M
  Real x(start = 0.6, fixed = true), y(start = -0.8), lambda;
equation
  der(der(x)) = lambda*x;
  der(der(y)) = lambda*y - 9.81;
  x^2 + y^2 = 1;
end M;
)";
  EXPECT_THAT(problems_of(second, {{"formulation", "ggl"}}), HasSubstr("formulation-not-supported"));
  EXPECT_EQ(problems_of(second, {{"formulation", "post-stabilized"}, {"stop", "0.1"}}), "");
  const std::string chain = R"(model M
  Real x, v, a, u;
equation
  der(x) = v;
  der(v) = a;
  der(a) = u;
  x = sin(time);
end M;
)";
  EXPECT_THAT(problems_of(chain, {{"formulation", "post-stabilized"}}),
              HasSubstr("formulation-not-supported"));
  EXPECT_EQ(problems_of(chain, {{"formulation", "baumgarte"}, {"stop", "0.1"}}), "");
  const std::string plain = "model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;\n";
  EXPECT_TRUE(run_text(plain, {{"formulation", "baumgarte"}}).says("formulation-without-effect"));
  EXPECT_THAT(problems_of(plain, {{"formulation", "baumgarte"}, {"constraint-rate", "-1"}}),
              HasSubstr("wrong-option-value"));
}

}  // namespace
}  // namespace saltus::test
