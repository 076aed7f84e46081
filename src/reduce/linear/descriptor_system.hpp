/// What inputs reach and outputs see of E·ẋ = A·x + B·u, y = C·x, and feedback that leaves nothing hidden.
///
/// Problem      with n equations and unknowns: controllable (finite part, R-): rank (λE - A, B) = n for all λ; completely: rank (E, B) = n too; observable:
///              the same of the transposed system. A feedback u = F·x + w or u = F·y + w that makes (E, A + B·F) regular with index at most 1.
/// Method       [Wun08] 5.6.1, 5.6.2. rank (λE - A, B) = n for all λ: the pencil λ(E, 0) - (A, B) has no finite eigenvalues and no left minimal
///              indices (linalg/pencil/kronecker.hpp); its eigenvalues are the modes that no input reaches. A feedback of the state exists where
///              rank (E, A·T, B) = n, T = ker E; of the output where rank (E; ZᵀA; C) = n too, Z = ker Eᵀ. With N = ZᵀAT, U = ker Nᵀ, W = ker N,
///              G = UᵀZᵀB of full row rank and H = C·T·W of full column rank (the identity for the state):
///                  F = σ·G⁺·H⁺, in x: F = σ·G⁺·WᵀTᵀ.   Then Zᵀ(A + B·F·C)T is nonsingular: its Schur complement is N on what W leaves.
/// Contract     E and A square, of one size; B with as many rows, C with as many columns. Ranks as in order_reduction.hpp; none: one is not clear.
/// Choices      σ is the largest entry of A: what the feedback adds is of the size of what is there.
/// Fails when   there is no feedback: none is returned, and the flag says so
/// Checked by   tests/unit/reduce/descriptor_system_test.cpp
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::reduce {

struct DescriptorSystem {
  linalg::DenseMatrix e;
  linalg::DenseMatrix a;
  linalg::DenseMatrix b;
  linalg::DenseMatrix c;
};

struct Reach {
  bool finite = false;    ///< controllable in the finite part; observable
  bool complete = false;  ///< and at infinity
  /// λ at which the rank falls; all of them where `everywhere`.
  std::vector<std::complex<double>> missed;
  bool everywhere = false;
};

struct DescriptorAnalysis {
  bool is_regular = false;  ///< λE - A
  Reach inputs;
  Reach outputs;
  std::optional<linalg::DenseMatrix> state_feedback;   ///< F by x; none: there is none
  std::optional<linalg::DenseMatrix> output_feedback;  ///< F by y
};

[[nodiscard]] std::optional<DescriptorAnalysis> analyse_descriptor(const DescriptorSystem& system);

}  // namespace saltus::reduce
