/// Problem      r(d) = b + J·d for some J in [J] and b in [b] at every instant of a piece of time: a box that holds a zero for each of
///              them, and only one
/// Method       Krawczyk's operator [Kra69] with a preconditioner Y ≈ mid[J]⁻¹: K(D) = -Y[b] + (I - Y[J])D. K(D) ⊂ int D proves a zero
///              in K(D) that is the only one in D, and that every matrix of [J] is regular [Rum83].
/// Notation     C ≥ |I - Y[J]| entry by entry;  m with mid[b] + mid[J]m ≈ 0;  ρ = |Y||[b] + [J]m|;  D = m ± e with e = ρ + Ce
/// Contract     middles and radii; the rounding errors of every sum are added to its radius. J is sparse with a fixed pattern, Y is dense.
///              Nothing allocates after construction.
/// Choices      Y is kept from box to box: it need not be good, it must only contract. A new one is made where C does not.
///              m is refined, so that a Y of another matrix costs width only in proportion to the width of [b] and [J].
///              e is found by its own iteration from ρ on and then widened by kInflation until the inclusion is strict.
/// Fails when   the middle is singular, or C is not a contraction: false
/// Cost         n·(entries of J) for C, n² for each right side; 2n³ for a new Y
/// Checked by   tests/unit/program/krawczyk_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "linalg/dense_lu.hpp"
#include "program/vm/interval.hpp"

namespace saltus::program {

class Krawczyk {
 public:
  /// Entries row by row: those of row k have the places row_starts[k] … row_starts[k + 1] - 1 and these columns.
  Krawczyk(std::span<const std::uint32_t> row_starts, std::span<const std::uint32_t> columns);

  [[nodiscard]] std::size_t n() const { return n_; }
  /// [J] = middle ± radius, by entry; to be filled before prepare().
  [[nodiscard]] std::span<double> middle() { return middle_; }
  [[nodiscard]] std::span<double> radius() { return radius_; }

  /// Computes C, with the kept preconditioner or, without one or with `renews`, a new one. False: there is none.
  [[nodiscard]] bool prepare(bool renews);
  [[nodiscard]] bool has_preconditioner() const { return has_preconditioner_; }
  void forget() { has_preconditioner_ = false; }
  /// Whether Y belongs to the [J] of the last prepare().
  [[nodiscard]] bool is_new() const { return is_new_; }
  /// A box D with K(D) ⊂ int D, which is outer(), and K(D) in `box`; false: no contraction. `errors` by unknown, or empty: how far
  /// the point from which d is measured may be from a zero, in the terms of d.
  [[nodiscard]] bool solve(std::span<const Interval> b, std::span<const double> errors,
                           std::span<Interval> box);
  [[nodiscard]] std::span<const Interval> outer() const { return outer_; }
  /// centre(): what solves mid[J]·d + mid[b] = 0, by iterated refinement.
  void find_centre(std::span<const Interval> b);
  [[nodiscard]] std::span<const double> centre() const { return centre_; }
  /// Adds [J]·d.
  void add_product(std::span<const double> d, std::span<Interval> to) const;
  /// -Y·b, about what solves J·d + b = 0.
  void step(std::span<const double> b, std::span<double> d) const;

  void fields(Archive& a) {
    // Not saved: n_, row_starts_, columns_.
    a(middle_, radius_, inverse_, contraction_, size_, lu_, column_, centre_, residual_, rest_, error_, next_,
      outer_, has_preconditioner_, is_new_);
  }

 private:
  [[nodiscard]] bool invert();
  void find_residual(std::span<const Interval> b);
  [[nodiscard]] double reach_of_row(std::size_t row, const Interval& b) const;

  std::size_t n_;
  std::vector<std::uint32_t> row_starts_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> middle_;
  std::vector<double> radius_;
  std::vector<double> inverse_;      // Y, row by row
  std::vector<double> contraction_;  // C, row by row
  std::vector<double> size_;         // a row of |Y||mid J|
  linalg::DenseLu lu_;
  std::vector<double> column_;
  std::vector<double> centre_;  // m
  std::vector<double> residual_;
  std::vector<double> rest_;   // ρ
  std::vector<double> error_;  // e
  std::vector<double> next_;
  std::vector<Interval> outer_;
  bool has_preconditioner_ = false;
  bool is_new_ = false;
};

}  // namespace saltus::program
