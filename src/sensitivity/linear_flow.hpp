/// S between two points of a step: the variational equation along the dense solution of the run.
///
/// Problem    Ṡ = ∂f/∂x·S + ∂f/∂p + ∂f/∂d·D along x(t), S [state][column], D of discrete values constant
/// Method     linear in S, with x(t) from the continuous extension of the accepted step, whose error is that of the step. Explicit steps: the
///            Dormand-Prince pair on tangents of the rates, one for all columns at a stage. Implicit steps: Radau IIA with three stages,
///            order 5, on the residual form E·Ṡ + A·Y + B = 0, Y = (S, Z), E = ∂r/∂ẏ, A = ∂r/∂y, B = ∂r/∂p + ∂r/∂d·D at its nodes:
///            stages are one linear system of order 3·n_y for all columns, solved directly [HW96] IV.8, VI.4.
/// Contract   the steps of the run are not touched: a step whose error in S is too large is divided here. Errors are measured in
///            rtol·|S| + atol/|p̄|, p̄ the size of the parameter.
///            Where the equations have no derivative at the first point (a root of zero, from which the solution moves away): Radau IIA in
///            u, θ = u⁴, which does not evaluate there; two steps of half the length are compared with one.
/// Choices    the estimate of radau5 is that of [HW96] (8.19), (8.20), with Ṡ at the start of the step from the stage before.
/// Fails when an evaluation fails, a matrix is singular, or steps become too small: the evaluation says which
/// Cost       explicit: 6 tangents of the rates in all columns; implicit: 3 Jacobians, a factorisation of order 3·n_y and one of n_y
/// Checked by tests/sensitivity/closed_forms_test.cpp, tests/sensitivity/forward_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sensitivity/stretch_field.hpp"
#include "trajectory/segment.hpp"

namespace saltus::sensitivity {

/// Of stretches of one field.
class LinearFlow {
 public:
  LinearFlow(const FieldSource& source, StretchField& field);
  ~LinearFlow();
  LinearFlow(const LinearFlow&) = delete;
  LinearFlow& operator=(const LinearFlow&) = delete;

  /// A stretch begins.
  void begin();
  /// From θ = `from` to `to` of the segment. `discrete`: D.
  [[nodiscard]] system::Evaluation advance(const trajectory::SegmentView& segment, double from, double to,
                                           bool is_implicit, std::span<const double> discrete,
                                           std::span<double> s);

 private:
  struct Implicit;

  [[nodiscard]] system::Evaluation explicit_step(const trajectory::SegmentView& segment, double from,
                                                 double width, std::span<const double> discrete,
                                                 std::span<const double> s);
  void make_implicit();
  [[nodiscard]] system::Evaluation implicit_step(const trajectory::SegmentView& segment, double from,
                                                 double width, std::span<const double> discrete,
                                                 std::span<const double> s);
  [[nodiscard]] system::Evaluation open_step(const trajectory::SegmentView& segment, double from,
                                             double width, double end, std::span<const double> discrete,
                                             std::span<const double> s);
  [[nodiscard]] system::Evaluation leave_singular_point(const trajectory::SegmentView& segment, double end,
                                                        std::span<const double> discrete,
                                                        std::span<double> s);
  [[nodiscard]] double error_of(std::span<const double> s) const;

  const FieldSource& source_;
  StretchField& field_;
  std::vector<double> x_;
  std::vector<std::vector<double>> stages_;
  std::vector<double> argument_;
  std::vector<double> result_;  // of a step that is tried …
  std::vector<double> error_;   // … and its estimated error
  double largest_ = 1.0;        // part of a step that was accepted last
  bool is_at_start_ = true;     // of the stretch
  std::unique_ptr<Implicit> implicit_;
};

}  // namespace saltus::sensitivity
