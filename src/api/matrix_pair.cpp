// Matrices of linear equations, as users write them.

#include "saltus/matrix_pair.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/linear/matrix_rows.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "linalg/generalized_inverse.hpp"
#include "linalg/pencil/kronecker.hpp"
#include "reduce/drazin_solution.hpp"
#include "reduce/ranks/rank_analysis.hpp"
#include "saltus/contract.hpp"

namespace saltus {

using api::dense;
using api::in_rows;
using api::wrong_matrix;

namespace {

struct Pair {
  linalg::DenseMatrix e;
  linalg::DenseMatrix a;
  [[nodiscard]] bool is_square() const { return e.rows() == e.columns(); }
};

Result<Pair> dense_pair(const Matrix& e, const Matrix& a) {
  Result<linalg::DenseMatrix> first = dense(e, "E");
  Result<linalg::DenseMatrix> second = dense(a, "A");
  if (!first || !second) {
    return Unexpected(first ? second.error() : first.error());
  }
  if (first->rows() != second->rows() || first->columns() != second->columns()) {
    return wrong_matrix(api::kWrongMatrix, fmt::format("E is {} x {}, and A is {} x {}", first->rows(),
                                                       first->columns(), second->rows(), second->columns()));
  }
  return Pair{*std::move(first), *std::move(second)};
}

}  // namespace

Result<Matrix> moore_penrose_inverse(const Matrix& a) {
  const Result<linalg::DenseMatrix> matrix = dense(a, "A");
  if (!matrix) {
    return Unexpected(matrix.error());
  }
  return in_rows(linalg::moore_penrose(*matrix));
}

Result<DrazinInverse> drazin_inverse(const Matrix& a) {
  const Result<linalg::DenseMatrix> matrix = dense(a, "A");
  if (!matrix) {
    return Unexpected(matrix.error());
  }
  if (matrix->rows() != matrix->columns()) {
    return wrong_matrix(api::kWrongMatrix,
                        fmt::format("A is {} x {} and not square", matrix->rows(), matrix->columns()));
  }
  const linalg::Drazin found = linalg::drazin(*matrix);
  return DrazinInverse{in_rows(found.inverse), in_rows(found.inverse * *matrix), found.index};
}

Result<PairValues> pair_values(const Matrix& e, const Matrix& a) {
  const Result<Pair> pair = dense_pair(e, a);
  if (!pair) {
    return Unexpected(pair.error());
  }
  const reduce::LocalValues local = reduce::local_values(pair->e, pair->a);
  PairValues values;
  values.rank = static_cast<int>(local.rank);
  values.algebraic = static_cast<int>(local.algebraic);
  values.strangeness = static_cast<int>(local.strangeness);
  values.differential = static_cast<int>(local.differential);
  values.undetermined = static_cast<int>(local.undetermined);
  values.vanishing = static_cast<int>(local.vanishing);
  values.index = pair->is_square() ? linalg::pair_index(pair->e, pair->a) : std::nullopt;
  return values;
}

namespace {

std::string name_of(const linalg::StairDecision& decision) {
  const std::string_view transposed = decision.is_transposed ? " transposed" : "";
  return decision.of_image ? fmt::format("A{0} on the kernel of E{0}", transposed)
                           : fmt::format("E{}", transposed);
}

// Which tolerances would decide a rank that is not clear.
std::string doubt_of(const PencilRank& rank, double tolerance) {
  std::string text =
      fmt::format("the rank of {} in step {} ({} x {}) is not clear: {} with the tolerance {:.1e}", rank.of,
                  rank.step, rank.rows, rank.columns, rank.rank, tolerance);
  if (rank.exact_rank && *rank.exact_rank != rank.rank) {
    text += fmt::format(", {} of the numbers exactly as they stand", *rank.exact_rank);
  }
  const bool has_smaller = rank.rank < std::min(rank.rows, rank.columns) && rank.largest_dropped > 0.0;
  if (has_smaller) {
    text += fmt::format("; below {:.2e} the tolerance would give a larger one", rank.largest_dropped);
  }
  if (rank.rank > 0) {
    text += fmt::format("; from {:.2e} on it would give a smaller one", rank.smallest_kept);
  }
  return text;
}

int as_int(Index value) {
  return static_cast<int>(value);
}

PencilBlocks blocks_of(const linalg::KroneckerBlocks& found) {
  PencilBlocks blocks;
  blocks.is_regular = found.is_regular();
  if (blocks.is_regular) {
    blocks.index = found.index();
  }
  blocks.eigenvalues = found.eigenvalues;
  blocks.infinite = found.infinite;
  blocks.right = found.right;
  blocks.left = found.left;
  blocks.consistent_dimension = as_int(found.consistent.columns());
  blocks.consistent = in_rows(found.consistent * found.consistent.transposed());
  if (found.projector) {
    blocks.spectral = in_rows(*found.projector);
  }
  return blocks;
}

}  // namespace

Result<PencilStructure> pencil_structure(const Matrix& e, const Matrix& a, const PencilOptions& options) {
  const std::optional<double> tolerance = options.tolerance;
  const Result<Pair> pair = dense_pair(e, a);
  if (!pair) {
    return Unexpected(pair.error());
  }
  if (tolerance && !(*tolerance >= 0.0 && *tolerance < 1.0)) {
    return wrong_matrix(
        api::kWrongOptionValue,
        fmt::format("the tolerance of ranks is a number from 0 to below 1, not {}", *tolerance));
  }
  const linalg::KroneckerStructure found = linalg::kronecker_structure(
      pair->e, pair->a, {.tolerance = tolerance, .is_rounded = options.is_rounded});
  PencilStructure structure;
  structure.tolerance = found.tolerance;
  for (const linalg::StairDecision& decision : found.decisions) {
    PencilRank& rank = structure.ranks.emplace_back();
    rank.of = name_of(decision);
    rank.step = decision.step;
    rank.rows = as_int(decision.rows);
    rank.columns = as_int(decision.columns);
    rank.rank = as_int(decision.decision.rank);
    rank.smallest_kept = decision.decision.smallest_kept;
    rank.largest_dropped = decision.decision.largest_dropped;
    if (decision.exact_rank) {
      rank.exact_rank = as_int(*decision.exact_rank);
    }
    rank.is_clear = decision.is_clear;
  }
  if (found.blocks) {
    structure.blocks = blocks_of(*found.blocks);
  } else if (structure.ranks.back().is_clear || tolerance) {
    structure.doubt =
        fmt::format("the ranks that the tolerance {:.1e} gives contradict each other", found.tolerance);
  } else {
    structure.doubt = doubt_of(structure.ranks.back(), found.tolerance);
  }
  return structure;
}

struct LinearSolution::Data {
  reduce::DrazinSolution solution;
  std::size_t n = 0;
};

Result<LinearSolution> LinearSolution::of(const Matrix& e, const Matrix& a, Forcing b, double start) {
  const Result<Pair> pair = dense_pair(e, a);
  if (!pair) {
    return Unexpected(pair.error());
  }
  const std::size_t n = e.size();
  // A forcing of another size would be read beyond its end.
  Forcing checked = [b = std::move(b), n](int derivative, double t) {
    std::vector<double> values = b(derivative, t);
    SALTUS_EXPECT(values.size() == n, fmt::format("b has {} values for {} equations", values.size(), n));
    return values;
  };
  auto solution = pair->is_square()
                      ? reduce::DrazinSolution::make(pair->e, pair->a, std::move(checked), start)
                      : std::nullopt;
  if (!solution) {
    return wrong_matrix(
        api::kSingularPair,
        pair->is_square()
            ? "no factor λ makes λE - A nonsingular: the equations do not determine a solution"
            : fmt::format("there are {} equations for {} unknowns", pair->e.rows(), pair->e.columns()));
  }
  return LinearSolution(std::make_shared<const Data>(Data{*std::move(solution), n}));
}

int LinearSolution::index() const {
  return data_->solution.index();
}

std::vector<double> LinearSolution::at(double t, const std::vector<double>& w) const {
  SALTUS_EXPECT(w.size() == data_->n, fmt::format("{} values for {} unknowns", w.size(), data_->n));
  return data_->solution.at(t, w);
}

}  // namespace saltus
