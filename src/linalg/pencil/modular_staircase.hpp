/// The ranks of a staircase of a pencil, of its numbers exactly as they stand.
///
/// Problem      the dimensions that the staircase of λE - A has in exact arithmetic (kronecker.hpp)
/// Method       elimination modulo primes (modular.hpp); the dimensions found modulo two different primes alike are taken
/// Contract     Finite entries, any shape. None: of all primes no two say the same.
/// Fails when   two primes divide minors of the same matrix: for numbers that do not know the primes the chance is about n²·2⁻⁶²
/// Cost         2·n³ operations for each step and prime
/// Checked by   tests/unit/linalg/kronecker_test.cpp
#pragma once

#include <optional>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::linalg {

/// One step of a staircase on what the steps before have left: E has `rows` × `columns`, its kernel `kernel` dimensions, A maps them onto `image`.
struct StairStep {
  Index rows = 0;
  Index columns = 0;
  Index kernel = 0;
  Index image = 0;

  friend bool operator==(const StairStep&, const StairStep&) = default;
};

struct ExactStaircase {
  std::vector<StairStep> transposed;  ///< of λEᵀ - Aᵀ, until the kernel is empty: the last step has kernel 0
  std::vector<StairStep> rest;        ///< of what it leaves, transposed back

  friend bool operator==(const ExactStaircase&, const ExactStaircase&) = default;
};

[[nodiscard]] std::optional<ExactStaircase> exact_staircase(const DenseMatrix& e, const DenseMatrix& a);

}  // namespace saltus::linalg
