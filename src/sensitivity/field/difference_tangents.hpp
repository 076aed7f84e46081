/// Tangents of a field that offers none: sliding, modes reduced by ranks, functions of the user.
///
/// Problem    the derivative of rates, outputs and guards along (t, x, discrete values, p)
/// Method     over evaluators of the twins (setup.hpp) at points that move with the parameter: constraints that the direction keeps hold there, and a field that is
///            reduced by ranks is smooth only where they do. Where states would go too far, and without twins, by linearity in two parts: along time,
///            states and discrete values by a stencil over the evaluator itself (stencil.hpp), along the parameter over the twins at the same point.
///            Neither part keeps constraints: where the field is smooth only on them (Sizes) states may go further, and too far is a failure
/// Contract   system::Tangents, but for exactness. The configuration of the evaluator is what it was after every call. Sides and weights
///            that a configuration holds are those of the stretch for all points.
/// Fails when a value beside the point cannot be computed: its status; not_finite where states would go too far along constraints
/// Cost       four evaluations for each direction that moves, and one for each twin
/// Checked by tests/sensitivity/forward_test.cpp (sliding), tests/sensitivity/ranks_test.cpp
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "system/evaluator.hpp"

namespace saltus::sensitivity {

class DifferenceTangents final : public system::Tangents {
 public:
  struct TwinEvaluator {
    double weight = 0.0;
    std::unique_ptr<system::Evaluator> evaluator;
    double offset = 0.0;  ///< of the value from that of the run
    double coarse = 0.0;  ///< weight of a difference of lower order
  };
  struct Sizes {
    std::vector<double> nominal;  ///< by state
    std::size_t n_variables = 0;
    double time = 1.0;               ///< over which the field changes little
    bool needs_constraints = false;  ///< the field is smooth only where constraints hold
  };

  /// `twins` by direction. The configuration and the evaluator, which has it, outlive this object.
  DifferenceTangents(system::Evaluator& evaluator, const system::Configuration& configuration, Sizes sizes,
                     std::vector<std::vector<TwinEvaluator>> twins);

  system::Evaluation rates(double t, std::span<const double> x, const system::Seeds& seeds,
                           std::span<double> tangents) override;
  system::Evaluation outputs(double t, std::span<const double> x, const system::Seeds& seeds,
                             std::span<double> tangents) override;
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            const system::Seeds& seeds, std::span<double> tangents) override;

  void take_twins(std::vector<std::vector<TwinEvaluator>> twins) { twins_ = std::move(twins); }
  void set_time_size(double time) override { sizes_.time = time; }

 private:
  template <class Values>
  system::Evaluation differentiate(double t, std::span<const double> x, const system::Seeds& seeds,
                                   std::size_t n_values, Values values, std::span<double> tangents);
  // How far states go between the twins of a direction, as a part of their sizes.
  [[nodiscard]] double motion_between_twins(std::span<const double> x, const system::Seeds& seeds,
                                            std::size_t direction) const;
  template <class Values, class Add>
  system::Evaluation along_twins(double t, std::span<const double> x, const system::Seeds& seeds,
                                 std::size_t direction, Values values, Add add);
  [[nodiscard]] double step_along(std::span<const double> x, const system::Seeds& seeds,
                                  std::size_t direction) const;

  system::Evaluator& evaluator_;
  const system::Configuration& configuration_;
  Sizes sizes_;
  std::vector<std::vector<TwinEvaluator>> twins_;
  std::vector<double> x_;
  std::vector<double> values_;
  system::Configuration moved_;
};

}  // namespace saltus::sensitivity
