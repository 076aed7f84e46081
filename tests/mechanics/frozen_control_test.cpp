// Forces of constraints frozen over a step ([Com01] 3.5.3), and projection in the metric of the mass matrix.
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

std::string example_text(const std::string& name) {
  std::ifstream file(source_folder() + "/examples/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

double energy_range(const HybridRun& run) {
  double least = run.value(run.rows.front(), "E");
  double most = least;
  for (const RowRecord& row : run.rows) {
    least = std::min(least, run.value(row, "E"));
    most = std::max(most, run.value(row, "E"));
  }
  return most - least;
}

HybridRun run_pendulum(const std::string& method, double h, const std::string& formulation) {
  return run_text(
      example_text("compound_pendulum.mo"),
      {{"method", method}, {"step", number(h)}, {"interval", "steps"}, {"formulation", formulation}});
}

// Values of an independent program (compere.md 3.3): the order of the method is lost.
TEST(FrozenControl, HasTheEnergyOfTheIndependentProgram) {
  const struct {
    double h;
    double energy;
  } cases[] = {{0.05, 16.4}, {0.01, 9.64}, {0.005, 5.92}};
  for (const auto& item : cases) {
    for (const std::string method : {"kutta3", "fehlberg45", "fehlberg78"}) {
      const HybridRun run = run_pendulum(method, item.h, "post-stabilized:frozen");
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      EXPECT_NEAR(energy_range(run) / item.energy, 1.0, 0.006) << method << " h = " << item.h;
    }
  }
}

// Constraints hold to rounding, the motion is wrong by more than ten orders of magnitude, and the run says so.
TEST(FrozenControl, IsFlagged) {
  const HybridRun frozen = run_pendulum("fehlberg78", 0.01, "post-stabilized:frozen");
  EXPECT_TRUE(frozen.says("large-adjustment")) << frozen.log();
  ASSERT_TRUE(frozen.result.monitors.has_value());
  EXPECT_LT(frozen.result.monitors->position, 1e-12);
  EXPECT_LT(frozen.result.monitors->velocity, 1e-12);
  EXPECT_GT(frozen.result.monitors->adjustment, 1e-3);
  const HybridRun stages = run_pendulum("fehlberg78", 0.01, "post-stabilized");
  EXPECT_FALSE(stages.says("large-adjustment")) << stages.log();
  EXPECT_GT(energy_range(frozen), 1e10 * energy_range(stages));
}

// The multipliers that rows show are those of their points.
TEST(FrozenControl, ShowsTheEquivalentControl) {
  const HybridRun run = run_pendulum("fehlberg45", 0.005, "post-stabilized:frozen");
  for (const RowRecord& row : run.rows) {
    const double theta = run.value(row, "theta");
    const double omega = run.value(row, "omega");
    const double along = -0.5 * omega * omega;  // of the centre, towards the hinge
    const double across = -1.5 * 9.81 * std::sin(theta) * 0.5;
    const double ax = along * std::cos(theta) - across * std::sin(theta);
    EXPECT_NEAR(run.value(row, "lambda1"), 36.0 * (ax - 9.81), 1e-6) << row.time;
  }
}

TEST(FrozenControl, RefusesWhatItIsNotFor) {
  const std::string text = example_text("compound_pendulum.mo");
  EXPECT_THAT(problems_of(text, {{"formulation", "post-stabilized:frozen"}}), HasSubstr("explicit method"));
  EXPECT_THAT(problems_of(text, {{"formulation", "post-stabilized:frozen"}, {"method", "radau5"}}),
              HasSubstr("explicit method"));
  const std::string ambiguous = R"(model M
  Real x(start = 0, fixed = true), v, f, g;
equation
  der(x) = v;
  2*der(v) = f;
  f^2 = g + g^3;
  x = sin(time);
end M;
)";
  EXPECT_THAT(problems_of(ambiguous, {{"formulation", "post-stabilized:frozen"}, {"method", "dopri5"}}),
              HasSubstr("by which 1 of the unknowns f and g"));
}

// Events of a pendulum that hits a wall, with every formulation of this file: those of the model, but for what freezing does.
TEST(MassProjection, HasTheEventsOfTheModel) {
  for (const std::string name : {"pendulum_wall.mo", "friction_pendulum.mo"}) {
    const HybridRun reference = run_text(example_text(name), {{"stop", "3"}, {"tolerance", "1e-9"}});
    for (const std::string method : {"dopri5", "radau5"}) {
      const HybridRun run = run_text(example_text(name), {{"stop", "3"},
                                                          {"tolerance", "1e-8"},
                                                          {"method", method},
                                                          {"formulation", "post-stabilized:mass"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      ASSERT_EQ(run.events.size(), reference.events.size()) << name << run.log() << reference.log();
      for (std::size_t i = 0; i < reference.events.size(); ++i) {
        EXPECT_EQ(run.events[i].kind, reference.events[i].kind);
        EXPECT_NEAR(run.events[i].time, reference.events[i].time, 1e-5);
      }
    }
  }
}

// Freezing makes errors of the order of the step, events and sliding are there all the same.
TEST(FrozenControl, HasEventsAndSliding) {
  for (const std::string name : {"pendulum_wall.mo", "friction_pendulum.mo"}) {
    const HybridRun reference = run_text(example_text(name), {{"stop", "3"}, {"tolerance", "1e-9"}});
    const auto error = [&](const char* h) {
      const HybridRun run = run_text(example_text(name), {{"stop", "3"},
                                                          {"step", h},
                                                          {"method", "dopri5"},
                                                          {"verify", "some"},
                                                          {"formulation", "post-stabilized:frozen"}});
      EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
      EXPECT_EQ(run.events.size(), reference.events.size()) << name << run.log() << reference.log();
      double most = 0.0;
      for (std::size_t i = 0; i < std::min(run.events.size(), reference.events.size()); ++i) {
        EXPECT_EQ(run.events[i].kind, reference.events[i].kind);
        most = std::max(most, std::abs(run.events[i].time - reference.events[i].time));
      }
      return most;
    };
    const double coarse = error("0.001");
    EXPECT_LT(coarse, 2e-2) << name;
    EXPECT_LT(error("0.00025"), 0.5 * coarse) << name;
  }
}

// The angle in degrees: the least change of kinetic energy does not know of units, the least change of numbers does.
TEST(MassProjection, DoesNotDependOnCoordinates) {
  std::string degrees = example_text("compound_pendulum.mo");
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (std::size_t at = degrees.find(what); at != std::string::npos;
         at = degrees.find(what, at + by.size())) {
      degrees.replace(at, what.size(), by);
    }
  };
  replace("cos(theta)", "cos(theta*d)");
  replace("sin(theta)", "sin(theta*d)");
  replace("theta(start = theta0", "theta(start = theta0/d");
  replace("omega(start = omega0", "omega(start = omega0/d");
  replace("m*l^2/24*omega^2", "m*l^2/24*(omega*d)^2");
  replace("m*l^2/12*der(omega)", "m*l^2/12*d*der(omega)");
  replace("parameter Real theta0", "parameter Real d = 0.017453292519943295;\n  parameter Real theta0");
  const auto final_x = [](const std::string& text, const std::string& formulation) {
    const HybridRun run =
        run_text(text, {{"method", "kutta3"}, {"step", "0.05"}, {"stop", "2"}, {"formulation", formulation}});
    EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
    return run.final("x");
  };
  const std::string radians = example_text("compound_pendulum.mo");
  const double mass = final_x(radians, "post-stabilized:mass");
  EXPECT_NEAR(final_x(degrees, "post-stabilized:mass"), mass, 1e-13);
  EXPECT_GT(
      std::abs(final_x(degrees, "post-stabilized:holonomic") - final_x(radians, "post-stabilized:holonomic")),
      1e-8);
  EXPECT_NEAR(mass, final_x(radians, "post-stabilized:holonomic"), 1e-3);
}

// Nonholonomic and holonomic, with the tables' steps: residuals of rounding, energy as good as that of the printed projection.
TEST(MassProjection, HoldsConstraintsOfBothKinds) {
  const HybridRun run =
      run_text(example_text("rolling_sphere.mo"), {{"method", "kutta3"},
                                                   {"step", "0.05"},
                                                   {"interval", "steps"},
                                                   {"formulation", "post-stabilized:mass"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_LT(run.result.monitors->position, 1e-14);
  EXPECT_LT(run.result.monitors->velocity, 1e-14);
  EXPECT_LT(energy_range(run), 2e-6);
}

}  // namespace
}  // namespace saltus::test
