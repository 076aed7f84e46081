/// Problem      as guard_tube.hpp, for blocks with so many unknowns that a dense preconditioner costs more than the step
/// Method       z̃(t) through the solutions at the start and at the point of the piece. What is missing of it is d = -J⁻¹R with the
///              residual R of z̃, so a guard needs no more than λᵀR, Jᵀλ = ∂g/∂z: one factorisation of the sparse Jᵀ for the piece, one
///              solution for each guard. R and its rate Q come from the same tangents over boxes as in a tube:
///                ġ ∈ ∂g/∂t + ∂g/∂x ẋ + ∂g/∂z s - λᵀQ,   g ∈ g(p) + ġ·(t - t_p) + (∂g/∂x - λᵀ∂r/∂x)·ε
/// Notation     as in guard_tube.hpp
/// Contract     estimates: λ is that of the point, and the box of the unknowns over which derivatives are taken is a guess that nothing
///              confirms. Nothing allocates after construction but the factorisation.
/// Choices      kMargin covers what λ changes over the piece.
/// Fails when   an equation is not defined or may jump over the box, J is singular or its condition beyond kLeastCondition: not known
/// Cost         per piece the equations once in intervals with tangents, once with sweeps back in numbers, a sparse factorisation
/// Checked by   tests/unit/program/guard_tube_test.cpp
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "linalg/sparse_lu.hpp"
#include "program/guards/guard_tube.hpp"

namespace saltus::program {

class GuardEstimate {
 public:
  GuardEstimate(const GuardTape& tape, const GuardClosure& closure, std::size_t n_states);

  [[nodiscard]] bool is_of(const system::CurvePiece& piece, std::uint64_t version) const {
    return version_ == version && at_ == piece.at && time_ == piece.time &&
           std::equal(piece.x.begin(), piece.x.end(), x_.begin());
  }
  /// From the solutions where the piece begins and at its point.
  void build(const system::CurvePiece& piece, std::uint64_t version, std::span<const double> start,
             std::span<const double> point, std::span<const double> errors, const TapeMemory& memory);
  /// Of the guard with this code, whose blocks these are.
  [[nodiscard]] system::GuardBounds bound(const TapePiece& guard, const system::CurvePiece& piece,
                                          const TapeMemory& memory);

  void fields(Archive& a) {
    a(lu_, is_known_, version_, time_, at_, x_, point_, errors_, slopes_, region_, total_, multipliers_,
      entries_, by_states_, gradient_, adjoints_);
  }

 private:
  [[nodiscard]] bool differentiate(const system::CurvePiece& piece, const TapeMemory& memory);
  [[nodiscard]] bool factorize(const system::CurvePiece& piece, const TapeMemory& memory);

  const GuardTape& tape_;
  const GuardClosure& closure_;
  linalg::SparseLuNumeric lu_;  // of Jᵀ
  bool is_known_ = false;
  std::uint64_t version_ = 0;
  Interval time_;
  double at_ = 0.0;
  std::vector<double> x_;
  // By unknown or row.
  std::vector<double> point_;
  std::vector<double> errors_;
  std::vector<double> slopes_;
  std::vector<Interval> region_;
  std::vector<Interval> total_;      // Q
  std::vector<double> multipliers_;  // λ
  std::vector<double> entries_;      // of J, row by row
  std::vector<double> by_states_;    // ∂r/∂x, in the order of GuardClosure::states
  std::vector<double> gradient_;     // by state
  std::vector<double> adjoints_;     // by register
};

}  // namespace saltus::program
