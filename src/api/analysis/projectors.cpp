#include "api/analysis/projectors.hpp"

#include <fmt/format.h>

#include "api/linear/matrix_rows.hpp"
#include "linalg/dense_matrix.hpp"
#include "reduce/nonlinear/rank_codes.hpp"
#include "reduce/ranks/array_layout.hpp"
#include "reduce/ranks/rank_analysis.hpp"

namespace saltus::api {
namespace {

using linalg::DenseMatrix;

DenseMatrix first_rows(const DenseMatrix& matrix, Index n) {
  DenseMatrix result(n, matrix.columns());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < matrix.columns(); ++j) {
      result(i, j) = matrix(i, j);
    }
  }
  return result;
}

// Zᵀ·J below what is there; zeros where the combinations are such that nothing but rounding is left.
void append(Matrix& rows, const DenseMatrix& z, const DenseMatrix& jacobian, bool is_zero = false) {
  for (std::vector<double>& row : in_rows(transpose_times(z, jacobian))) {
    rows.push_back(is_zero ? std::vector<double>(row.size(), 0.0) : std::move(row));
  }
}

}  // namespace

Result<ModeProjectors> describe_projectors(const system::LockedDae& locked,
                                           const system::Configuration& configuration, double t,
                                           const reduce::CharacteristicValues& values) {
  const auto array = locked.derivative_array(values.level);
  if (!array) {
    return Unexpected(array.error());
  }
  const reduce::ArrayLayout layout = reduce::make_array_layout(**array, values.level, locked.states());
  const auto runner = (*array)->make_runner();
  runner->set_configuration(configuration);
  const system::RectangularPattern& pattern = (*array)->pattern();
  std::vector<double> entries(pattern.n_entries());
  if (!runner->jacobian(t, values.slots, entries).ok()) {
    Diagnostics problems;
    problems.error(reduce::kNoConsistentDerivatives,
                   fmt::format("at time = {:g} the derivatives of the equations have no Jacobian", t));
    return Unexpected(std::move(problems));
  }
  // ∂F_μ/∂x⁽ⁱ⁾, i = 0 … k.
  const auto order = static_cast<std::size_t>(layout.order);
  std::vector<DenseMatrix> by_order(order + 1, DenseMatrix(pattern.n_rows, layout.n_variables));
  ModeProjectors result;
  result.unknowns.resize(static_cast<std::size_t>(layout.n_variables));
  result.point.resize(result.unknowns.size());
  for (Index slot = 0; slot < pattern.n_columns; ++slot) {
    const auto place = static_cast<std::size_t>(slot);
    const auto its_order = static_cast<std::size_t>(layout.slot_order[place]);
    const Index variable = layout.variable[place];
    if (its_order == 0) {
      result.unknowns[static_cast<std::size_t>(variable)] = (*array)->slots()[place].name;
      result.point[static_cast<std::size_t>(variable)] = values.slots[place];
    }
    for (Index e = pattern.column_starts[place]; its_order <= order && e < pattern.column_starts[place + 1];
         ++e) {
      by_order[its_order](pattern.rows[static_cast<std::size_t>(e)], variable) =
          entries[static_cast<std::size_t>(e)];
    }
  }
  result.rows = values.rows;
  result.n_equations = static_cast<std::size_t>(values.n_equations);
  result.z1 = in_rows(values.z1);
  for (const DenseMatrix& z : values.z_middle) {
    result.z_between.push_back(in_rows(z));
  }
  result.z2 = in_rows(values.z2);
  result.z3 = in_rows(values.z3);
  result.t2 = in_rows(values.t2);
  result.free = in_rows(values.free);
  for (std::size_t i = 0; i <= order; ++i) {
    Matrix& reduced = result.reduced.emplace_back();
    append(reduced, values.z1, first_rows(by_order[i], values.n_equations));
    for (std::size_t k = values.z_middle.size(); k-- > 0;) {
      append(reduced, values.z_middle[k], by_order[i], i > k + 1);
    }
    append(reduced, values.z2, by_order[i], i > 0);
  }
  if (order == 1) {
    const reduce::LocalValues local = reduce::local_values(
        first_rows(by_order[1], values.n_equations), -1.0 * first_rows(by_order[0], values.n_equations));
    PairValues pair;
    pair.rank = static_cast<int>(local.rank);
    pair.algebraic = static_cast<int>(local.algebraic);
    pair.strangeness = static_cast<int>(local.strangeness);
    pair.differential = static_cast<int>(local.differential);
    pair.undetermined = static_cast<int>(local.undetermined);
    pair.vanishing = static_cast<int>(local.vanishing);
    result.local = pair;
  }
  result.is_unclear = values.is_unclear;
  result.smallest_gap = values.smallest_gap;
  result.largest_dropped = values.largest_dropped;
  result.condition = values.condition;
  return result;
}

}  // namespace saltus::api
