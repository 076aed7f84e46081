#include "reduce/linear/descriptor_system.hpp"

#include <algorithm>
#include <array>

#include "linalg/equilibration.hpp"
#include "linalg/generalized_inverse.hpp"
#include "linalg/pencil/kronecker.hpp"
#include "reduce/linear/coefficient_scales.hpp"
#include "reduce/linear/rank_algebra.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

// Rank (E, B), (E, A·T, B), and the same with transposed matrices and C.
using DescriptorRanks = std::array<Index, 4>;

template <class Algebra, class Matrix = typename Algebra::Matrix>
DescriptorRanks ranks_by(Algebra& algebra, const Matrix& e, const Matrix& a, const Matrix& b,
                         const Matrix& et, const Matrix& at, const Matrix& ct) {
  return {algebra.rank(Algebra::beside(e, b)),
          algebra.rank(Algebra::beside(e, Algebra::beside(algebra.product(a, algebra.kernel(e)), b))),
          algebra.rank(Algebra::beside(et, ct)),
          algebra.rank(Algebra::beside(et, Algebra::beside(algebra.product(at, algebra.kernel(et)), ct)))};
}

// The columns of a matrix with entries of size 1, which changes no rank.
DenseMatrix with_unit_columns(const DenseMatrix& matrix, const std::vector<double>& row_scale) {
  const DenseMatrix scaled = scale_rows(matrix, row_scale);
  return scale_columns(scaled, linalg::equilibrate(scaled).column_scale);
}

std::optional<DescriptorRanks> clear_ranks(const DescriptorSystem& system) {
  const CoefficientScales scales = coefficient_scales({{system.a}, {system.e}});
  const Coefficients scaled = in_units({{system.a}, {system.e}}, scales);
  const DenseMatrix& a = scaled[0][0];
  const DenseMatrix& e = scaled[1][0];
  NumericAlgebra numeric;
  const DescriptorRanks found =
      ranks_by(numeric, e, a, with_unit_columns(system.b, scales.row), e.transposed(), a.transposed(),
               with_unit_columns(system.c.transposed(), scales.column));
  const auto exact = linalg::modular::agreed([&](const linalg::modular::Field& field) {
    ModularAlgebra algebra(field);
    const auto of = [&](const DenseMatrix& matrix, bool transposed) {
      return linalg::modular::residues_of(matrix, transposed, field);
    };
    return ranks_by(algebra, of(system.e, false), of(system.a, false), of(system.b, false),
                    of(system.e, true), of(system.a, true), of(system.c, true));
  });
  return !numeric.doubts().is_unclear && exact == found ? exact : std::nullopt;
}

// Rank (λE - A, B) for all λ; none: the structure is not clear.
std::optional<Reach> reach_of(const DenseMatrix& e, const DenseMatrix& a, const DenseMatrix& b) {
  const linalg::KroneckerStructure found =
      linalg::kronecker_structure(beside(e, DenseMatrix(b.rows(), b.columns())), beside(a, b));
  if (!found.blocks) {
    return std::nullopt;
  }
  Reach reach;
  reach.missed = found.blocks->eigenvalues;
  reach.everywhere = !found.blocks->left.empty();
  reach.finite = reach.missed.empty() && !reach.everywhere;
  return reach;
}

struct Feedbacks {
  DenseMatrix of_state;
  DenseMatrix of_output;
};

// Both by the formula of the header; which of them serves the ranks say.
Feedbacks feedbacks(const DescriptorSystem& system) {
  const linalg::RankBases of_e = linalg::rank_bases(system.e);
  const DenseMatrix& t = of_e.kernel;
  const DenseMatrix& z = of_e.corange;
  linalg::RankOptions beside_a;
  beside_a.equilibrate = false;
  beside_a.reference = system.a.largest_entry();
  const linalg::RankBases of_n = linalg::rank_bases(transpose_times(z, system.a * t), beside_a);
  const DenseMatrix g = transpose_times(z * of_n.corange, system.b);
  const DenseMatrix seen = t * of_n.kernel;
  const double size = system.a.largest_entry() > 0.0 ? system.a.largest_entry() : 1.0;
  const DenseMatrix left = size * linalg::moore_penrose(g);
  return {left * seen.transposed(), left * linalg::moore_penrose(system.c * seen)};
}

}  // namespace

std::optional<DescriptorAnalysis> analyse_descriptor(const DescriptorSystem& system) {
  const Index n = system.e.rows();
  SALTUS_EXPECT(system.e.columns() == n && system.a.rows() == n && system.a.columns() == n &&
                    system.b.rows() == n && system.c.columns() == n,
                "square E and A, B with their rows, C with their columns");
  const linalg::KroneckerStructure pencil = linalg::kronecker_structure(system.e, system.a);
  const std::optional<DescriptorRanks> ranks = clear_ranks(system);
  std::optional<Reach> inputs = reach_of(system.e, system.a, system.b);
  std::optional<Reach> outputs =
      reach_of(system.e.transposed(), system.a.transposed(), system.c.transposed());
  if (!pencil.blocks || !ranks || !inputs || !outputs) {
    return std::nullopt;
  }
  DescriptorAnalysis analysis;
  analysis.is_regular = pencil.blocks->is_regular();
  inputs->complete = inputs->finite && (*ranks)[0] == n;
  outputs->complete = outputs->finite && (*ranks)[2] == n;
  analysis.inputs = *std::move(inputs);
  analysis.outputs = *std::move(outputs);
  Feedbacks found = feedbacks(system);
  if ((*ranks)[1] == n) {
    analysis.state_feedback = std::move(found.of_state);
    if ((*ranks)[3] == n) {
      analysis.output_feedback = std::move(found.of_output);
    }
  }
  return analysis;
}

}  // namespace saltus::reduce
