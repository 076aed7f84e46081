/// The residual form r(t, y, ẏ) = 0 of a right-hand side at points, for implicit methods (LockedDae::residual_form).
#pragma once

#include <memory>
#include <span>

#include "base/interface.hpp"
#include "system/equation_set.hpp"
#include "system/evaluation.hpp"

namespace saltus::system {

/// A point of the residual form, y = (x, z) and ẏ of the states, as somebody found it. Empty: nobody knows it.
struct ResidualPoint {
  std::span<const double> y;
  std::span<const double> ydot;
};

class ResidualPoints : public Interface {
 public:
  /// The point of the residual form that belongs to the state x: y = (x, z) and ẏ of the states, consistent with each other.
  /// Spans of the residual form's n_y and n_states; only where residual_form() exists.
  virtual Evaluation residual_point(double /*t*/, std::span<const double> /*x*/, std::span<double> /*y*/,
                                    std::span<double> /*ydot*/) {
    return {Evaluation::Status::no_convergence, -1};
  }
  /// The runner of the residual form in the present configuration; nullptr where the evaluator offers rhs() only (black boxes,
  /// slides between two modes): an implicit method then takes r = ẋ - f(t, x) with differences. Where there is a runner but no
  /// residual_form(), y = x, with a row for every state and all entries in the pattern (reduce/ranks/reduced_equations.hpp).
  [[nodiscard]] virtual EquationRunner* residual_runner() { return nullptr; }
  /// The equations of that runner and of residual_point() where they are not those of LockedDae::residual_form(): while sliding the
  /// weights are further unknowns (slide/field/sliding_form.hpp). Null: they are.
  [[nodiscard]] virtual std::shared_ptr<const EquationSet> own_residual_form() { return nullptr; }
  /// The iterations of rhs(), outputs() and divisors() begin at this point of the residual form next, which an implicit method has
  /// found. False: outputs() iterates for unknowns that the point does not contain, or the point is not known; those begin where they did.
  virtual bool begin_at(const ResidualPoint& /*point*/) { return false; }
};

}  // namespace saltus::system
