/// S along the dense solution of the run: the variational equation.
///
/// Problem    Ṡ = ∂f/∂x·S + ∂f/∂p + ∂f/∂d·D along x(t), S [state][column], D of discrete values constant
/// Method     linear in S, with x(t) from the continuous extension of the accepted steps, whose error is that of the steps. Explicit steps: the
///            Dormand-Prince pair on tangents of the rates, one for all columns at a stage. Implicit steps: Radau IIA with three stages,
///            order 5, on the residual form E·Ṡ + A·Y + B = 0, Y = (S, Z), E = ∂r/∂ẏ, A = ∂r/∂y, B = ∂r/∂p + ∂r/∂d·D at its nodes:
///            stages are one linear system of order 3·n_y for all columns, solved directly [HW96] IV.8, VI.4.
/// Contract   the steps of the run are not touched: follow() tells of them, step() goes along what is known with a step size of its own. Within a
///            step S is interpolated. Errors are measured in rtol·|S| + atol/|p̄|, p̄ the size of the parameter.
///            Where the equations have no derivative at the first point (a root of zero, from which the solution moves away): Radau IIA in
///            u, time = u⁴, which does not evaluate there; two steps of half the length are compared with one.
/// Choices    a step of S is no longer than a step of a one-step method, which has about its order; than kMostRunSteps of those of a multistep method, whose
///            steps are several times shorter: what these have resolved is not stepped over.
///            The estimate of radau5 is that of [HW96] (8.19), (8.20), with Ṡ at the start of the step from the stage before.
/// Fails when an evaluation fails, a matrix is singular, or steps become too small: the evaluation says which
/// Cost       explicit: 6 tangents of the rates in all columns; implicit: 3 Jacobians, a factorisation of order 3·n_y and one of n_y
/// Checked by tests/sensitivity/closed_forms_test.cpp, tests/sensitivity/forward_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sensitivity/field/stretch_field.hpp"
#include "sensitivity/solution_path.hpp"
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
  /// The run has gone on by a step. Before a method of the other kind takes over S has to be at the end of what is known.
  void follow(const trajectory::SegmentView& segment, bool is_implicit);
  /// Steps of a multistep method for which S may stay behind.
  static constexpr std::size_t kMostRunSteps = 8;

  /// Whether a step can be made: where S need not arrive at the end of what is known, one of the length wanted.
  [[nodiscard]] bool can_step(bool to_end) const;
  [[nodiscard]] bool is_at_end() const { return path_.n_pieces() == 0; }
  /// Tries steps until one is good; S is not moved yet. `next_row`: a time at which S is wanted. `discrete`: D.
  [[nodiscard]] system::Evaluation step(bool to_end, double next_row, std::span<const double> discrete,
                                        std::span<const double> s);
  /// Where S stands, and would stand after the step.
  [[nodiscard]] double time() const { return path_.time(at_); }
  [[nodiscard]] double end_time() const { return path_.time(end_); }
  /// x and S at a time within the step.
  void interpolate(double t, std::span<const double> s, std::span<double> x, std::span<double> out);
  /// S := S at the end of the step, x: the solution there.
  void accept(std::span<double> s, std::span<double> x);
  /// S was moved since.
  void moved() { has_first_stage_ = false; }

 private:
  struct Implicit;

  [[nodiscard]] system::Evaluation explicit_step(double h, std::span<const double> discrete,
                                                 std::span<const double> s);
  void make_implicit();
  [[nodiscard]] system::Evaluation open_step(double from, double width, double end,
                                             std::span<const double> discrete, std::span<const double> s);
  [[nodiscard]] system::Evaluation leave_singular_point(double end, std::span<const double> discrete,
                                                        std::span<const double> s);
  [[nodiscard]] double error_of(std::span<const double> s) const;

  const FieldSource& source_;
  StretchField& field_;
  SolutionPath path_;
  SolutionPath::Place at_;   // S
  SolutionPath::Place end_;  // of the step
  bool is_implicit_ = false;
  std::vector<double> x_;
  std::vector<std::vector<double>> stages_;
  bool has_first_stage_ = false;  // the last one of the step before
  std::vector<double> argument_;
  std::vector<double> result_;  // of a step that is tried …
  std::vector<double> error_;   // … its estimated error …
  double h_ = 0.0;              // … and its length
  double next_h_ = 0.0;         // length wanted, without sign; 0: nothing is known of it
  bool is_at_start_ = true;     // of the stretch
  bool is_singular_ = false;    // the step leaves a point without derivatives
  std::unique_ptr<Implicit> implicit_;
};

}  // namespace saltus::sensitivity
