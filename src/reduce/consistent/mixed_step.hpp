/// Sides of relations by the equations themselves: values and truths of a moment later, solved for at once.
///
/// Problem      at an instant, or at the start, it is not known which sides the relations over unknowns will have: diodes of a network
///              depend on each other through its equations. Asking values for truths and truths for values may go round for ever, and
///              a piece that is tried alone may have no values at all, or the states may not be able to stay as they are in it.
/// Method       one step of the implicit Euler method, of a length far below that of any motion, with every choice open: for equations of
///              any index its matrix is regular where the motion is determined, a guard that is zero at the instant has the side to which
///              it moves, and a state that must jump does so with the impulse of its own sign (the step of [CHS02], which converges for
///              passive networks). The equations of the step have kinks; they are solved along the path of piecewise_path.hpp, first with
///              choices that are not quite taken (a diode that leaks and resists a little: kSoftness of the other side), so that pieces with
///              several ways for one current, or none, are pieces like any other; from there with the choices as they are.
/// Notation     of a variable with highest derivative q as written the unknown is w = x⁽q⁾ after the step; x⁽ᵏ⁾ after it is
///              x⁽ᵏ⁾ + h·x⁽ᵏ⁺¹⁾ after it
/// Contract     what is given are sides to begin with: whoever takes them finds the values with these sides, and looks whether they agree.
///              Guards of relations over time alone, whole numbers and discrete values stay as they are.
/// Choices      the path begins beside the values that are given, by kBesideValues of their size in directions that no model singles out
///              (fixed: the same model, the same bits), so that it does not meet two surfaces at once.
/// Fails when   there are not as many equations as unknowns, the path does not arrive, or the sides where it does leave
///              unknowns undetermined (four diodes of a bridge that all block): nothing is given
/// Cost         a sparse factorisation for every surface on the way: about as many as sides change
/// Checked by   tests/events/mixed_systems_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "linalg/sparse_lu.hpp"
#include "system/configuration.hpp"
#include "system/mixed_equations.hpp"

namespace saltus::reduce {

class MixedStep {
 public:
  explicit MixedStep(std::shared_ptr<const system::MixedEquations> equations);
  ~MixedStep();
  MixedStep(MixedStep&&) noexcept;
  MixedStep& operator=(MixedStep&&) noexcept;

  /// `from`: sides to begin with. `slots`: values at the instant, those of derivatives that are no states do not matter. h: with sign.
  [[nodiscard]] std::optional<system::Configuration> sides_after(const system::Configuration& from, double t,
                                                                 double h, std::span<const double> slots);
  [[nodiscard]] const system::MixedEquations& equations() const { return *equations_; }

 private:
  class Problem;
  std::shared_ptr<const system::MixedEquations> equations_;
  std::unique_ptr<Problem> problem_;  // null: not as many equations as unknowns
};

}  // namespace saltus::reduce
