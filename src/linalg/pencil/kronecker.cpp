#include "linalg/pencil/kronecker.hpp"

#include <algorithm>
#include <utility>

#include "base/machine.hpp"
#include "linalg/equilibration.hpp"
#include "linalg/generalized_inverse.hpp"
#include "linalg/pencil/modular_staircase.hpp"
#include "linalg/pencil/pencil_eigenvalues.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// D_r·E·D_c·f_E and D_r·A·D_c·f_A.
struct ScaledPencil {
  DenseMatrix e;
  DenseMatrix a;
  std::vector<double> column_scale;  // D_c, up to one factor
  double time = 1.0;  // f_E / f_A: an eigenvalue of the pencil is one of the scaled one times this
};

ScaledPencil scaled(const DenseMatrix& e, const DenseMatrix& a) {
  const Index n = e.columns();
  std::vector<std::vector<Index>> labels(2, std::vector<Index>(at_index(2 * n)));
  for (Index j = 0; j < 2 * n; ++j) {
    labels[0][at_index(j)] = j % n;
    labels[1][at_index(j)] = j / n;
  }
  const DenseMatrix both = beside(e, a);
  const Equilibration scale = equilibrate(both, labels);
  const DenseMatrix after = scale.apply(both);
  ScaledPencil result{.e = after.middle_columns(0, n), .a = after.middle_columns(n, n), .column_scale = {}};
  result.column_scale.assign(scale.column_scale.begin() + n, scale.column_scale.end());
  result.time = n > 0 ? scale.column_scale[0] / scale.column_scale[at_index(n)] : 1.0;
  return result;
}

class Staircase {
 public:
  Staircase(DenseMatrix e, DenseMatrix a, const KroneckerOptions& options,
            std::optional<ExactStaircase> exact, KroneckerStructure& structure)
      : e_(std::move(e)),
        a_(std::move(a)),
        columns_(DenseMatrix::identity(e_.columns())),
        rows_(DenseMatrix::identity(e_.rows())),
        is_decided_(options.tolerance.has_value()),
        is_rounded_(options.is_rounded),
        exact_(std::move(exact)),
        structure_(structure) {
    rank_.equilibrate = false;
    rank_.tolerance = structure.tolerance;
    rank_.reference = std::max(e_.largest_entry(), a_.largest_entry());
  }

  // Steps until E has no kernel. False: not clear.
  bool descend(bool is_transposed, std::vector<StairStep>& steps) {
    while (true) {
      const RankBases of_e = rank_bases(e_, rank_);
      StairStep step{.rows = e_.rows(), .columns = e_.columns(), .kernel = of_e.kernel.columns(), .image = 0};
      StairDecision decision;
      decision.is_transposed = is_transposed;
      decision.step = static_cast<int>(steps.size()) + 1;
      decision.rows = step.rows;
      decision.columns = step.columns;
      decision.decision = of_e.decision;
      const StairStep* const exact = exact_step(is_transposed, steps.size());
      if (!record(decision,
                  exact != nullptr ? std::optional<Index>(exact->columns - exact->kernel) : std::nullopt)) {
        return false;
      }
      if (step.kernel == 0) {
        steps.push_back(step);
        return true;
      }
      const DenseMatrix image = a_ * of_e.kernel;
      const RankBases of_a = rank_bases(image, rank_);
      decision.of_image = true;
      decision.columns = image.columns();
      decision.decision = of_a.decision;
      step.image = of_a.decision.rank;
      if (!record(decision, exact != nullptr && exact_ ? std::optional<Index>(exact->image) : std::nullopt)) {
        return false;
      }
      steps.push_back(step);
      e_ = transpose_times(of_a.corange, e_ * of_e.cokernel);
      a_ = transpose_times(of_a.corange, a_ * of_e.cokernel);
      columns_ = columns_ * of_e.cokernel;
      rows_ = rows_ * of_a.corange;
    }
  }

  void transpose() {
    e_ = e_.transposed();
    a_ = a_.transposed();
    std::swap(columns_, rows_);
  }

  [[nodiscard]] const DenseMatrix& e() const { return e_; }
  [[nodiscard]] const DenseMatrix& a() const { return a_; }
  // Bases of the columns and of the rows that are left, in those of the pencil given.
  [[nodiscard]] const DenseMatrix& columns() const { return columns_; }

 private:
  // None once a step was another one.
  [[nodiscard]] const StairStep* exact_step(bool is_transposed, std::size_t i) const {
    if (!exact_) {
      return nullptr;
    }
    const std::vector<StairStep>& steps = is_transposed ? exact_->transposed : exact_->rest;
    return i < steps.size() ? &steps[i] : nullptr;
  }

  bool record(StairDecision decision, std::optional<Index> exact_rank) {
    decision.exact_rank = exact_rank;
    const bool is_exact = exact_rank == decision.decision.rank;
    const bool is_rounding = is_rounded_ && decision.decision.largest_dropped <=
                                                kRoundingOfEntries * static_cast<double>(std::max(
                                                                         decision.rows, decision.columns));
    decision.is_clear = (is_exact || is_rounding) && !decision.decision.is_unclear;
    if (!is_exact) {
      exact_.reset();
    }
    structure_.decisions.push_back(decision);
    return decision.is_clear || is_decided_;
  }

  DenseMatrix e_;
  DenseMatrix a_;
  DenseMatrix columns_;
  DenseMatrix rows_;
  RankOptions rank_;
  bool is_decided_;
  bool is_rounded_;
  std::optional<ExactStaircase> exact_;
  KroneckerStructure& structure_;
};

// Minimal indices and sizes of infinite blocks; false: the numbers are not those of a staircase.
bool count_blocks(const std::vector<StairStep>& steps, std::vector<int>& minimal,
                  std::vector<int>& infinite) {
  for (std::size_t j = 0; j + 1 < steps.size(); ++j) {
    const Index indices = steps[j].kernel - steps[j].image;
    const Index blocks = steps[j].image - steps[j + 1].kernel;
    if (indices < 0 || blocks < 0) {
      return false;
    }
    minimal.insert(minimal.end(), at_index(indices), static_cast<int>(j));
    infinite.insert(infinite.end(), at_index(blocks), static_cast<int>(j) + 1);
  }
  return true;
}

// Π = (V, 0)·(V, W)⁻¹ with V the consistent directions and W those that the staircase on (E, A) itself splits off.
std::optional<DenseMatrix> projector_along(const DenseMatrix& consistent, const ScaledPencil& pencil,
                                           Index n_infinite) {
  const Index n = consistent.rows();
  DenseMatrix e = pencil.e;
  DenseMatrix a = pencil.a;
  DenseMatrix basis = DenseMatrix::identity(n);
  DenseMatrix split(n, 0);
  RankOptions rank;
  rank.equilibrate = false;
  rank.reference = std::max(e.largest_entry(), a.largest_entry());
  while (split.columns() < n_infinite) {
    const RankBases of_e = rank_bases(e, rank);
    if (of_e.kernel.columns() == 0) {
      return std::nullopt;
    }
    const RankBases of_a = rank_bases(a * of_e.kernel, rank);
    split = beside(split, basis * of_e.kernel);
    e = transpose_times(of_a.corange, e * of_e.cokernel);
    a = transpose_times(of_a.corange, a * of_e.cokernel);
    basis = basis * of_e.cokernel;
  }
  if (split.columns() != n_infinite) {
    return std::nullopt;
  }
  const std::optional<DenseMatrix> solved = inverse(beside(consistent, split));
  if (!solved) {
    return std::nullopt;
  }
  DenseMatrix top(consistent.columns(), n);
  for (Index i = 0; i < top.rows(); ++i) {
    for (Index j = 0; j < n; ++j) {
      top(i, j) = (*solved)(i, j);
    }
  }
  DenseMatrix projector = consistent * top;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      projector(i, j) *= pencil.column_scale[at_index(i)] / pencil.column_scale[at_index(j)];
    }
  }
  return projector;
}

}  // namespace

KroneckerStructure kronecker_structure(const DenseMatrix& e, const DenseMatrix& a,
                                       const KroneckerOptions& options) {
  SALTUS_EXPECT(e.is_finite() && a.is_finite() && e.rows() == a.rows() && e.columns() == a.columns(),
                "two matrices of finite numbers and of one shape");
  KroneckerStructure structure;
  structure.tolerance = options.tolerance.value_or(kRankTolerance);
  const ScaledPencil pencil = scaled(e, a);
  Staircase staircase(pencil.e.transposed(), pencil.a.transposed(), options, exact_staircase(e, a),
                      structure);
  std::vector<StairStep> transposed;
  if (!staircase.descend(true, transposed)) {
    return structure;
  }
  staircase.transpose();
  const DenseMatrix consistent = staircase.columns();
  std::vector<StairStep> rest;
  if (!staircase.descend(false, rest)) {
    return structure;
  }
  KroneckerBlocks blocks;
  std::vector<int> none;
  if (!count_blocks(transposed, blocks.left, blocks.infinite) || !count_blocks(rest, blocks.right, none) ||
      !none.empty() || staircase.e().rows() != staircase.e().columns()) {
    return structure;
  }
  blocks.eigenvalues = pencil_eigenvalues(staircase.e(), staircase.a());
  for (std::complex<double>& value : blocks.eigenvalues) {
    value *= pencil.time;
  }
  if (blocks.is_regular()) {
    blocks.projector = projector_along(consistent, pencil, e.columns() - consistent.columns());
  }
  blocks.consistent = orthonormal_columns(scale_rows(consistent, pencil.column_scale));
  structure.blocks = std::move(blocks);
  return structure;
}

}  // namespace saltus::linalg
