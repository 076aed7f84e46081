/// How a field that is held on surfaces moves: tangents of a SlidingField from those of its mode.
///
/// Problem      ẋ = F(t, x, s) with the weights s for which ġ(t, x, s) = 0, or g(t, x, s) = 0 on algebraic surfaces; dF, ds along directions
/// Method       dF = dF|ₛ + F_s·ds, with J·ds = -(∇g·dF|ₛ + d(∇g)·F + d(∂g/∂t)), J = ∇g·F_s, algebraic: J·ds = -dg|ₛ, J = g_s. Tangents with s at rest
///              are those of the mode, for all directions at once. The middle terms are the derivative of dg along (1, F) with fixed seeds: tangents of g
///              at four points on the way of the solution. F_s by a difference over s, exact where F is affine in s.
/// Contract     system::Tangents; sides and weights of the configuration are those of the field, which this object belongs to. x as rhs() expects it.
///              Guards are numbered as those of the field: 1 ∓ s are the last.
/// Choices      of dependent surfaces the smallest ds, as the field takes the smallest change of s.
/// Fails when   the field or the tangents of its mode do
/// Cost         tangents of rates of the mode (twice where sides are combined) and four of its guards, for all directions; four rates for each surface
/// Checked by   tests/sensitivity/forward_test.cpp (sliding)
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linalg/minimum_norm.hpp"
#include "slide/field/sliding_field.hpp"
#include "system/tangents.hpp"

namespace saltus::slide {

class SlidingTangents final : public system::Tangents {
 public:
  /// `inner`: of the one mode of the field.
  SlidingTangents(SlidingField& field, std::unique_ptr<system::Tangents> inner, std::size_t n_directions);

  system::Evaluation rates(double t, std::span<const double> x, const system::Seeds& seeds,
                           std::span<double> tangents) override;
  system::Evaluation outputs(double t, std::span<const double> x, const system::Seeds& seeds,
                             std::span<double> tangents) override;
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            const system::Seeds& seeds, std::span<double> tangents) override;
  void set_time_size(double time) override { time_size_ = time; }

 private:
  [[nodiscard]] bool combines() const { return field_.construction() == SlidingRule::convex; }
  [[nodiscard]] double share() const { return 0.5 * (1.0 + field_.weights_[0]); }
  [[nodiscard]] system::Evaluation find_weights(double t, std::span<const double> x,
                                                const system::Seeds& seeds);
  [[nodiscard]] system::Evaluation find_bends(double t, std::span<const double> x,
                                              const system::Seeds& seeds);
  void solve_weights();
  // With s at rest: of the mode, or of both sides.
  template <class Tangent>
  [[nodiscard]] system::Evaluation at_rest(Tangent tangent, std::span<double> tangents);
  // Adds values_s·ds.
  template <class Values>
  [[nodiscard]] system::Evaluation add_weights(Values values, std::span<double> tangents);
  // ∂values/∂s of a surface into slope_.
  template <class Values>
  [[nodiscard]] system::Evaluation slope(std::size_t surface, std::size_t n_values, Values values);

  SlidingField& field_;
  std::unique_ptr<system::Tangents> inner_;
  std::size_t n_;  // directions
  double time_size_ = 1.0;
  std::vector<double> rates_;     // ẋ
  std::vector<double> tangents_;  // of it with s at rest, [state][direction]
  std::vector<double> other_;     // of the other side
  std::vector<double> slope_;
  std::vector<double> slopes_;  // F_s, [surface][state]
  std::vector<double> values_;
  std::vector<double> point_;
  std::vector<double> matrix_;      // J, by columns
  std::vector<double> conditions_;  // [surface][direction]
  std::vector<double> bends_;       // [surface][direction]
  std::vector<double> weights_;     // ds, [surface][direction]
  std::vector<double> right_;
  std::vector<double> solution_;
  linalg::MinimumNorm solver_;
};

}  // namespace saltus::slide
