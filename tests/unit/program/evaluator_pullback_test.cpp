#include "program/evaluator_pullback.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dot_product.hpp"
#include "support/allocation_guard.hpp"
#include "tangent_harness.hpp"

namespace saltus::program {
namespace {

using system::Evaluated;
using system::Evaluation;
using test::DotProduct;
using test::draw;
using test::Point;
using test::TangentModel;

constexpr std::size_t kDirections = 3;

// Sums of one pullback, with what they stand for by parameter.
struct Found {
  explicit Found(const system::Pullback& pullback, std::size_t n_states, std::size_t n_discrete,
                 std::size_t n_parameters)
      : x(n_states), discrete(n_discrete), share(pullback.share_size()), parameters(n_parameters) {}
  [[nodiscard]] system::PullbackSums sums() { return {time, x, discrete, share}; }

  double time = 0.0;
  std::vector<double> x, discrete, share, parameters;
};

// Random directions of everything that moves, and tangents along them.
class Directions {
 public:
  Directions(const TangentModel& model, const Point& point, std::uint32_t seed) {
    std::mt19937 random(seed);
    const std::vector<double> sizes(kDirections, 1.0);
    time = draw(kDirections, random);
    x = test::random_moves(point.x, sizes, seed);
    // Booleans and Integers too: they rest whatever is said.
    discrete = test::random_moves(point.configuration.discrete, sizes, seed + 1);
    Diagnostics diagnostics(model.flat().source);
    const std::vector<double> values = ParameterValues(model.flat()).all(diagnostics);
    parameters.n_directions = kDirections;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool moves = values[i] != 0.0 && std::isfinite(values[i]);
      const std::vector<double> drawn = draw(kDirections, random, -std::abs(values[i]), std::abs(values[i]));
      for (const double move : drawn) parameters.parameters.push_back(moves ? move : 0.0);
    }
  }
  [[nodiscard]] system::Seeds seeds() const { return {time, x, discrete}; }
  [[nodiscard]] DotProduct back(const Found& found, std::size_t k) const {
    DotProduct result;
    result.add(found.time, time[k]);
    result.add(found.x, x, kDirections, k);
    result.add(found.discrete, discrete, kDirections, k);
    result.add(found.parameters, parameters.parameters, kDirections, k);
    return result;
  }

  std::vector<double> time, x, discrete;
  system::ParameterDirections parameters;
};

struct Counts {
  int rates = 0;
  int outputs = 0;
  int guards = 0;
  int refused = 0;
};

class Comparison {
 public:
  Comparison(const TangentModel& model, std::size_t mode, double tolerance)
      : model_(model),
        tolerance_(tolerance),
        point_(test::point_of(model.system(), mode)),
        directions_(model, point_, 17) {
    evaluator_ =
        model.system().lock(structure_in(model.system(), point_)).value()->make_evaluator(point_.guess);
    evaluator_->set_configuration(point_.configuration);
    std::vector<double> xdot(point_.x.size());
    has_values_ = evaluator_->rhs(point_.t, point_.x, xdot).ok();
    tangents_ = evaluator_->tangents(directions_.parameters);
  }

  void run(Counts& counts) {
    EXPECT_EQ(tangents_ == nullptr, evaluator_->pullback(Evaluated::rates) == nullptr);
    if (tangents_ == nullptr || !has_values_) {
      return;
    }
    counts.rates += compare(Evaluated::rates, point_.x.size(), counts);
    counts.outputs += compare(Evaluated::outputs, model_.system().variables().size(), counts);
    counts.guards += compare(Evaluated::guards, model_.system().guards().size(), counts);
  }

 private:
  Evaluation move(Evaluated of, std::span<const Index> guards, std::span<double> tangents) {
    switch (of) {
      case Evaluated::rates: return tangents_->rates(point_.t, point_.x, directions_.seeds(), tangents);
      case Evaluated::outputs: return tangents_->outputs(point_.t, point_.x, directions_.seeds(), tangents);
      default: return tangents_->guards(guards, point_.t, point_.x, directions_.seeds(), tangents);
    }
  }

  // Gives how many sums were compared.
  int compare(Evaluated of, std::size_t n, Counts& counts) {
    SCOPED_TRACE("of " + std::to_string(static_cast<int>(of)));
    const auto pullback = evaluator_->pullback(of);
    std::vector<double> tangents(n * kDirections, 0.0);
    std::vector<char> is_defined(n, 1);
    if (of != Evaluated::guards) {
      if (!move(of, {}, tangents).ok()) {
        ++counts.refused;
        return 0;
      }
    }
    for (std::size_t i = 0; of == Evaluated::guards && i < n; ++i) {
      const auto guard = static_cast<Index>(i);
      is_defined[i] =
          move(of, {&guard, 1}, std::span(tangents).subspan(i * kDirections, kDirections)).ok() ? 1 : 0;
    }
    std::mt19937 random(23);
    int n_compared = 0;
    // All at once, and one alone.
    for (int repetition = 0; repetition < 3; ++repetition) {
      std::vector<double> weights = draw(n, random);
      const std::size_t alone = n == 0 ? 0 : random() % n;
      for (std::size_t i = 0; i < n; ++i) {
        weights[i] = is_defined[i] != 0 && (repetition < 2 || i == alone) ? weights[i] : 0.0;
      }
      Found found(*pullback, point_.x.size(), point_.configuration.discrete.size(),
                  model_.flat().parameters.size());
      const Evaluation evaluation = pullback->at(point_.t, point_.x, weights, found.sums());
      if (!evaluation.ok()) {
        // In no direction at all, although in these: a slope by what rests in them.
        EXPECT_EQ(evaluation.status, Evaluation::Status::not_finite);
        ++counts.refused;
        continue;
      }
      pullback->to_parameters(found.share, found.parameters);
      for (std::size_t k = 0; k < kDirections; ++k) {
        DotProduct forward;
        for (std::size_t i = 0; i < n; ++i) {
          forward.add(weights[i], is_defined[i] != 0 ? tangents[i * kDirections + k] : 0.0);
        }
        test::expect_equal(forward, directions_.back(found, k), tolerance_, "direction " + std::to_string(k));
        n_compared += forward.size > 0.0 ? 1 : 0;
      }
      for (std::size_t i = 0; i < found.discrete.size(); ++i) {
        const system::VariableInfo& info =
            model_.system().variables()[static_cast<std::size_t>(model_.system().discrete()[i])];
        EXPECT_TRUE(!(info.is_boolean || info.is_integer) || found.discrete[i] == 0.0);
      }
    }
    return n_compared;
  }

  const TangentModel& model_;
  double tolerance_;
  Point point_;
  Directions directions_;
  std::unique_ptr<system::Evaluator> evaluator_;
  bool has_values_ = false;
  std::unique_ptr<system::Tangents> tangents_;
};

// Rates, outputs and guards of every mode of every example.
TEST(EvaluatorPullback, ExamplesAreTransposesOfTheirTangents) {
  Counts counts;
  for (const std::string& file : test::all_examples()) {
    SCOPED_TRACE(file);
    const TangentModel model = TangentModel::example(file);
    ASSERT_TRUE(model.ok());
    for (std::size_t mode = 0; mode < model.system().modes().size(); ++mode) {
      SCOPED_TRACE("mode " + model.system().modes()[mode].name);
      // Bars that share a load by their stiffness alone: blocks that are singular but for a few digits.
      const bool is_all_but_singular = file.find("_bars") != std::string::npos;
      Comparison(model, mode, is_all_but_singular ? 1e-7 : 1e-11).run(counts);
    }
  }
  EXPECT_GE(counts.rates, 1000);
  EXPECT_GE(counts.outputs, 1000);
  EXPECT_GE(counts.guards, 300);
  EXPECT_LE(counts.refused, 10);
}

// A model and an evaluator at its start.
struct Small {
  explicit Small(const std::string& text) : model(text) {
    evaluator = model.system().lock(model.system().initial_mode()).value()->make_evaluator();
    evaluator->set_configuration(model.system().initial(0.0).value().configuration);
  }
  Found pull(Evaluated of, double t, std::vector<double> x, const std::vector<double>& weights) {
    const auto pullback = evaluator->pullback(of);
    Found found(*pullback, x.size(), model.system().discrete().size(), model.flat().parameters.size());
    evaluation = pullback->at(t, x, weights, found.sums());
    pullback->to_parameters(found.share, found.parameters);
    return found;
  }
  TangentModel model;
  std::unique_ptr<system::Evaluator> evaluator;
  Evaluation evaluation;
};

TEST(EvaluatorPullback, NothingIsAskedOfAnInfiniteSlope) {
  Small s(R"(
model M
  parameter Real p = 2;
  Real x(start = 0, fixed = true), v(start = 1, fixed = true), y;
equation
  der(x) = -sqrt(x);
  der(v) = p*v;
  y = log(x);
end M;)");
  const Found found = s.pull(Evaluated::rates, 0.0, {0.0, 3.0}, {0.0, 5.0});
  EXPECT_TRUE(s.evaluation.ok());
  EXPECT_EQ(found.x, (std::vector<double>{0.0, 10.0}));
  EXPECT_EQ(found.parameters, std::vector<double>{15.0});
  s.pull(Evaluated::rates, 0.0, {0.0, 3.0}, {2.0, 5.0});
  EXPECT_EQ(s.evaluation.status, Evaluation::Status::not_finite);
  EXPECT_EQ(s.evaluation.culprit, 0);
  // y is -∞: only the others may be asked for.
  EXPECT_TRUE((s.pull(Evaluated::outputs, 0.0, {0.0, 3.0}, {1.0, 1.0, 0.0}), s.evaluation.ok()));
  s.pull(Evaluated::outputs, 0.0, {0.0, 3.0}, {1.0, 1.0, 1.0});
  EXPECT_EQ(s.evaluation.status, Evaluation::Status::not_finite);
  EXPECT_EQ(s.evaluation.culprit, 2 + 2);
}

// Sums are added to; parameters that depend on parameters stand for themselves; zeros get nothing.
TEST(EvaluatorPullback, ParametersOfParametersAndArrays) {
  Small s(R"(
model M
  parameter Real a = 3;
  parameter Real b = 2*a + 1;
  parameter Real none = 0;
  parameter Real w[3] = {1, 2, 4};
  Real x[3](each start = 1, each fixed = true);
equation
  for i in 1:3 loop
    der(x[i]) = -w[i]*x[i]*exp(b) + none*x[i]^2 + a^2*time;
  end for;
end M;)");
  const auto pullback = s.evaluator->pullback(Evaluated::rates);
  Found found(*pullback, 3, 0, 6);
  const std::vector<double> x = {0.5, 0.25, 2.0};
  for (int repetition = 0; repetition < 2; ++repetition) {
    ASSERT_TRUE(pullback->at(0.5, x, std::vector<double>{1.0, 10.0, 100.0}, found.sums()).ok());
  }
  pullback->to_parameters(found.share, found.parameters);
  const double e = std::exp(7.0);
  const auto near = [](const std::vector<double>& values, const std::vector<double>& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], expected[i], 1e-14 * std::abs(expected[i])) << i;
    }
  };
  near({found.time}, {2 * 111.0 * 9.0});
  near(found.x, {-2 * e, -2 * 20 * e, -2 * 400 * e});
  near(found.parameters, {2 * 111.0 * 6.0 * 0.5, -2 * e * (0.5 + 10 * 0.5 + 100 * 8.0), 0.0, -2 * 0.5 * e,
                          -2 * 10 * 0.25 * e, -2 * 100 * 2.0 * e});
}

const char* const kTwoRoots = R"(
model M
  parameter Real p = 2;
  Real x(start = 4, fixed = true), z(start = -2);
equation
  z^2 + 0.1*sin(z) = x*p;
  der(x) = z;
end M;)";

// dz/dx = p/(2z + 0.1 cos z) on the root that the evaluator follows; what it computes afterwards is the same in every bit.
void expect_root(double start) {
  Small asked(kTwoRoots);
  Small alone(kTwoRoots);
  for (Small* one : {&asked, &alone}) {
    one->evaluator =
        one->model.system().lock(one->model.system().initial_mode()).value()->make_evaluator({&start, 1});
    // Beside the only point that the evaluator has been at.
    const double x = 4.0;
    double z = 0.0;
    ASSERT_TRUE(one->evaluator->rhs(0.0, {&x, 1}, {&z, 1}).ok());
    ASSERT_GT(z * start, 0.0);
  }
  const auto pullback = asked.evaluator->pullback(Evaluated::rates);
  const auto outputs = asked.evaluator->pullback(Evaluated::outputs);
  Found found(*pullback, 1, 0, 1);
  Found of_outputs(*outputs, 1, 0, 1);
  for (int k = 0; k < 100; ++k) {
    const double x = 4.5 + std::sin(0.1 * k);
    const double one = 1.0;
    double with = 0.0;
    double without = 0.0;
    for (const double& at : {4.0 + std::cos(0.3 * k), x}) {
      const saltus::test::AllocationGuard guard;
      found.x[0] = 0.0;
      ASSERT_TRUE(pullback->at(0.0, {&at, 1}, {&one, 1}, found.sums()).ok());
      ASSERT_TRUE(outputs->at(0.0, {&at, 1}, std::vector<double>{1.0, 1.0}, of_outputs.sums()).ok());
      EXPECT_LE(guard.count(), 1);  // the weights above
    }
    ASSERT_TRUE(asked.evaluator->rhs(0.0, {&x, 1}, {&with, 1}).ok());
    ASSERT_TRUE(alone.evaluator->rhs(0.0, {&x, 1}, {&without, 1}).ok());
    ASSERT_EQ(with, without) << k;
    EXPECT_NEAR(found.x[0], 2.0 / (2.0 * with + 0.1 * std::cos(with)), 1e-15);
  }
}

TEST(EvaluatorPullback, FollowsTheRootOfTheEvaluator) {
  expect_root(-3.0);
  expect_root(3.0);
}

// The culprit is the result that is steep, not the first one that has a weight.
TEST(EvaluatorPullback, TheSteepResultIsTheCulprit) {
  Small s(R"(
model M
  Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = 3*x*y;
  der(y) = sqrt(y);
end M;)");
  s.pull(Evaluated::rates, 0.0, {1.0, 0.0}, {1.0, 1.0});
  EXPECT_EQ(s.evaluation.status, Evaluation::Status::not_finite);
  EXPECT_EQ(s.evaluation.culprit, 1);
}

// z² = x has no solution at -1, which is the business of guards that read z alone.
TEST(EvaluatorPullback, GuardsWithoutAWeightAreNotComputed) {
  Small s(R"(
model M
  Real x(start = 4, fixed = true), z(start = 2);
  discrete Real n(start = 0, fixed = true);
equation
  z^2 = x;
  der(x) = -1;
  when x < 3 then
    n = 1;
  elsewhen z > 7 then
    n = 2;
  end when;
end M;)");
  ASSERT_EQ(s.model.system().guards().size(), 2U);
  const std::vector<double> x = {-1.0};
  int n_ok = 0;
  for (const std::vector<double>& weights : {std::vector<double>{1.0, 0.0}, std::vector<double>{0.0, 1.0}}) {
    const Found found = s.pull(Evaluated::guards, 0.0, x, weights);
    n_ok += s.evaluation.ok() ? 1 : 0;
    EXPECT_TRUE(!s.evaluation.ok() || std::abs(found.x[0]) == 1.0);
  }
  EXPECT_EQ(n_ok, 1);
}

// While a guard is slid on, its weight is a number.
TEST(EvaluatorPullback, WeightsRest) {
  Small s(R"(
model M
  parameter Real p = 2;
  Real x(start = 1, fixed = true);
equation
  der(x) = if x > 0 then -p*x else 3*x;
end M;)");
  s.evaluator->set_latched(0, -0.5);  // a quarter of the first
  const Found found = s.pull(Evaluated::rates, 0.0, {0.5}, {4.0});
  EXPECT_NEAR(found.x[0], -2.0 + 9.0, 1e-15);
  EXPECT_NEAR(found.parameters[0], -0.5, 1e-15);
}

}  // namespace
}  // namespace saltus::program
