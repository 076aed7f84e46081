// Tangents of rounds (program/round_solver.cpp) against differences of rounds.

#include <gtest/gtest.h>

#include <cmath>

#include "tangent_harness.hpp"

namespace saltus::program {
namespace {

using test::Direction;
using test::Point;
using test::TangentModel;

struct Counts {
  int rounds = 0;
  int reinits = 0;
  int compared = 0;
};

// What a round is given; everything but truths may move.
struct Given {
  double t = 0.0;
  std::vector<double> previous;
  std::vector<double> x_previous;
  std::vector<double> reinits;
};

// All rounds of one mode with one action fired, or none.
class Comparison {
 public:
  Comparison(const TangentModel& model, std::size_t mode)
      : model_(model),
        point_(test::point_of(model.system(), mode)),
        directions_(model.directions(3)),
        n_(directions_.size()),
        solver_(model.system().rounds(point_.structure).value()) {}

  void run(Counts& counts) {
    const auto tangents = solver_->tangents(model_.parameter_directions(directions_));
    Given given{point_.t, {}, point_.x, {}};
    given.previous.assign(model_.system().variables().size(), 0.0);
    auto evaluator = model_.system().lock(point_.structure).value()->make_evaluator(point_.guess);
    evaluator->set_configuration(point_.configuration);
    if (tangents == nullptr || !evaluator->outputs(given.t, given.x_previous, given.previous).ok()) {
      return;
    }
    for (std::size_t action = 0; action <= model_.system().actions().size(); ++action) {
      SCOPED_TRACE("action " + std::to_string(action));
      fired_.assign(model_.system().actions().size(), 0);
      if (action < fired_.size()) {
        fired_[action] = 1;
      }
      given.reinits.clear();
      const system::RoundSolution solution = compare(*tangents, given, counts);
      if (!solution.reinits.empty()) {
        Given late{given.t, solution.values, solution.x, solution.reinits};
        for (double& reinit : late.reinits) {
          reinit = std::isfinite(reinit) ? reinit : 0.0;
        }
        compare(*tangents, late, counts);
        ++counts.reinits;
      }
    }
  }

 private:
  [[nodiscard]] std::vector<double> moves_of(std::span<const double> values, std::uint32_t seed) const {
    std::vector<double> sizes;
    for (const Direction& direction : directions_) {
      sizes.push_back(direction.x);
    }
    return test::random_moves(values, sizes, seed);
  }

  system::RoundInputs inputs_of(const Given& given) const {
    return {.t = given.t,
            .configuration = &point_.configuration,
            .previous = given.previous,
            .x_previous = given.x_previous,
            .fired = fired_,
            .clocks = {},
            .reinits = given.reinits};
  }

  system::RoundSolution compare(system::RoundTangents& tangents, const Given& given, Counts& counts) {
    system::RoundSolution solution;
    solver_->prepare(solution);
    if (!solver_->solve(inputs_of(given), solution).ok()) {
      return {};
    }
    std::vector<double> time;
    for (const Direction& direction : directions_) {
      time.push_back(direction.time);
    }
    std::vector<double> previous = moves_of(given.previous, 1);
    for (std::size_t i = 0; i < given.previous.size(); ++i) {
      const system::VariableInfo& info = model_.system().variables()[i];
      if (info.is_boolean || info.is_integer) {
        std::fill_n(previous.begin() + static_cast<std::ptrdiff_t>(i * n_), n_, 0.0);
      }
    }
    const std::vector<double> x = moves_of(given.x_previous, 2);
    const std::vector<double> reinits = moves_of(given.reinits, 3);
    system::RoundTangentsFound found;
    const system::Evaluation evaluation =
        tangents.solve(inputs_of(given), {time, previous, x, reinits}, found);
    if (evaluation.status == system::Evaluation::Status::not_finite) {
      return solution;  // a slope may be infinite where a value is not
    }
    EXPECT_TRUE(evaluation.ok());
    ++counts.rounds;
    for (std::size_t k = 0; k < n_; ++k) {
      const auto at = [&](double s) -> std::optional<system::RoundSolution> {
        std::unique_ptr<system::RoundSolver> other;
        if (!directions_[k].parameter.empty()) {
          const auto system = model_.with(directions_[k].parameter, s);
          if (system == nullptr) {
            return std::nullopt;
          }
          other = system->rounds(structure_in(*system, point_)).value();
          kept_ = system;
        }
        const Given moved{given.t + s * time[k], test::moved_by(given.previous, previous, n_, k, s),
                          test::moved_by(given.x_previous, x, n_, k, s),
                          test::moved_by(given.reinits, reinits, n_, k, s)};
        system::RoundSolution result;
        solver_->prepare(result);
        return (other ? *other : *solver_).solve(inputs_of(moved), result).ok() ? std::optional(result)
                                                                                : std::nullopt;
      };
      const auto part = [&](std::vector<double> system::RoundSolution::*member) {
        return [&at, member](double s) {
          const auto result = at(s);
          return result ? (*result).*member : std::vector<double>();
        };
      };
      const std::string along = " along " + directions_[k].name;
      counts.compared += test::expect_tangents(found.x, n_, k, part(&system::RoundSolution::x), "x" + along);
      counts.compared +=
          test::expect_tangents(found.values, n_, k, part(&system::RoundSolution::values), "values" + along);
      counts.compared += test::expect_tangents(found.discrete, n_, k, part(&system::RoundSolution::discrete),
                                               "discrete" + along);
      counts.compared += test::expect_tangents(found.reinits, n_, k, part(&system::RoundSolution::reinits),
                                               "reinits" + along);
    }
    return solution;
  }

  const TangentModel& model_;
  Point point_;
  std::vector<Direction> directions_;
  std::size_t n_;
  std::unique_ptr<system::RoundSolver> solver_;
  std::shared_ptr<const system::HybridSystem> kept_;
  std::vector<std::uint8_t> fired_;
};

TEST(RoundTangents, ExamplesAgreeWithDifferences) {
  Counts counts;
  for (const std::string& file : test::all_examples()) {
    SCOPED_TRACE(file);
    const TangentModel model = TangentModel::example(file);
    for (std::size_t mode = 0; model.system().has_rounds() && mode < model.system().modes().size(); ++mode) {
      SCOPED_TRACE("mode " + model.system().modes()[mode].name);
      Comparison(model, mode).run(counts);
    }
  }
  EXPECT_GE(counts.rounds, 100);
  EXPECT_GE(counts.reinits, 1);
  EXPECT_GE(counts.compared, 5000);
}

// What fired moves with its body; what did not fire, with what was.
TEST(RoundTangents, BouncingBall) {
  const TangentModel model(R"(
model Ball
  parameter Real e = 0.5;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  discrete Real best(start = 0, fixed = true);
  Integer bounces(start = 0, fixed = true);
  discrete Real echo;
equation
  echo = best + 2*pre(best);
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -e*pre(v));
    best = pre(best)*pre(v) + e*time + pre(bounces);
    bounces = pre(bounces) + 1;
  end when;
end Ball;)");
  const system::HybridSystem& system = model.system();
  const auto solver = system.rounds(system.initial_mode()).value();
  const auto tangents = solver->tangents({2, {1.0, 0.0}});  // e moves in the first direction
  const system::InitialPoint initial = system.initial(0.0).value();
  // h, v, best, bounces, echo
  const std::vector<double> previous = {0.0, -4.0, 3.0, 2.0, 0.0};
  const std::vector<double> x = {0.0, -4.0};
  const std::vector<std::uint8_t> fired = {1};
  system::RoundInputs inputs{.t = 2.0,
                             .configuration = &initial.configuration,
                             .previous = previous,
                             .x_previous = x,
                             .fired = fired,
                             .clocks = {}};
  const std::vector<double> time = {0.0, 1.0};
  // In the second direction v moves by 1, best by 0.5, and bounces, which is no number that moves, by 9.
  const std::vector<double> previous_moves = {0, 0, 0, 1, 0, 0.5, 9, 9, 0, 0};
  const std::vector<double> x_moves = {0, 0.1, 0, 1};
  system::RoundTangentsFound found;
  ASSERT_TRUE(tangents->solve(inputs, {time, previous_moves, x_moves, {}}, found).ok());
  // reinit follows the round.
  EXPECT_EQ(found.x, x_moves);
  EXPECT_EQ(found.discrete, (std::vector<double>{2.0, 0.5 * -4.0 + 3.0 + 0.5, 0.0, 0.0, 2.0, 2.5}));
  ASSERT_EQ(found.reinits, (std::vector<double>{4.0, -0.5}));
  const std::vector<double> reinits = {2.0};
  inputs.reinits = reinits;
  const std::vector<double> late_moves = found.reinits;
  const std::vector<double> values_moves = found.values;
  ASSERT_TRUE(tangents->solve(inputs, {time, values_moves, x_moves, late_moves}, found).ok());
  EXPECT_EQ(found.x, (std::vector<double>{0, 0.1, 4.0, -0.5}));
  // Discrete equations are asked in the next round: what they gave stays.
  EXPECT_EQ(found.discrete, (std::vector<double>{2.0, 1.5, 0.0, 0.0, 2.0, 2.5}));
  // Nothing has fired.
  const std::vector<std::uint8_t> none = {0};
  inputs.fired = none;
  inputs.reinits = {};
  ASSERT_TRUE(tangents->solve(inputs, {time, previous_moves, x_moves, {}}, found).ok());
  EXPECT_EQ(found.x, x_moves);
  EXPECT_EQ(found.discrete, (std::vector<double>{0.0, 0.5, 0.0, 0.0, 0.0, 1.5}));
}

}  // namespace
}  // namespace saltus::program
