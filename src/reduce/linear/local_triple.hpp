/// The ten local characteristic values of M·ẍ + C·ẋ + K·x = f at a point.
///
/// Problem      what the three matrices say of the equations without any derivative of them: which parts are of second and first order and
///              algebraic, and which are strange, that is coupled so that something hidden follows
/// Method       ranks of products with null spaces ([Wun08] Lemma 3.8; the places of V₂ and V₄ from the proof of Theorem 3.19):
///              V₁ = ker Mᵀ, V₂ = ker M, V₃ = ker Mᵀ ∩ ker Cᵀ, V₄ = ker M ∩ ker V₁ᵀC. The dimension of range Mᵀ ∩ range CᵀV₁ ∩ range KᵀV₃
///              is n - rank(ker M, ker V₁ᵀC, ker V₃ᵀK): a sum of spaces is orthogonal to the intersection of their complements.
/// Contract     Matrices of one shape, empty ones too; finite. Rows, columns of all three together and each matrix are scaled by powers of 2, which
///              changes no value. Clear: gaps are wide, and the numbers exactly as they stand have the same values (or what was dropped is
///              rounding, where entries are results of calculations).
/// Checked by   tests/unit/reduce/local_triple_test.cpp
#pragma once

#include <optional>

#include "linalg/dense_matrix.hpp"
#include "reduce/linear/rank_algebra.hpp"

namespace saltus::reduce {

struct TripleValues {
  Index rank = 0;             ///< r of M
  Index algebraic = 0;        ///< a
  Index strangeness_mck = 0;  ///< unknowns that equations of all three orders determine
  Index strangeness_ck = 0;   ///< of first order and algebraic ones
  Index strangeness_mc = 0;
  Index strangeness_mk = 0;
  Index first_order = 0;   ///< d₁
  Index second_order = 0;  ///< d₂
  Index undetermined = 0;  ///< u
  Index vanishing = 0;     ///< v

  /// Nothing is hidden.
  [[nodiscard]] bool is_strangeness_free() const {
    return strangeness_mck + strangeness_ck + strangeness_mc + strangeness_mk == 0;
  }
  friend bool operator==(const TripleValues&, const TripleValues&) = default;
};

struct LocalTriple {
  TripleValues values;
  std::optional<TripleValues> exact;  ///< of the numbers exactly as they stand
  RankDoubts doubts;
  bool is_clear = false;
};

[[nodiscard]] LocalTriple local_triple(const linalg::DenseMatrix& m, const linalg::DenseMatrix& c,
                                       const linalg::DenseMatrix& k, bool is_rounded = false);

}  // namespace saltus::reduce
