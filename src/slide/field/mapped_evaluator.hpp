/// A mode seen with the states of another one, as an evaluator: what two modes with different states need to be combined.
///
/// Problem      mode k has some of the states of mode l; the others are variables that its equations give, y = R(t, x_k). On a surface
///              between the modes one state vector, that of l, serves both
/// Method       ẋ of the common states from k; ẏ is the derivative of R along the motion of k, by central differences of the outputs.
///              What R says of y is a constraint of k: constraints() has y - R = 0 as an EquationSet.
/// Contract     An Evaluator that refers to another, which outlives it. Guards are those of k, offered as opaque ones; nothing is
///              projected here (stacked_projection.hpp takes the constraints).
/// Choices      The step of the differences is the cube root of eps of the scale of time, min |x|/|ẋ|: errors near 1e-10 relative.
/// Cost         of rhs: one right-hand side and two outputs of k; of a Jacobian of constraints(): outputs for every state of k
/// Checked by   tests/unit/slide/mapped_evaluator_test.cpp
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "system/equation_set.hpp"
#include "system/locked_dae.hpp"

namespace saltus::slide {

/// How the states of the mode seen lie in the states seen from outside.
struct StateMap {
  struct Given {
    Index state = -1;     ///< outside
    Index variable = -1;  ///< whose value it is
    double nominal = 1.0;
    std::string name = {};
  };
  std::vector<Index> places;    ///< by state of the mode: the state outside
  std::vector<Given> given;     ///< states outside that equations of the mode give
  std::vector<double> nominal;  ///< by state of the mode
  Index n_outside = 0;
  Index n_variables = 0;
};

class MappedEvaluator final : public system::Evaluator {
 public:
  MappedEvaluator(system::Evaluator& inner, StateMap map);

  /// y - R(t, x) = 0 for the given states, over the states outside.
  [[nodiscard]] std::shared_ptr<const system::EquationSet> constraints();

  void set_configuration(const system::Configuration& configuration) override {
    inner_.set_configuration(configuration);
  }
  void set_latched(Index guard, double value) override { inner_.set_latched(guard, value); }
  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override;
  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override;
  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override;
  void keep_solutions() override { inner_.keep_solutions(); }
  void restore_solutions() override { inner_.restore_solutions(); }
  [[nodiscard]] bool has_unwatched_kinks() const override { return inner_.has_unwatched_kinks(); }
  void copy_output_solutions(std::span<double> guess) const override { inner_.copy_output_solutions(guess); }
  void set_output_solutions(std::span<const double> guess) override { inner_.set_output_solutions(guess); }
  [[nodiscard]] std::string describe(const system::Evaluation& evaluation, double t) const override {
    return inner_.describe(evaluation, t);
  }
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values) override;
  [[nodiscard]] double guard_noise(Index i, double t, std::span<const double> x) override;
  system::Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative) override;
  system::Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives) override;

  void fields(Archive& a) override {
    // Not saved: map_.
    a(own_, own_rate_, moved_, later_, earlier_);
  }

 private:
  std::span<const double> own(std::span<const double> x);

  system::Evaluator& inner_;
  StateMap map_;
  std::vector<double> own_;
  std::vector<double> own_rate_;
  std::vector<double> moved_;
  std::vector<double> later_;
  std::vector<double> earlier_;
};

}  // namespace saltus::slide
