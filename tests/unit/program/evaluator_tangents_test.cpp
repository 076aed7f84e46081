#include "program/evaluator_tangents.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/allocation_guard.hpp"
#include "tangent_harness.hpp"

namespace saltus::program {
namespace {

using test::Direction;
using test::Point;
using test::point_of;
using test::TangentModel;

// An evaluator as it stands at a point.
std::unique_ptr<system::Evaluator> evaluator_at(const system::HybridSystem& system, const Point& point) {
  auto evaluator = system.lock(structure_in(system, point)).value()->make_evaluator(point.guess);
  evaluator->set_configuration(point.configuration);
  return evaluator;
}

struct Counts {
  int rates = 0;
  int outputs = 0;
  int guards = 0;
  int modes = 0;
};

class Comparison {
 public:
  Comparison(const TangentModel& model, std::size_t mode, std::size_t most_parameters)
      : model_(model),
        point_(point_of(model.system(), mode)),
        directions_(model.directions(most_parameters)),
        n_(directions_.size()),
        evaluator_(evaluator_at(model.system(), point_)) {
    std::vector<double> x_sizes;
    std::vector<double> discrete_sizes;
    for (const Direction& direction : directions_) {
      time_.push_back(direction.time);
      x_sizes.push_back(direction.x);
      discrete_sizes.push_back(direction.discrete);
    }
    x_ = test::random_moves(point_.x, x_sizes, 1);
    discrete_ = test::discrete_moves(model.system(), point_.configuration.discrete, discrete_sizes, 2);
  }

  // Whether there is anything to be compared.
  bool run(Counts& counts) {
    std::vector<double> xdot(point_.x.size());
    const system::Evaluation at_point = evaluator_->rhs(point_.t, point_.x, xdot);
    const auto tangents = evaluator_->tangents(model_.parameter_directions(directions_));
    if (tangents == nullptr || !at_point.ok()) {
      return false;
    }
    ++counts.modes;
    const system::Seeds seeds{time_, x_, discrete_};
    std::vector<double> found(point_.x.size() * n_);
    const system::Evaluation rates = tangents->rates(point_.t, point_.x, seeds, found);
    EXPECT_TRUE(rates.ok()) << evaluator_->describe(rates, point_.t);
    counts.rates += compare(found, "rates", [](system::Evaluator& e, double t, const std::vector<double>& x) {
      std::vector<double> values(x.size());
      return e.rhs(t, x, values).ok() ? values : std::vector<double>();
    });
    const std::size_t n_columns = model_.system().variables().size();
    found.assign(n_columns * n_, 0.0);
    std::vector<double> columns(n_columns);
    if (evaluator_->outputs(point_.t, point_.x, columns).ok()) {
      EXPECT_TRUE(tangents->outputs(point_.t, point_.x, seeds, found).ok());
      counts.outputs += compare(found, "outputs",
                                [n_columns](system::Evaluator& e, double t, const std::vector<double>& x) {
                                  std::vector<double> values(n_columns);
                                  return e.outputs(t, x, values).ok() ? values : std::vector<double>();
                                });
    }
    compare_guards(*tangents, seeds, counts);
    // The evaluator has not noticed anything.
    std::vector<double> again(xdot.size());
    EXPECT_TRUE(evaluator_at(model_.system(), point_)->rhs(point_.t, point_.x, again).ok());
    EXPECT_EQ(xdot, again);
    return true;
  }

 private:
  using Function = std::function<std::vector<double>(system::Evaluator&, double, const std::vector<double>&)>;

  int compare(std::span<const double> tangents, const std::string& what, const Function& function) {
    int n_compared = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      const auto at = [&](double s) -> std::vector<double> {
        const auto system =
            directions_[k].parameter.empty() ? nullptr : model_.with(directions_[k].parameter, s);
        if (system == nullptr && !directions_[k].parameter.empty()) {
          return {};
        }
        Point moved = point_;
        moved.t += s * time_[k];
        moved.x = test::moved_by(point_.x, x_, n_, k, s);
        moved.configuration.discrete = test::moved_by(point_.configuration.discrete, discrete_, n_, k, s);
        if (system == nullptr) {
          evaluator_->set_configuration(moved.configuration);
          return function(*evaluator_, moved.t, moved.x);
        }
        return function(*evaluator_at(*system, moved), moved.t, moved.x);
      };
      n_compared += test::expect_tangents(tangents, n_, k, at, what + " along " + directions_[k].name);
    }
    evaluator_->set_configuration(point_.configuration);
    return n_compared;
  }

  void compare_guards(system::Tangents& tangents, const system::Seeds& seeds, Counts& counts) {
    for (Index guard = 0; guard < std::ssize(model_.system().guards()); ++guard) {
      double value = 0.0;
      if (!evaluator_->guards({&guard, 1}, point_.t, point_.x, {&value, 1}).ok()) {
        continue;
      }
      std::vector<double> found(n_);
      const system::Evaluation evaluation = tangents.guards({&guard, 1}, point_.t, point_.x, seeds, found);
      if (evaluation.status == system::Evaluation::Status::not_finite) {
        continue;  // a slope may be infinite where a value is not
      }
      EXPECT_TRUE(evaluation.ok());
      counts.guards += compare(found, "guard " + std::to_string(guard),
                               [guard](system::Evaluator& e, double t, const std::vector<double>& x) {
                                 double of_guard = 0.0;
                                 return e.guards({&guard, 1}, t, x, {&of_guard, 1}).ok()
                                            ? std::vector<double>{of_guard}
                                            : std::vector<double>();
                               });
    }
  }

  const TangentModel& model_;
  Point point_;
  std::vector<Direction> directions_;
  std::size_t n_;
  std::unique_ptr<system::Evaluator> evaluator_;
  std::vector<double> time_, x_, discrete_;
};

// Rates, outputs and guards of every mode of every example that is not reduced by ranks: linear and nonlinear blocks, arrays, index 3,
// discrete values.
TEST(EvaluatorTangents, ExamplesAgreeWithDifferences) {
  Counts counts;
  for (const std::string& file : test::all_examples()) {
    SCOPED_TRACE(file);
    const TangentModel model = TangentModel::example(file);
    ASSERT_TRUE(model.ok());
    for (std::size_t mode = 0; mode < model.system().modes().size(); ++mode) {
      SCOPED_TRACE("mode " + model.system().modes()[mode].name);
      Comparison(model, mode, 3).run(counts);
    }
  }
  EXPECT_GE(counts.modes, 120);
  EXPECT_GE(counts.rates, 5000);
  EXPECT_GE(counts.outputs, 9000);
  EXPECT_GE(counts.guards, 2500);
}

// A model, an evaluator at its start and tangents in the direction of one parameter, or of none.
struct Small {
  explicit Small(const std::string& text, const std::string& parameter = {}) : model(text) {
    evaluator = model.system().lock(model.system().initial_mode()).value()->make_evaluator();
    configuration = model.system().initial(0.0).value().configuration;
    evaluator->set_configuration(configuration);
    std::vector<Direction> directions = {{.name = "one", .parameter = parameter}};
    tangents = evaluator->tangents(model.parameter_directions(directions));
  }
  TangentModel model;
  system::Configuration configuration;
  std::unique_ptr<system::Evaluator> evaluator;
  std::unique_ptr<system::Tangents> tangents;
};

TEST(EvaluatorTangents, NothingMovesAtAnInfiniteSlope) {
  Small s(R"(
model M
  Real x(start = 0, fixed = true), y;
equation
  der(x) = -sqrt(x);
  y = 3*x^0.5;
end M;)");
  const double x = 0.0;
  const double still = 0.0;
  const double moving = 1.0;
  double rate = 7.0;
  EXPECT_TRUE(s.tangents->rates(0.0, {&x, 1}, {{&still, 1}, {&still, 1}, {}}, {&rate, 1}).ok());
  EXPECT_EQ(rate, 0.0);
  std::vector<double> outputs(2);
  EXPECT_TRUE(s.tangents->outputs(0.0, {&x, 1}, {{&moving, 1}, {&still, 1}, {}}, outputs).ok());
  EXPECT_EQ(outputs, (std::vector<double>{0.0, 0.0}));
  const system::Evaluation evaluation =
      s.tangents->rates(0.0, {&x, 1}, {{&still, 1}, {&moving, 1}, {}}, {&rate, 1});
  EXPECT_EQ(evaluation.status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(evaluation.culprit, 0);
  EXPECT_EQ(s.tangents->outputs(0.0, {&x, 1}, {{&still, 1}, {&moving, 1}, {}}, outputs).culprit, 2);
}

// A value that is not finite has no tangent, also where nothing moves.
TEST(EvaluatorTangents, ValuesThatAreNotFinite) {
  Small s("model M Real x(start = 1, fixed = true); equation der(x) = log(x); end M;");
  const double x = -1.0;
  const double still = 0.0;
  double rate = 0.0;
  EXPECT_EQ(s.tangents->rates(0.0, {&x, 1}, {{&still, 1}, {&still, 1}, {}}, {&rate, 1}).status,
            system::Evaluation::Status::not_finite);
}

const char* const kTwoRoots = R"(
model M
  parameter Real p = 2;
  Real x(start = 4, fixed = true), z(start = -2);
equation
  z^2 + 0.1*sin(z) = x*p;
  der(x) = z;
end M;)";

// dz/dx = p/(2z + 0.1 cos z) on the root that the evaluator follows.
TEST(EvaluatorTangents, FollowTheRootOfTheEvaluator) {
  for (const double start : {-3.0, 3.0}) {
    Small s(kTwoRoots);
    s.evaluator = s.model.system().lock(s.model.system().initial_mode()).value()->make_evaluator({&start, 1});
    s.tangents = s.evaluator->tangents({1, {0.0}});
    const double one = 1.0;
    double z = 0.0;
    double rate = 0.0;
    // Beside the only point that the evaluator has been at.
    const double first = 4.0;
    ASSERT_TRUE(s.evaluator->rhs(0.0, {&first, 1}, {&z, 1}).ok());
    EXPECT_GT(z * start, 0.0);
    const double x = 4.5;
    ASSERT_TRUE(s.tangents->rates(0.0, {&x, 1}, {{&one, 1}, {&one, 1}, {}}, {&rate, 1}).ok());
    EXPECT_GT(rate * start, 0.0);
    ASSERT_TRUE(s.evaluator->rhs(0.0, {&x, 1}, {&z, 1}).ok());
    EXPECT_NEAR(rate, 2.0 / (2.0 * z + 0.1 * std::cos(z)), 1e-15);
  }
}

// Tangents at other points, on the way, change no bit of what the evaluator gives.
TEST(EvaluatorTangents, LeaveTheEvaluatorAsItIs) {
  Small asked(kTwoRoots, "p");
  Small alone(kTwoRoots, "p");
  const double one = 1.0;
  for (int k = 0; k < 200; ++k) {
    const double x = 4.0 + std::sin(0.1 * k);
    const double elsewhere = 4.0 + std::cos(0.3 * k);
    double with = 0.0;
    double without = 0.0;
    double rate = 0.0;
    std::vector<double> outputs(2);
    for (const double& at : {elsewhere, x}) {
      ASSERT_TRUE(asked.tangents->rates(0.0, {&at, 1}, {{&one, 1}, {&one, 1}, {}}, {&rate, 1}).ok());
      ASSERT_TRUE(asked.tangents->outputs(0.0, {&at, 1}, {{&one, 1}, {&one, 1}, {}}, outputs).ok());
    }
    ASSERT_TRUE(asked.evaluator->rhs(0.0, {&x, 1}, {&with, 1}).ok());
    ASSERT_TRUE(alone.evaluator->rhs(0.0, {&x, 1}, {&without, 1}).ok());
    ASSERT_EQ(with, without) << k;
  }
}

TEST(EvaluatorTangents, DoNotAllocate) {
  Small s(kTwoRoots, "p");
  const double x = 4.0;
  const double one = 1.0;
  double rate = 0.0;
  std::vector<double> outputs(2);
  ASSERT_TRUE(s.tangents->rates(0.0, {&x, 1}, {{&one, 1}, {&one, 1}, {}}, {&rate, 1}).ok());
  ASSERT_TRUE(s.tangents->outputs(0.0, {&x, 1}, {{&one, 1}, {&one, 1}, {}}, outputs).ok());
  const saltus::test::AllocationGuard guard;
  for (const double at : {4.1, 4.2, 4.3}) {
    ASSERT_TRUE(s.tangents->rates(at, {&at, 1}, {{&one, 1}, {&one, 1}, {}}, {&rate, 1}).ok());
    ASSERT_TRUE(s.tangents->outputs(at, {&at, 1}, {{&one, 1}, {&one, 1}, {}}, outputs).ok());
  }
  EXPECT_EQ(guard.count(), 0);
}

// The code does not read a parameter that is zero: its derivative is not known, and it must not be called zero.
TEST(EvaluatorTangents, NoneAlongAParameterThatIsZero) {
  const std::string text = R"(
model M
  parameter Real c = 0;
  parameter Real k = 2;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*x + c;
end M;)";
  Small s(text, "k");
  ASSERT_NE(s.tangents, nullptr);
  EXPECT_EQ(s.evaluator->tangents({1, {1.0, 0.0}}), nullptr);
}

// While a guard is slid on, its weight is a number.
TEST(EvaluatorTangents, WeightsRest) {
  Small s(R"(
model M
  parameter Real p = 2;
  Real x(start = 1, fixed = true);
equation
  der(x) = if x > 0 then -p*x else 3*x;
end M;)",
          "p");
  s.evaluator->set_latched(0, -0.5);  // a quarter of the first
  const double x = 0.5;
  const double one = 1.0;
  double rate = 0.0;
  ASSERT_TRUE(s.tangents->rates(0.0, {&x, 1}, {{&one, 1}, {&one, 1}, {}}, {&rate, 1}).ok());
  EXPECT_NEAR(rate, 0.25 * (-2.0 - 2.0 * 0.5) + 0.75 * 3.0, 1e-9);  // p moves by its size
}

// A guard over the derivative of an algebraic variable, which only the guard needs.
TEST(EvaluatorTangents, GuardsOverDerivatives) {
  Small s(R"(
model M
  parameter Real p = 2;
  Real x(start = 1, fixed = true), y;
  discrete Real n(start = 0, fixed = true);
equation
  y = x^3;
  der(x) = -p*x;
  when der(y) > 5 then
    n = pre(n) + 1;
  end when;
end M;)",
          "p");
  const double x = 0.5;
  const double still = 0.0;
  const double one = 1.0;
  const Index guard = 0;
  double tangent = 0.0;
  double value = 0.0;
  ASSERT_TRUE(s.evaluator->guards({&guard, 1}, 0.0, {&x, 1}, {&value, 1}).ok());
  ASSERT_TRUE(
      s.tangents->guards({&guard, 1}, 0.0, {&x, 1}, {{&still, 1}, {&one, 1}, {&still, 1}}, {&tangent, 1})
          .ok());
  // g = ±(-3 p x³ - 5), p moves by 2
  const double expected = -9.0 * 2.0 * 0.25 - 3.0 * 2.0 * 0.125;
  EXPECT_NEAR(tangent, (value > 0.0 ? -1.0 : 1.0) * expected, 1e-9);
}

}  // namespace
}  // namespace saltus::program
