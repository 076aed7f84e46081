// Tangents of equations over slots (program/equations/equation_program.cpp) against differences.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tangent_harness.hpp"

namespace saltus::program {
namespace {

using test::Direction;
using test::Point;
using test::TangentModel;

using Kind = std::function<std::shared_ptr<const system::EquationSet>(const system::LockedDae&)>;

// Gives how many were compared.
int compare(const TangentModel& model, std::size_t mode, const Kind& kind) {
  const Point point = test::point_of(model.system(), mode);
  const auto set_of = [&](const system::HybridSystem& system) {
    return kind(*system.lock(structure_in(system, point)).value());
  };
  const auto set = set_of(model.system());
  if (set == nullptr) {
    return 0;
  }
  const std::vector<Direction> directions = model.directions(3);
  const std::size_t n = directions.size();
  std::vector<double> time;
  std::vector<double> x_sizes;
  std::vector<double> discrete_sizes;
  for (const Direction& direction : directions) {
    time.push_back(direction.time);
    x_sizes.push_back(direction.x);
    discrete_sizes.push_back(direction.discrete);
  }
  std::mt19937 random(3);
  std::vector<double> slots(static_cast<std::size_t>(set->n_slots()));
  for (double& slot : slots) slot = std::uniform_real_distribution<double>(0.3, 1.2)(random);
  const std::vector<double> x = test::random_moves(slots, x_sizes, 1);
  const std::vector<double> discrete =
      test::discrete_moves(model.system(), point.configuration.discrete, discrete_sizes, 2);
  const auto runner = set->make_runner();
  runner->set_configuration(point.configuration);
  const auto tangents = runner->tangents(model.parameter_directions(directions));
  std::vector<double> found(static_cast<std::size_t>(set->n_rows()) * n);
  std::vector<double> rows(static_cast<std::size_t>(set->n_rows()));
  if (tangents == nullptr || !runner->residual(point.t, slots, rows).ok()) {
    return 0;
  }
  EXPECT_TRUE(tangents->rows(point.t, slots, {time, x, discrete}, found).ok());
  int n_compared = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const auto at = [&](double s) -> std::vector<double> {
      const auto other = directions[k].parameter.empty() ? nullptr : model.with(directions[k].parameter, s);
      if (other == nullptr && !directions[k].parameter.empty()) {
        return {};
      }
      const auto moved_set = other ? set_of(*other) : set;
      const auto moved_runner = moved_set->make_runner();
      system::Configuration configuration = point.configuration;
      configuration.discrete = test::moved_by(configuration.discrete, discrete, n, k, s);
      moved_runner->set_configuration(configuration);
      std::vector<double> values(rows.size());
      const bool ok =
          moved_runner->residual(point.t + s * time[k], test::moved_by(slots, x, n, k, s), values).ok();
      return ok ? values : std::vector<double>();
    };
    n_compared += test::expect_tangents(found, n, k, at, "rows along " + directions[k].name);
  }
  return n_compared;
}

TEST(EquationTangents, ExamplesAgreeWithDifferences) {
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
  EXPECT_GE(n_residual, 6000);
  EXPECT_GE(n_constraints, 100);
  EXPECT_GE(n_arrays, 10000);
}

TEST(EquationTangents, RowsThatAreNotFinite) {
  const TangentModel model(R"(
model M
  parameter Real p = 1;
  Real x(start = 0, fixed = true);
equation
  der(x) = sqrt(p*x);
end M;)");
  const auto set = model.system().lock(model.system().initial_mode()).value()->residual_form();
  const auto runner = set->make_runner();
  runner->set_configuration(model.system().initial(0.0).value().configuration);
  const auto tangents = runner->tangents({1, {0.0}});
  const std::vector<double> slots = {0.0, 0.0};
  const double still = 0.0;
  double row = 3.0;
  EXPECT_TRUE(tangents->rows(0.0, slots, {{&still, 1}, std::vector<double>{0.0, 0.0}, {}}, {&row, 1}).ok());
  EXPECT_EQ(row, 0.0);
  const system::Evaluation evaluation =
      tangents->rows(0.0, slots, {{&still, 1}, std::vector<double>{1.0, 0.0}, {}}, {&row, 1});
  EXPECT_EQ(evaluation.status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(evaluation.culprit, 0);
}

}  // namespace
}  // namespace saltus::program
