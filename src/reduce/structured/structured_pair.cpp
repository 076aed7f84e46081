#include "reduce/structured/structured_pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/machine.hpp"
#include "linalg/equilibration.hpp"
#include "linalg/rank_decision.hpp"
#include "reduce/linear/coefficient_scales.hpp"
#include "reduce/structured/matrix_jet.hpp"
#include "reduce/structured/symmetric_eigen.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;
using linalg::RankBases;

// What should vanish for a rank to be constant, or a form to be symmetric, may be this part of the numbers it is made of: entries of null spaces have
// lost digits.
constexpr double kStandsStill = 1e-8;

void set_block(DenseMatrix& into, const DenseMatrix& block, Index row, Index column) {
  for (Index j = 0; j < block.columns(); ++j) {
    for (Index i = 0; i < block.rows(); ++i) {
      into(row + i, column + j) = block(i, j);
    }
  }
}

DenseMatrix block_of(const DenseMatrix& a, Index row, Index rows, Index column, Index columns) {
  DenseMatrix result(rows, columns);
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) {
      result(i, j) = a(row + i, column + j);
    }
  }
  return result;
}

DenseMatrix inverse_of(const DenseMatrix& a) {
  const std::optional<DenseMatrix> found = linalg::inverse(a);
  SALTUS_EXPECT(found.has_value(), "a block whose rank was found full");
  return *found;
}

// r, a and s of the numbers exactly as they stand.
std::array<Index, 3> exact_ranks(const PairData& pair, const linalg::modular::Field& field) {
  using linalg::modular::residues_of;
  const ModularAlgebra algebra(field);
  const auto e = residues_of(pair.e[0], false, field);
  auto a = residues_of(pair.a[0], false, field);
  const auto t = algebra.kernel(e);
  const auto b = algebra.transpose_times(t, algebra.product(a, t));
  // VᵀTᵀA on all of x: on the kernel it is zero.
  const auto v = algebra.product(t, algebra.kernel(b));
  return {e.columns - t.columns, algebra.rank(b), algebra.rank(algebra.transpose_times(v, a))};
}

// The blocks of the condensed form and what they become.
class Structurer {
 public:
  Structurer(const PairData& pair, StructureKind kind, bool is_rounded)
      : kind_(kind), is_rounded_(is_rounded), n_(pair.e[0].rows()) {
    // One power of 2 for each unknown and its equation, so that E and A keep their structure.
    scale_ = coefficient_scales({{pair.a[0]}, {pair.e[0]}}, true).row;
    if (!is_rounded) {
      exact_ = linalg::modular::agreed(
          [&](const linalg::modular::Field& field) { return exact_ranks(pair, field); });
    }
    const auto of = [&](const std::vector<DenseMatrix>& list, std::size_t i) {
      return i < list.size() ? scale_columns(scale_rows(list[i], scale_), scale_) : DenseMatrix(n_, n_);
    };
    e_ = {of(pair.e, 0), of(pair.e, 1)};
    e_rate_ = {of(pair.e, 1), of(pair.e, 2)};
    a_ = {of(pair.a, 0), of(pair.a, 1)};
    size_e_ = e_.value.largest_entry();
    size_a_ = a_.value.largest_entry();
  }

  std::optional<StructuredPair> run() {
    split();
    if (!is_clear()) {
      return std::nullopt;
    }
    condense();
    if (kind_ == StructureKind::symmetric) {
      const std::vector<double> of_e = symmetric_eigen(e_.value).values;
      result_.is_semidefinite = of_e.empty() || of_e[0] >= -linalg::kRankTolerance * size_e_;
    }
    if (!is_still()) {
      return std::move(result_);
    }
    const Blocks blocks = blocks_by(p_);
    const RankBases of_e22 = bases(blocks.e22, size_e_);
    if (doubts_.is_unclear) {
      return std::nullopt;
    }
    if (s_ > 0 && of_e22.decision.rank < d_) {
      result_.reason = fmt::format(
          "the block E22 of {} rows, which has to be nonsingular, is of rank {}: the index is above 1, or "
          "what "
          "determines an unknown is lost by differentiation",
          d_, of_e22.decision.rank);
      return std::move(result_);
    }
    result_.index = s_ > 0 ? 1 : 0;
    solve_constraints();
    if (is_structured(blocks)) {
      result_.strangeness_free = reduced_form(blocks);
    } else {
      result_.reason =
          "the range of a block turns with time: no congruence keeps the symmetry (Assumption 4.8)";
    }
    if (s_ > 0) {
      extend(blocks);
    }
    return std::move(result_);
  }

 private:
  // x = (x₁ … x₅) of s, d, a, s and u entries.
  struct Blocks {
    DenseMatrix e;
    DenseMatrix e_rate;
    DenseMatrix a;
    DenseMatrix e11, e12, e21, e22;
    DenseMatrix a11, a12, a21, a22;
    DenseMatrix sigma_a, sigma_s;
  };

  RankBases bases(const DenseMatrix& a, double reference) {
    linalg::RankOptions options;
    options.equilibrate = false;
    options.reference = reference;
    RankBases found = linalg::rank_bases(a, options);
    doubts_.is_unclear = doubts_.is_unclear || found.decision.is_unclear;
    doubts_.largest_dropped = std::max(doubts_.largest_dropped, found.decision.largest_dropped);
    return found;
  }

  // Gaps are wide, and what was dropped is zero exactly, or rounding.
  [[nodiscard]] bool is_clear() const {
    const bool is_exact = exact_ == std::array<Index, 3>{r_, n_a_, s_};
    return !doubts_.is_unclear && (is_exact || (is_rounded_ && doubts_.is_rounding(n_)));
  }

  // Bases T, V, U with the derivatives that keep their blocks zero.
  void split() {
    const RankBases of_e = bases(e_.value, size_e_);
    const MatrixJet t = continued_kernel(e_, of_e.kernel);
    const MatrixJet u = MatrixJet::constant(of_e.range);
    const MatrixJet b = t.transposed() * a_ * t;
    const RankBases of_b = bases(b.value, size_a_);
    const MatrixJet t_a = t * MatrixJet::constant(of_b.range);
    const MatrixJet v = t * continued_kernel(b, of_b.kernel);
    const MatrixJet coupling = u.transposed() * (a_ + e_rate_) * v;
    const RankBases of_s = bases(coupling.value, size_a_);
    const MatrixJet u1 = u * MatrixJet::constant(of_s.range);
    const MatrixJet u2 = u * continued_kernel(coupling.transposed(), of_s.corange);
    const MatrixJet v_s = v * MatrixJet::constant(of_s.cokernel);
    const MatrixJet v_u = v * continued_kernel(coupling, of_s.kernel);
    r_ = of_e.decision.rank;
    n_a_ = of_b.decision.rank;
    s_ = of_s.decision.rank;
    d_ = r_ - s_;
    result_.rank = r_;
    result_.algebraic = n_a_;
    result_.strangeness = s_;
    result_.differential = d_;
    result_.undetermined = n_ - r_ - n_a_ - s_;
    // Beside the terms that a rate is made of: a rate may be nothing but their rounding.
    const auto part = [](double what, double terms) { return what > 0.0 ? what / terms : 0.0; };
    const double of_a = a_.rate.largest_entry();
    const double of_range = of_a + e_rate_.rate.largest_entry();
    change_ = std::max(
        {part(leaves_kernel(e_, of_e.corange, of_e.kernel), e_.rate.largest_entry()),
         part(leaves_kernel(b, of_b.corange, of_b.kernel), of_a + 2.0 * size_a_ * t.rate.largest_entry()),
         part(leaves_kernel(coupling, of_s.corange, of_s.kernel),
              of_range + (a_.value + e_rate_.value).largest_entry() * v.rate.largest_entry())});
    if (!is_clear()) {
      return;
    }
    // Σ_a clears what couples range E to its unknowns.
    const MatrixJet sigma_a = t_a.transposed() * a_ * t_a;
    const MatrixJet clearing = n_a_ > 0 ? t_a * inverse_jet(sigma_a, inverse_of(sigma_a.value)) *
                                              (t_a.transposed() * a_ * beside(u1, u2))
                                        : MatrixJet::constant(DenseMatrix(n_, r_));
    p_ = beside(beside(beside(u1, u2) - clearing, t_a), beside(v_s, v_u));
    orthogonal_ = beside(beside(u1.value, u2.value), beside(t_a.value, beside(v_s.value, v_u.value)));
  }

  // (4.4), (4.9) and (4.22).
  void condense() {
    // Diagonal Σ_a within its block.
    DenseMatrix p = orthogonal_;
    const DenseMatrix t_a = p.middle_columns(r_, n_a_);
    set_block(p, t_a * symmetric_eigen(transpose_times(t_a, a_.value * t_a)).vectors, 0, r_);
    DenseMatrix a = transpose_times(p, a_.value * p);
    // PᵀEṖ of kernels that are continued: -PᵀĖ·T in the columns of T.
    const DenseMatrix turning = transpose_times(p, e_rate_.value * p);
    for (Index j = r_; kind_ == StructureKind::self_adjoint && j < n_; ++j) {
      for (Index i = 0; i < r_; ++i) {
        a(i, j) += turning(i, j);
      }
    }
    result_.condensed_e = transpose_times(p, e_.value * p);
    result_.condensed_a = a;
    result_.local_a = a;
    set_block(result_.local_a, DenseMatrix(r_, r_), 0, 0);
    result_.p = scale_rows(p, scale_);
  }

  // Ranks that are the same near the point; a symmetric pair with a kernel that stands still.
  bool is_still() {
    if (change_ > kStandsStill) {
      result_.reason = "ranks change at this point";
      return false;
    }
    return true;
  }

  [[nodiscard]] Blocks blocks_by(const MatrixJet& p) const {
    Blocks blocks;
    const MatrixJet e = p.transposed() * e_ * p;
    blocks.e = e.value;
    blocks.e_rate = e.rate;
    blocks.a = transpose_times(p.value, a_.value * p.value) - transpose_times(p.value, e_.value * p.rate);
    blocks.e11 = block_of(blocks.e, 0, s_, 0, s_);
    blocks.e12 = block_of(blocks.e, 0, s_, s_, d_);
    blocks.e21 = block_of(blocks.e, s_, d_, 0, s_);
    blocks.e22 = block_of(blocks.e, s_, d_, s_, d_);
    blocks.a11 = block_of(blocks.a, 0, s_, 0, s_);
    blocks.a12 = block_of(blocks.a, 0, s_, s_, d_);
    blocks.a21 = block_of(blocks.a, s_, d_, 0, s_);
    blocks.a22 = block_of(blocks.a, s_, d_, s_, d_);
    blocks.sigma_a = block_of(blocks.a, r_, n_a_, r_, n_a_);
    blocks.sigma_s = block_of(blocks.a, 0, s_, r_ + n_a_, s_);
    return blocks;
  }

  // (Ẽ, Ã) is of the same kind again: what the forms are made of is verified, not taken from a theorem.
  [[nodiscard]] bool is_structured(const Blocks& blocks) const {
    const DenseMatrix& e = blocks.e;
    const DenseMatrix& a = blocks.a;
    const double limit = kStandsStill * std::max(a.largest_entry(), blocks.e_rate.largest_entry());
    return kind_ == StructureKind::symmetric
               ? (e - e.transposed()).largest_entry() <= kStandsStill * e.largest_entry() &&
                     (a - a.transposed()).largest_entry() <= limit
               : (e + e.transposed()).largest_entry() <= kStandsStill * e.largest_entry() &&
                     (a - a.transposed() + blocks.e_rate).largest_entry() <= limit;
  }

  // β = Σ_s⁻ᵀ·b₄ and β', by b and ḃ: 0 = Σ_sᵀ·x₁ + b₄.
  void solve_constraints() {
    const MatrixJet v_s{p_.value.middle_columns(r_ + n_a_, s_), p_.rate.middle_columns(r_ + n_a_, s_)};
    const MatrixJet u1{p_.value.middle_columns(0, s_), p_.rate.middle_columns(0, s_)};
    const MatrixJet constraint = v_s.transposed() * a_ * u1;  // Σ_sᵀ, as V_sᵀ·E = 0
    const MatrixJet solved = s_ > 0 ? inverse_jet(constraint, inverse_of(constraint.value)) * v_s.transposed()
                                    : MatrixJet::constant(DenseMatrix(0, n_));
    beta_ = solved.value;
    beta_rate_ = solved.rate;  // β' = this·b + beta_·ḃ
  }

  // (4.16) and (4.26) in the unknowns (x₂, x₃, x₁, x₄, x₅).
  [[nodiscard]] StructuredForm reduced_form(const Blocks& blocks) const {
    const DenseMatrix pt = p_.value.transposed();
    const auto rows = [&](Index first, Index count) { return block_of(pt, first, count, 0, n_); };
    const DenseMatrix b1 = rows(0, s_) + blocks.e11 * beta_rate_ - blocks.a11 * beta_;
    const DenseMatrix b1_rate = blocks.e11 * beta_;
    const DenseMatrix b2 = rows(s_, d_) + blocks.e21 * beta_rate_ - blocks.a21 * beta_;
    const DenseMatrix b2_rate = blocks.e21 * beta_;
    const DenseMatrix across = s_ > 0 && d_ > 0 ? blocks.e12 * inverse_of(blocks.e22) : DenseMatrix(s_, d_);
    StructuredForm form{.e = DenseMatrix(n_, n_),
                        .a = DenseMatrix(n_, n_),
                        .data = DenseMatrix(n_, n_),
                        .data_rate = DenseMatrix(n_, n_),
                        .unknowns = {},
                        .unknowns_rate = {}};
    const Index at3 = d_;
    const Index at1 = at3 + n_a_;
    const Index at4 = at1 + s_;
    const Index at5 = at4 + s_;
    set_block(form.e, blocks.e22, 0, 0);
    set_block(form.a, blocks.a22, 0, 0);
    set_block(form.a, blocks.sigma_a, at3, at3);
    set_block(form.a, blocks.sigma_s, at1, at4);
    set_block(form.a, blocks.sigma_s.transposed(), at4, at1);
    set_block(form.data, b2, 0, 0);
    set_block(form.data_rate, b2_rate, 0, 0);
    set_block(form.data, rows(r_, n_a_), at3, 0);
    set_block(form.data, b1 - across * b2, at1, 0);
    set_block(form.data_rate, b1_rate - across * b2_rate, at1, 0);
    set_block(form.data, rows(r_ + n_a_, n_ - r_ - n_a_), at4, 0);
    // x₄ of the form is x₄ + Σ_s⁻¹·(A₁₂ - E₁₂·E₂₂⁻¹·A₂₂)·x₂.
    DenseMatrix order(n_, n_);
    set_block(order, DenseMatrix::identity(s_), 0, at1);
    set_block(order, DenseMatrix::identity(d_), s_, 0);
    set_block(order, DenseMatrix::identity(n_a_), r_, at3);
    set_block(order, DenseMatrix::identity(s_), r_ + n_a_, at4);
    set_block(order, DenseMatrix::identity(n_ - at5), at5, at5);
    if (s_ > 0) {
      set_block(order, -1.0 * (inverse_of(blocks.sigma_s) * (blocks.a12 - across * blocks.a22)), r_ + n_a_,
                0);
    }
    form.unknowns = p_.value * order;
    form.unknowns_rate = p_.rate * order;
    return in_given_units(std::move(form));
  }

  // (4.32): x₆ = ẋ₁ beside the others, after E₁₂ and E₂₁ are removed by a congruence.
  void extend(const Blocks& blocks) {
    const MatrixJet u1{p_.value.middle_columns(0, s_), p_.rate.middle_columns(0, s_)};
    const MatrixJet u2{p_.value.middle_columns(s_, d_), p_.rate.middle_columns(s_, d_)};
    const MatrixJet rest{p_.value.middle_columns(r_, n_ - r_), p_.rate.middle_columns(r_, n_ - r_)};
    const MatrixJet e22 = u2.transposed() * e_ * u2;
    const MatrixJet removed =
        d_ > 0 ? u1 - u2 * (inverse_jet(e22, inverse_of(e22.value)) * (u2.transposed() * e_ * u1)) : u1;
    const MatrixJet p = beside(removed, beside(u2, rest));
    const Blocks after = blocks_by(p);
    if (!is_structured(after)) {
      result_.reason += std::string(result_.reason.empty() ? "" : "; ") +
                        "minimal extension: the congruence that removes E12 does not keep the symmetry";
      return;
    }
    const Index size = n_ + s_;
    StructuredForm form{.e = DenseMatrix(size, size),
                        .a = DenseMatrix(size, size),
                        .data = DenseMatrix(size, n_),
                        .data_rate = DenseMatrix(size, n_),
                        .unknowns = DenseMatrix(n_, size),
                        .unknowns_rate = DenseMatrix(n_, size)};
    set_block(form.e, after.e22, s_, s_);
    set_block(form.a, after.a12, 0, s_);
    set_block(form.a, after.a21, s_, 0);
    set_block(form.a, after.a22, s_, s_);
    set_block(form.a, blocks.sigma_a, r_, r_);
    set_block(form.a, after.sigma_s, 0, r_ + n_a_);
    set_block(form.a, after.sigma_s.transposed(), r_ + n_a_, 0);
    set_block(form.a, DenseMatrix::identity(s_), n_, n_);
    set_block(form.data, p.value.transposed(), 0, 0);
    set_block(form.data,
              block_of(p.value.transposed(), 0, s_, 0, n_) + after.e11 * beta_rate_ - after.a11 * beta_, 0,
              0);
    set_block(form.data_rate, after.e11 * beta_, 0, 0);
    set_block(form.data, beta_rate_, n_, 0);
    set_block(form.data_rate, beta_, n_, 0);
    set_block(form.unknowns, p.value, 0, 0);
    set_block(form.unknowns_rate, p.rate, 0, 0);
    result_.extended = in_given_units(std::move(form));
  }

  // b of the scaled pair is D·b, its x is D⁻¹·x.
  [[nodiscard]] StructuredForm in_given_units(StructuredForm form) const {
    form.data = scale_columns(form.data, scale_);
    form.data_rate = scale_columns(form.data_rate, scale_);
    form.unknowns = scale_rows(form.unknowns, scale_);
    form.unknowns_rate = scale_rows(form.unknowns_rate, scale_);
    return form;
  }

  StructureKind kind_;
  bool is_rounded_;
  Index n_;
  std::vector<double> scale_;
  MatrixJet e_;
  MatrixJet e_rate_;
  MatrixJet a_;
  double size_e_ = 0.0;
  double size_a_ = 0.0;
  RankDoubts doubts_;
  std::optional<std::array<Index, 3>> exact_;
  double change_ = 0.0;
  Index r_ = 0;
  Index n_a_ = 0;
  Index s_ = 0;
  Index d_ = 0;
  MatrixJet p_;
  DenseMatrix orthogonal_;
  DenseMatrix beta_;
  DenseMatrix beta_rate_;
  StructuredPair result_;
};

}  // namespace

std::optional<StructuredPair> structured_pair(const PairData& pair, StructureKind kind, bool is_rounded) {
  SALTUS_EXPECT(!pair.e.empty() && !pair.a.empty() && kind != StructureKind::none, "a pair with a structure");
  return Structurer(pair, kind, is_rounded).run();
}

}  // namespace saltus::reduce
