// Pullbacks of equations over slots (program/blocks/rows_pullback.hpp) beside their tangents.

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

using Kind = std::function<std::shared_ptr<const system::EquationSet>(const system::LockedDae&)>;

constexpr std::size_t kDirections = 3;

// Gives how many sums were compared.
int compare(const TangentModel& model, std::size_t mode, const Kind& kind) {
  const Point point = test::point_of(model.system(), mode);
  const auto set = kind(*model.system().lock(structure_in(model.system(), point)).value());
  if (set == nullptr || set->n_rows() == 0) {
    return 0;
  }
  std::mt19937 random(3);
  const std::vector<double> slots = draw(static_cast<std::size_t>(set->n_slots()), random, 0.3, 1.2);
  const std::vector<double> sizes(kDirections, 1.0);
  const std::vector<double> time = draw(kDirections, random);
  const std::vector<double> x = test::random_moves(slots, sizes, 1);
  const std::vector<double> discrete =
      test::discrete_moves(model.system(), point.configuration.discrete, sizes, 2);
  Diagnostics diagnostics(model.flat().source);
  const std::vector<double> values = ParameterValues(model.flat()).all(diagnostics);
  system::ParameterDirections directions{.n_directions = kDirections, .parameters = {}};
  for (const double value : values) {
    const bool moves = value != 0.0 && std::isfinite(value);
    for (const double move : draw(kDirections, random)) {
      directions.parameters.push_back(moves ? move * value : 0.0);
    }
  }
  const auto runner = set->make_runner();
  runner->set_configuration(point.configuration);
  const auto tangents = runner->tangents(directions);
  const auto pullback = runner->pullback();
  const auto n_rows = static_cast<std::size_t>(set->n_rows());
  std::vector<double> found(n_rows * kDirections);
  if (tangents == nullptr || !tangents->rows(point.t, slots, {time, x, discrete}, found).ok()) {
    return 0;
  }
  const std::vector<double> weights = draw(n_rows, random);
  double time_sum = 0.0;
  std::vector<double> x_sums(slots.size());
  std::vector<double> discrete_sums(point.configuration.discrete.size());
  std::vector<double> share(pullback->share_size());
  std::vector<double> parameters(values.size());
  EXPECT_TRUE(pullback->at(point.t, slots, weights, {time_sum, x_sums, discrete_sums, share}).ok());
  pullback->to_parameters(share, parameters);
  for (std::size_t k = 0; k < kDirections; ++k) {
    DotProduct forward;
    DotProduct back;
    forward.add(weights, found, kDirections, k);
    back.add(time_sum, time[k]);
    back.add(x_sums, x, kDirections, k);
    back.add(discrete_sums, discrete, kDirections, k);
    back.add(parameters, directions.parameters, kDirections, k);
    test::expect_equal(forward, back, 1e-12, "direction " + std::to_string(k));
  }
  return kDirections;
}

TEST(EquationPullback, ExamplesAreTransposesOfTheirTangents) {
  int n_residual = 0;
  int n_constraints = 0;
  int n_arrays = 0;
  for (const std::string& file : test::all_examples()) {
    SCOPED_TRACE(file);
    const TangentModel model = TangentModel::example(file);
    for (std::size_t mode = 0; mode < model.system().modes().size(); ++mode) {
      SCOPED_TRACE("mode " + model.system().modes()[mode].name);
      n_residual += compare(model, mode, [](const system::LockedDae& d) { return d.residual_form(); });
      n_constraints += compare(model, mode, [](const system::LockedDae& d) { return d.constraints(); });
      n_arrays +=
          compare(model, mode, [](const system::LockedDae& d) { return d.derivative_array(1).value(); });
    }
  }
  EXPECT_GE(n_residual, 300);
  EXPECT_GE(n_constraints, 30);
  EXPECT_GE(n_arrays, 300);
}

// r = der(x) - (sqrt(p·x) + k·d), with a discrete variable and a whole number.
TEST(EquationPullback, RowsOfASmallModel) {
  const TangentModel model(R"(
model M
  parameter Real p = 4;
  Real x(start = 0, fixed = true), y(start = 1, fixed = true);
  discrete Real d(start = 3, fixed = true);
  Integer k(start = 2, fixed = true);
equation
  der(x) = sqrt(p*x);
  der(y) = k*d*y;
  when time > 100 then
    d = pre(d) + 1;
    k = pre(k) + 1;
  end when;
end M;)");
  const auto set = model.system().lock(model.system().initial_mode()).value()->residual_form();
  const auto runner = set->make_runner();
  runner->set_configuration(model.system().initial(0.0).value().configuration);
  const auto pullback = runner->pullback();
  // x, y and their derivatives
  const std::vector<double> slots = {0.0, 5.0, 0.0, 0.0};
  double time = 0.0;
  std::vector<double> x(4);
  std::vector<double> discrete(2);
  std::vector<double> share(pullback->share_size());
  const system::PullbackSums sums{time, x, discrete, share};
  const std::vector<double> second = {0.0, 7.0};
  const std::vector<double> first = {1.0, 0.0};
  {
    const saltus::test::AllocationGuard guard;
    ASSERT_TRUE(pullback->at(0.0, slots, second, sums).ok());
    EXPECT_EQ(guard.count(), 0);
  }
  const double sign = x[3] / 7.0;  // which side of the row is subtracted
  EXPECT_EQ(std::abs(sign), 1.0);
  EXPECT_EQ(x, (std::vector<double>{0.0, -sign * 42.0, 0.0, sign * 7.0}));
  const double of_d = discrete[0] + discrete[1];  // whichever is the first
  EXPECT_EQ(of_d, -sign * 7.0 * 2.0 * 5.0);
  EXPECT_EQ(discrete[0] * discrete[1], 0.0);
  const system::Evaluation evaluation = pullback->at(0.0, slots, first, sums);
  EXPECT_EQ(evaluation.status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(evaluation.culprit, 0);
}

// A value that is not finite has no derivative, also where its slope is a number; sums are added to.
TEST(EquationPullback, ValuesThatAreNotFiniteAndSums) {
  const TangentModel model(R"(
model M
  Real x(start = 1, fixed = true), y(start = 1, fixed = true);
equation
  der(x) = y*time;
  der(y) = log(x);
end M;)");
  const auto set = model.system().lock(model.system().initial_mode()).value()->residual_form();
  const auto runner = set->make_runner();
  runner->set_configuration(model.system().initial(0.0).value().configuration);
  const auto pullback = runner->pullback();
  const std::vector<double> slots = {-2.0, 5.0, 0.0, 0.0};
  double time = 100.0;
  std::vector<double> x(4);
  std::vector<double> share(pullback->share_size());
  const system::PullbackSums sums{time, x, {}, share};
  const std::vector<double> first = {7.0, 0.0};
  const std::vector<double> both = {7.0, 1.0};
  ASSERT_TRUE(pullback->at(3.0, slots, first, sums).ok());
  ASSERT_TRUE(pullback->at(3.0, slots, first, sums).ok());
  EXPECT_EQ(std::abs(time - 100.0), 70.0);
  EXPECT_EQ(std::abs(x[1]), 42.0);
  const system::Evaluation evaluation = pullback->at(3.0, slots, both, sums);
  EXPECT_EQ(evaluation.status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(evaluation.culprit, 1);
}

}  // namespace
}  // namespace saltus::program
