// Pullbacks of rounds (program/round_pullback.cpp) beside their tangents.

#include <gtest/gtest.h>

#include <cmath>

#include "dot_product.hpp"
#include "support/allocation_guard.hpp"
#include "tangent_harness.hpp"

namespace saltus::program {
namespace {

using test::DotProduct;
using test::draw;
using test::Point;
using test::TangentModel;

constexpr std::size_t kDirections = 3;

struct Counts {
  int rounds = 0;
  int reinits = 0;
  int refused = 0;
};

// What a round is given.
struct Given {
  double t = 0.0;
  std::vector<double> previous;
  std::vector<double> x_previous;
  std::vector<double> reinits;
};

// What falls to it.
struct Sums {
  Sums(const Given& given, const system::RoundPullback& pullback, std::size_t n_parameters)
      : previous(given.previous.size()),
        x(given.x_previous.size()),
        reinits(given.reinits.size()),
        share(pullback.share_size()),
        parameters(n_parameters) {}
  [[nodiscard]] system::RoundSums sums() { return {time, previous, x, reinits, share}; }

  double time = 0.0;
  std::vector<double> previous, x, reinits, share, parameters;
};

// All rounds of one mode with one action fired, or none.
class Comparison {
 public:
  Comparison(const TangentModel& model, std::size_t mode, double tolerance)
      : model_(model),
        tolerance_(tolerance),
        point_(test::point_of(model.system(), mode)),
        random_(31),
        solver_(model.system().rounds(point_.structure).value()),
        pullback_(solver_->pullback()) {
    Diagnostics diagnostics(model.flat().source);
    parameters_.n_directions = kDirections;
    for (const double value : ParameterValues(model.flat()).all(diagnostics)) {
      for (const double move : draw(kDirections, random_)) {
        parameters_.parameters.push_back(value != 0.0 && std::isfinite(value) ? move * value : 0.0);
      }
    }
    tangents_ = solver_->tangents(parameters_);
  }

  void run(Counts& counts) {
    Given given{point_.t, {}, point_.x, {}};
    given.previous.assign(model_.system().variables().size(), 0.0);
    auto evaluator = model_.system().lock(point_.structure).value()->make_evaluator(point_.guess);
    evaluator->set_configuration(point_.configuration);
    ASSERT_EQ(tangents_ == nullptr, pullback_ == nullptr);
    if (tangents_ == nullptr || !evaluator->outputs(given.t, given.x_previous, given.previous).ok()) {
      return;
    }
    for (std::size_t action = 0; action <= model_.system().actions().size(); ++action) {
      SCOPED_TRACE("action " + std::to_string(action));
      fired_.assign(model_.system().actions().size(), 0);
      if (action < fired_.size()) {
        fired_[action] = 1;
      }
      given.reinits.clear();
      const system::RoundSolution solution = compare(given, counts);
      if (!solution.reinits.empty()) {
        Given late{given.t, solution.values, solution.x, solution.reinits};
        for (double& reinit : late.reinits) {
          reinit = std::isfinite(reinit) ? reinit : 0.0;
        }
        compare(late, counts);
        ++counts.reinits;
      }
    }
  }

 private:
  system::RoundSolution compare(const Given& given, Counts& counts) {
    const system::RoundInputs inputs{.t = given.t,
                                     .configuration = &point_.configuration,
                                     .previous = given.previous,
                                     .x_previous = given.x_previous,
                                     .fired = fired_,
                                     .clocks = {},
                                     .reinits = given.reinits};
    system::RoundSolution solution;
    solver_->prepare(solution);
    if (!solver_->solve(inputs, solution).ok()) {
      return {};
    }
    // Booleans and Integers too: they rest whatever is said.
    const std::vector<double> sizes(kDirections, 1.0);
    const std::vector<double> time = draw(kDirections, random_);
    const std::vector<double> previous = test::random_moves(given.previous, sizes, 1);
    const std::vector<double> x = test::random_moves(given.x_previous, sizes, 2);
    const std::vector<double> reinits = test::random_moves(given.reinits, sizes, 3);
    system::RoundTangentsFound found;
    if (!tangents_->solve(inputs, {time, previous, x, reinits}, found).ok()) {
      ++counts.refused;
      return solution;
    }
    // All at once, then each kind alone.
    for (int kind = 0; kind <= 4; ++kind) {
      SCOPED_TRACE("weights " + std::to_string(kind));
      const auto weights_of = [&](int of, std::span<const double> tangents, std::span<const double> values) {
        std::vector<double> weights =
            kind == 0 || kind == of ? draw(values.size(), random_) : std::vector<double>();
        for (std::size_t i = 0; i < weights.size(); ++i) {
          bool is_defined = std::isfinite(values[i]);
          for (std::size_t k = 0; k < kDirections; ++k) {
            is_defined = is_defined && std::isfinite(tangents[i * kDirections + k]);
          }
          weights[i] = is_defined ? weights[i] : 0.0;
        }
        return weights;
      };
      const std::vector<double> of_x = weights_of(1, found.x, solution.x);
      const std::vector<double> of_values = weights_of(2, found.values, solution.values);
      const std::vector<double> of_discrete = weights_of(3, found.discrete, solution.discrete);
      const std::vector<double> of_reinits = weights_of(4, found.reinits, solution.reinits);
      Sums sums(given, *pullback_, parameters_.parameters.size() / kDirections);
      if (!pullback_->solve(inputs, {of_x, of_values, of_discrete, of_reinits}, sums.sums()).ok()) {
        ++counts.refused;
        continue;
      }
      pullback_->to_parameters(sums.share, sums.parameters);
      ++counts.rounds;
      for (std::size_t k = 0; k < kDirections; ++k) {
        DotProduct forward;
        DotProduct back;
        forward.add(of_x, found.x, kDirections, k);
        forward.add(of_values, found.values, kDirections, k);
        forward.add(of_discrete, found.discrete, kDirections, k);
        for (std::size_t i = 0; i < of_reinits.size(); ++i) {
          if (of_reinits[i] != 0.0) {
            forward.add(of_reinits[i], found.reinits[i * kDirections + k]);
          }
        }
        back.add(sums.time, time[k]);
        back.add(sums.previous, previous, kDirections, k);
        back.add(sums.x, x, kDirections, k);
        back.add(sums.reinits, reinits, kDirections, k);
        back.add(sums.parameters, parameters_.parameters, kDirections, k);
        test::expect_equal(forward, back, tolerance_, "direction " + std::to_string(k));
      }
    }
    return solution;
  }

  const TangentModel& model_;
  double tolerance_;
  Point point_;
  std::mt19937 random_;
  std::unique_ptr<system::RoundSolver> solver_;
  std::unique_ptr<system::RoundPullback> pullback_;
  system::ParameterDirections parameters_;
  std::unique_ptr<system::RoundTangents> tangents_;
  std::vector<std::uint8_t> fired_;
};

TEST(RoundPullback, ExamplesAreTransposesOfTheirTangents) {
  Counts counts;
  for (const std::string& file : test::all_examples()) {
    SCOPED_TRACE(file);
    const TangentModel model = TangentModel::example(file);
    for (std::size_t mode = 0; model.system().has_rounds() && mode < model.system().modes().size(); ++mode) {
      SCOPED_TRACE("mode " + model.system().modes()[mode].name);
      // Bars that share a load by their stiffness alone: blocks that are singular but for a few digits.
      const bool is_all_but_singular = file.find("_bars") != std::string::npos;
      Comparison(model, mode, is_all_but_singular ? 1e-7 : 1e-11).run(counts);
    }
  }
  EXPECT_GE(counts.rounds, 500);
  EXPECT_GE(counts.reinits, 1);
  EXPECT_LE(counts.refused, 20);
}

// What fired passes on by its body; what did not fire, to what was. Each sum by hand.
TEST(RoundPullback, BouncingBall) {
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
  const auto pullback = solver->pullback();
  const system::InitialPoint initial = system.initial(0.0).value();
  // h, v, best, bounces, echo
  Given given{2.0, {0.0, -4.0, 3.0, 2.0, 0.0}, {0.0, -4.0}, {}};
  const std::vector<std::uint8_t> fired = {1};
  system::RoundInputs inputs{.t = 2.0,
                             .configuration = &initial.configuration,
                             .previous = given.previous,
                             .x_previous = given.x_previous,
                             .fired = fired,
                             .clocks = {}};
  // 10·best + 100·bounces + 1000·echo, with best = pre(best)·pre(v) + e·t + pre(bounces), echo = best + 2·pre(best)
  const std::vector<double> of_discrete = {10.0, 100.0, 1000.0};
  const std::vector<double> of_reinits = {7.0};  // -e·pre(v)
  Sums sums(given, *pullback, 1);
  ASSERT_TRUE(pullback->solve(inputs, {{}, {}, of_discrete, of_reinits}, sums.sums()).ok());
  pullback->to_parameters(sums.share, sums.parameters);
  EXPECT_EQ(sums.time, 1010.0 * 0.5);
  EXPECT_EQ(sums.previous,
            (std::vector<double>{0.0, 1010.0 * 3.0 - 7.0 * 0.5, 1010.0 * -4.0 + 2000.0, 0.0, 0.0}));
  EXPECT_EQ(sums.x, (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(sums.parameters, (std::vector<double>{1010.0 * 2.0 + 7.0 * 4.0}));
  // After the round v is what reinit says, and discrete variables are what they were.
  given.reinits = {2.0};
  inputs.reinits = given.reinits;
  const std::vector<double> of_x = {3.0, 5.0};
  Sums late(given, *pullback, 1);
  {
    const saltus::test::AllocationGuard guard;
    ASSERT_TRUE(pullback->solve(inputs, {of_x, {}, of_discrete, {}}, late.sums()).ok());
    EXPECT_EQ(guard.count(), 0);
  }
  EXPECT_EQ(late.x, (std::vector<double>{3.0, 0.0}));
  EXPECT_EQ(late.reinits, std::vector<double>{5.0});
  EXPECT_EQ(late.previous, (std::vector<double>{0.0, 0.0, 10.0, 0.0, 1000.0}));
  EXPECT_EQ(late.time, 0.0);
}

// A weight that is zero asks for nothing of a slope that is infinite; one that is not says whose it is.
TEST(RoundPullback, InfiniteSlopes) {
  const TangentModel model(R"(
model M
  Real x(start = 1, fixed = true);
  discrete Real a(start = 0, fixed = true), b(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 2 then
    a = sqrt(pre(x));
    b = 3*pre(x);
  end when;
end M;)");
  const system::HybridSystem& system = model.system();
  const auto solver = system.rounds(system.initial_mode()).value();
  const auto pullback = solver->pullback();
  const system::InitialPoint initial = system.initial(0.0).value();
  const Given given{2.0, {0.0, 1.0, 1.0}, {0.0}, {}};
  const std::vector<std::uint8_t> fired = {1};
  const system::RoundInputs inputs{.t = 2.0,
                                   .configuration = &initial.configuration,
                                   .previous = given.previous,
                                   .x_previous = given.x_previous,
                                   .fired = fired,
                                   .clocks = {}};
  Sums sums(given, *pullback, 0);
  const std::vector<double> second = {0.0, 2.0};
  ASSERT_TRUE(pullback->solve(inputs, {{}, {}, second, {}}, sums.sums()).ok());
  EXPECT_EQ(sums.previous[0], 6.0);
  const std::vector<double> both = {1.0, 2.0};
  const system::Evaluation evaluation = pullback->solve(inputs, {{}, {}, both, {}}, sums.sums());
  EXPECT_EQ(evaluation.status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(evaluation.culprit, 1 + 1);  // behind the state: x, a
}

}  // namespace
}  // namespace saltus::program
