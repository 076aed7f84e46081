/// Moore-Penrose and Drazin inverses, the index of a matrix and of a pair ([Wun08] 2.1, 2.2.1).
///
/// Method       A⁺ from the singular values within the rank. A^D by full-rank factors B·C = A, A^D = B·((C·B)^D)²·C, with
///              an orthonormal B = basis of range A, so that C·B is A seen from its own range; repeated until C·B is nonsingular
///              or empty. The number of repetitions is the index. [CM79] 7.2, 7.7
/// Contract     Empty matrices are legal. Ranks by linalg/rank_decision.hpp, measured by the size of the matrix given.
/// Cost         a decomposition for each unit of the index
/// Checked by   tests/unit/linalg/generalized_inverse_test.cpp
#pragma once

#include <optional>

#include "linalg/dense_matrix.hpp"

namespace saltus::linalg {

/// A⁺, columns × rows.
[[nodiscard]] DenseMatrix moore_penrose(const DenseMatrix& a);

struct Drazin {
  DenseMatrix inverse;
  int index = 0;  ///< smallest ν with rank A^ν = rank A^(ν+1); 0: A is nonsingular
};
[[nodiscard]] Drazin drazin(const DenseMatrix& a);

/// E·ẋ = A·x multiplied by (λE - A)⁻¹: the two then commute, and their Drazin inverses say all about the solutions.
struct CommutingPair {
  double shift = 0.0;   ///< λ
  DenseMatrix e;        ///< (λE - A)⁻¹·E
  DenseMatrix a;        ///< (λE - A)⁻¹·A
  DenseMatrix inverse;  ///< (λE - A)⁻¹
};
/// None where λE - A is singular for every λ tried, that is for all: more are tried than det(λE - A) can have zeros.
[[nodiscard]] std::optional<CommutingPair> commuting_pair(const DenseMatrix& e, const DenseMatrix& a);
/// The index of nilpotency of a regular pair; 0: E is nonsingular. None: the pair is singular.
[[nodiscard]] std::optional<int> pair_index(const DenseMatrix& e, const DenseMatrix& a);

/// x with A·x = b, A square and nonsingular (to rank_decision.hpp); none otherwise.
[[nodiscard]] std::optional<DenseMatrix> inverse(const DenseMatrix& a);
}  // namespace saltus::linalg
