/// Matrices modulo a prime: ranks of numbers exactly as they stand.
///
/// Problem      ranks and null spaces of matrices of doubles without rounding errors
/// Method       A double is an integer times a power of 2, so it has a residue modulo an odd prime; elimination modulo a prime makes no
///              rounding errors. A rank modulo p is at most the rank, and less only where p divides certain minors.
/// Contract     Finite entries. Residues of one Field belong together.
/// Choices      four primes just below 2³¹, so that products fit into 64 bits; none of them of the form 2^k - 1, modulo which scales by
///              powers of 2 would coincide
/// Cost         n³ operations for a null space
/// Checked by   tests/unit/linalg/kronecker_test.cpp, tests/unit/reduce/order_reduction_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::linalg::modular {

/// The largest below 2³¹ - 1.
inline constexpr std::array<std::uint64_t, 4> kPrimes{2147483629, 2147483587, 2147483579, 2147483563};

/// Arithmetic modulo p.
class Field {
 public:
  explicit Field(std::uint64_t p) : p_(p) {}

  [[nodiscard]] std::uint64_t times(std::uint64_t x, std::uint64_t y) const { return x * y % p_; }
  [[nodiscard]] std::uint64_t minus(std::uint64_t x, std::uint64_t y) const {
    return x >= y ? x - y : x + p_ - y;
  }
  [[nodiscard]] std::uint64_t plus(std::uint64_t x, std::uint64_t y) const { return (x + y) % p_; }
  [[nodiscard]] std::uint64_t inverse(std::uint64_t x) const { return power(x, p_ - 2); }
  [[nodiscard]] std::uint64_t residue(double number) const;

 private:
  [[nodiscard]] std::uint64_t power(std::uint64_t x, std::uint64_t exponent) const;

  std::uint64_t p_;
};

struct Residues {
  Index rows = 0;
  Index columns = 0;
  std::vector<std::uint64_t> entries;

  Residues(Index m, Index n) : rows(m), columns(n), entries(static_cast<std::size_t>(m * n)) {}
  std::uint64_t& operator()(Index i, Index j) { return entries[static_cast<std::size_t>(i + j * rows)]; }
  std::uint64_t operator()(Index i, Index j) const { return entries[static_cast<std::size_t>(i + j * rows)]; }
};

[[nodiscard]] Residues residues_of(const DenseMatrix& a, bool transposed, const Field& field);
[[nodiscard]] Residues transpose(const Residues& a);
[[nodiscard]] Residues product(const Residues& a, const Residues& b, const Field& field);
/// (A, B)
[[nodiscard]] Residues beside(const Residues& a, const Residues& b);
[[nodiscard]] Residues columns_of(const Residues& a, const std::vector<Index>& columns);
/// A basis of the kernel in columns; `pivots`: unit vectors of these complete it to one of the whole space, so there are as many as the rank.
[[nodiscard]] Residues kernel_of(Residues a, std::vector<Index>& pivots, const Field& field);
/// The same without the pivots, and of Aᵀ.
[[nodiscard]] Residues kernel_of(Residues a, const Field& field);
[[nodiscard]] Residues corange_of(const Residues& a, const Field& field);
[[nodiscard]] Index rank_of(Residues a, const Field& field);

/// What `compute(field)` says of two primes alike; none: of all primes no two say the same. Results that differ come from a prime that divides a
/// minor: for numbers that do not know the primes the chance is about n²·2⁻³¹ for each of them, and n²·2⁻⁶² for two.
template <class Compute>
[[nodiscard]] auto agreed(const Compute& compute) -> std::optional<decltype(compute(Field(2)))> {
  std::vector<decltype(compute(Field(2)))> found;
  for (const std::uint64_t p : kPrimes) {
    auto next = compute(Field(p));
    for (const auto& before : found) {
      if (before == next) {
        return next;
      }
    }
    found.push_back(std::move(next));
  }
  return std::nullopt;
}

}  // namespace saltus::linalg::modular
