// Systems with inputs and outputs as users write them, and the conditions of linear-quadratic control ([Wun08] 5.6.3, (5.57) without (5.57c), which cannot be
// read in the source and would be one condition too many).

#include "saltus/descriptor_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/linear/matrix_rows.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "reduce/linear/descriptor_system.hpp"

namespace saltus {
namespace {

using linalg::DenseMatrix;

// Lists without rows have as many rows and columns as are asked for, if one of the two is none.
Result<DenseMatrix> sized(const Matrix& rows, const char* name, Index m, Index n) {
  Result<DenseMatrix> matrix = api::dense(rows, name);
  if (!matrix) {
    return matrix;
  }
  if (rows.empty() && (m == 0 || n == 0)) {
    return DenseMatrix(m, n);
  }
  if (matrix->rows() != m || matrix->columns() != n) {
    return api::wrong_matrix(api::kWrongMatrix, fmt::format("{} is {} x {}, and has to be {} x {}", name,
                                                            matrix->rows(), matrix->columns(), m, n));
  }
  return matrix;
}

Index columns_of_list(const Matrix& rows) {
  return rows.empty() ? 0 : static_cast<Index>(rows.front().size());
}

Result<reduce::DescriptorSystem> dense_system(const DescriptorSystem& system) {
  const auto n = static_cast<Index>(system.e.size());
  const auto outputs = static_cast<Index>(system.c.size());
  auto e = sized(system.e, "E", n, n);
  auto a = sized(system.a, "A", n, n);
  auto b = sized(system.b, "B", n, columns_of_list(system.b));
  auto c = sized(system.c, "C", outputs, n);
  for (const auto* one : {&e, &a, &b, &c}) {
    if (!*one) {
      return Unexpected(one->error());
    }
  }
  return reduce::DescriptorSystem{*std::move(e), *std::move(a), *std::move(b), *std::move(c)};
}

DescriptorReach reach_of(const reduce::Reach& found) {
  return {found.finite, found.complete, found.missed, found.everywhere};
}

Result<DenseMatrix> column(const std::vector<double>& values, const char* name, Index n) {
  Matrix rows;
  for (const double value : values) {
    rows.push_back({value});
  }
  if (static_cast<Index>(values.size()) != n) {
    return api::wrong_matrix(api::kWrongMatrix,
                             fmt::format("{} has {} values, and has to have {}", name, values.size(), n));
  }
  return rows.empty() ? Result<DenseMatrix>(DenseMatrix(0, 1)) : api::dense(rows, name);
}

std::vector<double> values_of(const DenseMatrix& one) {
  return {one.entries().begin(), one.entries().end()};
}

// A point with its mode.
struct Side {
  reduce::DescriptorSystem system;
  DenseMatrix q, s, r;
  DenseMatrix x, u, lambda;

  [[nodiscard]] DenseMatrix flow() const { return system.a * x + system.b * u; }
  [[nodiscard]] double hamiltonian() const {
    return (transpose_times(x, q * x) + 2.0 * transpose_times(x, s * u) + transpose_times(u, r * u) +
            2.0 * transpose_times(lambda, flow()))(0, 0);
  }
};

Result<Side> side_of(const DescriptorSystem& given, const QuadraticCost& cost, const ControlledPoint& point) {
  auto system = dense_system(given);
  if (!system) {
    return Unexpected(system.error());
  }
  const Index n = system->a.rows();
  const Index n_inputs = system->b.columns();
  auto q = sized(cost.q, "Q", n, n);
  auto s = sized(cost.s, "S", n, n_inputs);
  auto r = sized(cost.r, "R", n_inputs, n_inputs);
  auto x = column(point.x, "x", n);
  auto u = column(point.u, "u", n_inputs);
  auto lambda = column(point.lambda, "lambda", n);
  for (const auto* one : {&q, &s, &r, &x, &u, &lambda}) {
    if (!*one) {
      return Unexpected(one->error());
    }
  }
  return Side{*std::move(system), *std::move(q), *std::move(s),     *std::move(r),
              *std::move(x),      *std::move(u), *std::move(lambda)};
}

}  // namespace

Result<DescriptorValues> descriptor_values(const DescriptorSystem& system) {
  const auto dense = dense_system(system);
  if (!dense) {
    return Unexpected(dense.error());
  }
  const auto found = reduce::analyse_descriptor(*dense);
  if (!found) {
    return api::wrong_matrix(api::kUnclearRank,
                             "a rank on the way to what inputs reach and outputs see is not clear");
  }
  DescriptorValues values;
  values.is_regular = found->is_regular;
  values.inputs = reach_of(found->inputs);
  values.outputs = reach_of(found->outputs);
  if (found->state_feedback) {
    values.state_feedback = api::in_rows(*found->state_feedback);
  }
  if (found->output_feedback) {
    values.output_feedback = api::in_rows(*found->output_feedback);
  }
  return values;
}

Result<QuadraticResiduals> quadratic_residuals(const DescriptorSystem& system, const QuadraticCost& cost,
                                               const ControlledPoint& point,
                                               const std::vector<double>& x_rate,
                                               const std::vector<double>& lambda_rate) {
  const auto side = side_of(system, cost, point);
  if (!side) {
    return Unexpected(side.error());
  }
  const Index n = side->x.rows();
  const auto rate = column(x_rate, "the rate of x", n);
  const auto slope = column(lambda_rate, "the rate of lambda", n);
  if (!rate || !slope) {
    return Unexpected(rate ? slope.error() : rate.error());
  }
  const reduce::DescriptorSystem& of = side->system;
  return QuadraticResiduals{
      values_of(of.e * *rate - side->flow()),
      values_of(transpose_times(of.e, *slope) + transpose_times(of.a, side->lambda) + side->q * side->x +
                side->s * side->u),
      values_of(transpose_times(of.b, side->lambda) + transpose_times(side->s, side->x) + side->r * side->u)};
}

Result<std::vector<double>> quadratic_end_residual(const DescriptorSystem& system, const Matrix& m,
                                                   const ControlledPoint& end) {
  const auto dense = dense_system(system);
  if (!dense) {
    return Unexpected(dense.error());
  }
  const Index n = dense->e.rows();
  const auto weight = sized(m, "M", n, n);
  const auto x = column(end.x, "x", n);
  const auto lambda = column(end.lambda, "lambda", n);
  for (const auto* one : {&weight, &x, &lambda}) {
    if (!*one) {
      return Unexpected(one->error());
    }
  }
  return values_of(transpose_times(dense->e, *lambda) - *weight * *x);
}

Result<SwitchResiduals> quadratic_switch_residuals(const ControlledSide& before, const ControlledSide& after,
                                                   const Matrix& g_x, const std::vector<double>& g_t,
                                                   const std::vector<double>& eta) {
  const auto minus = side_of(before.system, before.cost, before.point);
  const auto plus = side_of(after.system, after.cost, after.point);
  if (!minus || !plus) {
    return Unexpected(minus ? plus.error() : minus.error());
  }
  const Index n = minus->x.rows();
  if (plus->x.rows() != n) {
    return api::wrong_matrix(api::kWrongMatrix, "the modes of a switch have the same unknowns");
  }
  const auto n_functions = static_cast<Index>(eta.size());
  const auto gradient = sized(g_x, "g_x", n_functions, n);
  const auto time = column(g_t, "g_t", n_functions);
  const auto multipliers = column(eta, "eta", n_functions);
  for (const auto* one : {&gradient, &time, &multipliers}) {
    if (!*one) {
      return Unexpected(one->error());
    }
  }
  SwitchResiduals residuals;
  residuals.state = values_of(plus->x - minus->x);
  residuals.adjoint = values_of(transpose_times(plus->system.e, plus->lambda) -
                                transpose_times(minus->system.e, minus->lambda) +
                                0.5 * transpose_times(*gradient, *multipliers));
  residuals.hamiltonian =
      plus->hamiltonian() - minus->hamiltonian() - transpose_times(*time, *multipliers)(0, 0);
  return residuals;
}

}  // namespace saltus
