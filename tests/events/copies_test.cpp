// N independent copies of a model behave as one, for every N (docs/semantics.md 12).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

struct Copied {
  std::string declarations;  // "@" behind each name stands for the number of the copy
  std::string equations;
  std::vector<std::string> variables;
  OptionList options;
  double tolerance = 1e-6;  // of values and of times of events, relative
};

std::string numbered(std::string text, int k) {
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
    text.replace(at, 1, "_" + std::to_string(k));
  }
  return text;
}

std::string model(const std::vector<Copied>& copies) {
  std::string declarations;
  std::string equations;
  for (std::size_t k = 0; k < copies.size(); ++k) {
    declarations += numbered(copies[k].declarations, static_cast<int>(k));
    equations += numbered(copies[k].equations, static_cast<int>(k));
  }
  return "model Copies\n" + declarations + "equation\n" + equations + "end Copies;\n";
}

// Times of the events in which a copy is named.
std::vector<double> events_of(const HybridRun& run, int k) {
  const std::string name = "_" + std::to_string(k);
  std::vector<double> times;
  for (const EventRecord& event : run.events) {
    const std::string text = event.guard + " " + event.detail;
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if (end == text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0) {
        times.push_back(event.time);
        break;
      }
    }
  }
  return times;
}

void expect_same(const HybridRun& one, const HybridRun& many, int k, const Copied& what) {
  const auto close = [&](double a, double b) {
    return std::abs(a - b) <= what.tolerance * std::max({1.0, std::abs(a), std::abs(b)});
  };
  for (const std::string& variable : what.variables) {
    const std::string name = numbered(variable, k);
    EXPECT_TRUE(close(one.final(numbered(variable, 0)), many.final(name)))
        << name << ": " << many.final(name) << " instead of " << one.final(numbered(variable, 0)) << "\n"
        << many.words();
  }
  const std::vector<double> alone = events_of(one, 0);
  const std::vector<double> among = events_of(many, k);
  ASSERT_EQ(alone.size(), among.size()) << "events of copy " << k << "\n" << many.words();
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_TRUE(close(alone[i], among[i])) << alone[i] << " " << among[i];
  }
}

void expect_copies_as_one(const Copied& what, const std::vector<int>& numbers) {
  const HybridRun one = run_text(model({what}), what.options);
  ASSERT_EQ(one.result.status, SimulationStatus::success) << one.log();
  for (const int n : numbers) {
    const std::vector<Copied> copies(static_cast<std::size_t>(n), what);
    const HybridRun many = run_text(model(copies), what.options);
    ASSERT_EQ(many.result.status, SimulationStatus::success) << n << " " << many.words();
    for (const int k : {0, n / 2, n - 1}) {
      SCOPED_TRACE(std::to_string(n) + " copies");
      expect_same(one, many, k, what);
    }
  }
}

// Each beside the others as by itself.
void expect_beside_each_other(const std::vector<Copied>& models) {
  const HybridRun together = run_text(model(models), models[0].options);
  ASSERT_EQ(together.result.status, SimulationStatus::success) << together.words();
  for (std::size_t k = 0; k < models.size(); ++k) {
    SCOPED_TRACE("model " + std::to_string(k));
    expect_same(run_text(model({models[k]}), models[0].options), together, static_cast<int>(k), models[k]);
  }
}

// Four ideal diodes: of their combinations one determines everything, at the start and at every event.
Copied bridge() {
  return {.declarations = "Real v@(start = 0, fixed = true), a@, b@, line@, s@[4], i@[4], drop@[4];\n",
          .equations =
              "20*sin(314*time) = a@ - b@;\ndrop@ = {a@ - v@, b@ - v@, -a@, -b@};\n"
              "for k in 1:4 loop\n drop@[k] = if s@[k] < 0 then s@[k] else 0;\n"
              " i@[k] = if s@[k] < 0 then 0 else s@[k];\nend for;\n"
              "line@ + i@[3] = i@[1];\ni@[4] = i@[2] + line@;\n2e-3*der(v@) = i@[1] + i@[2] - v@/50;\n",
          .variables = {"v@", "line@", "i@[1]", "i@[2]"},
          .options = {{"stop", "0.018"}, {"tolerance", "1e-8"}},
          .tolerance = 1e-5};
}

// A switch that closes beside a diode: the diode blocks, rather than the capacitor being emptied.
Copied boost() {
  return {.declarations =
              "Real iL@(start = 0, fixed = true), vC@(start = 12, fixed = true), vs@, is@, vd@, id@, s@;\n"
              "Boolean closed@(start = true, fixed = true);\n",
          .equations =
              "when {sample(0, 1e-3), sample(6e-4, 1e-3)} then\n"
              " closed@ = not pre(closed@);\nend when;\n"
              "1e-3*der(iL@) = 12 - vs@;\n1e-4*der(vC@) = id@ - vC@/20;\niL@ = is@ + id@;\nvs@ = vC@ + vd@;\n"
              "if closed@ then vs@ = 0; else is@ = 0; end if;\nvd@ = if s@ < 0 then s@ else 0;\n"
              "id@ = if s@ < 0 then 0 else s@;\n",
          .variables = {"iL@", "vC@", "id@", "vd@"},
          .options = {{"stop", "4.5e-3"}, {"tolerance", "1e-9"}},
          .tolerance = 1e-6};
}

// Sides that have no value beyond their surface, and an equation that is not affine in the choice.
Copied cycle() {
  return {.declarations =
              "Real y@(start = -0.75, fixed = true), w@(start = -2, fixed = true), u@;\n"
              "Real g@ = w@ - 0.2 - sin(2*y@);\n",
          .equations =
              "u@ = -sign(g@)/(1 + abs(g@)^1.5);\nder(y@) = w@ - sin(2*y@);\n"
              "der(w@) = 2*cos(2*y@)*(w@ - sin(2*y@)) - y@ + u@;\n",
          .variables = {"y@", "w@"},
          .options = {{"stop", "13"}, {"tolerance", "1e-8"}},
          .tolerance = 1e-5};
}

// The multipliers are not given: start values move by the least change in levels.
Copied pendulum() {
  return {.declarations = "Real x@(start = 0.8), y@(start = -0.5), u@(start = 0.3), w@(start = 0.1), l@;\n",
          .equations =
              "der(x@) = u@;\nder(y@) = w@;\nder(u@) = -l@*x@;\nder(w@) = -l@*y@ - 9.81;\n"
              "x@^2 + y@^2 = 1;\n",
          .variables = {"x@", "y@", "u@", "w@", "l@"},
          .options = {{"stop", "0.5"}, {"tolerance", "1e-9"}},
          .tolerance = 1e-6};
}

// What is divided by goes through zero: only the watch on divisors sees it.
std::string divisors(int n) {
  return "model M\n Real x[" + std::to_string(n) +
         "](each start = 1, each fixed = true);\nequation\n"
         " for k in 1:" +
         std::to_string(n) + " loop\n  (time - 0.5 - k/" + std::to_string(1000 * n) +
         ")*der(x[k]) = x[k] - 1 - time + 0.5 + k/" + std::to_string(1000 * n) + ";\n end for;\nend M;\n";
}

TEST(Copies, OfABridgeOfIdealDiodes) {
  expect_copies_as_one(bridge(), {2, 3, 5});
}

TEST(Copies, OfAConverterWithASwitchAndADiode) {
  expect_copies_as_one(boost(), {2, 9, 17});
}

TEST(Copies, OfSlidingBetweenSidesThatEndAtTheirSurface) {
  expect_copies_as_one(cycle(), {2, 9});
}

TEST(Copies, OfAPendulumWhoseStartMoves) {
  expect_copies_as_one(pendulum(), {2, 15, 60});
}

TEST(Copies, DifferentModelsDoNotDisturbEachOther) {
  Copied slow = boost();
  slow.equations.replace(slow.equations.find("1e-3*der"), 4, "2e-3");
  expect_beside_each_other({boost(), slow, pendulum()});
}

TEST(Copies, SingularPointsAreSeenInModelsOfAnySize) {
  for (const int n : {1, 150, 250}) {
    const HybridRun run = run_text(divisors(n), {{"stop", "1"}});
    EXPECT_EQ(run.result.reason, "impasse") << n << " " << run.words();
  }
}

// Relations over what others move, one after the other: at the start, and at the instant at which the first one turns.
TEST(Copies, ChainsOfRelationsOfAnyLengthSettle) {
  for (const int n : {3, 8, 60, 150}) {
    const std::string text =
        "model M\n parameter Integer N = " + std::to_string(n) +
        ";\n Real x(start = 1, fixed = true), y[N], z(start = 0, fixed = true);\nequation\n"
        " der(x) = -1;\n der(z) = y[N];\n y[1] = if x > 0.5 then 1 else 0;\n"
        " for k in 2:N loop\n  y[k] = if y[k - 1] > 0.5 then 1 else 0;\n end for;\nend M;\n";
    const HybridRun run = run_text(text, {{"stop", "1"}, {"tolerance", "1e-9"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << n << run.words();
    EXPECT_NEAR(run.final("z"), 0.5, 1e-8) << n;
    EXPECT_EQ(run.final("y[" + std::to_string(n) + "]"), 0.0) << n;
    EXPECT_EQ(run.events.size(), static_cast<std::size_t>(n)) << run.log();
  }
}

// What ranks would be needed for, in a model that is too large for them: the bound is named.
TEST(Copies, ABoundThatIsMetIsNamed) {
  std::string declarations;
  std::string initial;
  std::string equations;
  for (int k = 0; k < 80; ++k) {
    declarations += numbered("Real x@(start = 1, fixed = true), y@;\n", k);
    initial += numbered("x@ = y@;\n", k);
    equations += numbered("der(x@) = 0;\ny@ = if time > 0.5 then 2 else 3;\n", k);
  }
  const std::string text =
      "model M\n" + declarations + "initial equation\n" + initial + "equation\n" + equations + "end M;\n";
  const HybridRun run = run_text(text);
  EXPECT_NE(run.result.status, SimulationStatus::success);
  EXPECT_TRUE(run.says("too-large-for-ranks") && run.says("150 variables")) << run.words();
}

}  // namespace
}  // namespace saltus::test
