/// The narrow interface between the towers (DESIGN 3): what a model offers to algorithms in time.
///
/// HybridSystem is the model, immutable and shared by threads. Locking a configuration gives a LockedDae, which is
/// smooth and immutable too. Everything that changes while it is evaluated (registers, the last solution of an
/// implicit block) belongs to an Evaluator, one per thread of use.
///
/// A LockedDae belongs to a mode. All configurations of the mode share it: the latched guards and the discrete values
/// are inputs of its evaluators (Latches::set_configuration), so N switches do not make 2^N systems.
///
/// A LockedDae is reduced in one of two ways (Reduction). By structure: the states are all derivatives of a variable below
/// the highest one that the differentiated equations contain, rhs() gives ẋ with algebraic variables solved inside, and
/// constraints() says which of all states are consistent; the structure of the highest derivatives is never singular, so
/// no states need to be selected. By ranks: the states are all unknowns as they stand, and what moves them is found from
/// derivative_array() (reduce/ranks/array_evaluator.hpp); rhs() of its evaluators is not available.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/interface.hpp"
#include "saltus/result.hpp"
#include "system/configuration.hpp"
#include "system/constraint_use.hpp"
#include "system/equation_set.hpp"
#include "system/evaluator.hpp"
#include "system/mixed_equations.hpp"
#include "system/quantity.hpp"
#include "system/written_equations.hpp"

namespace saltus::system {

/// One state of the explicit form: a variable or one of its derivatives (second-order equations have two).
struct StateInfo {
  std::string name;  ///< "x", or "der(x)" for the derivative of a second-order variable
  double nominal = 1.0;
  /// Other variables, or derivatives of some, that are this state or its negative for all times (v1 = v2).
  struct Alias {
    std::string name;
    double sign = 1.0;
    Quantity quantity = {};
  };
  std::vector<Alias> aliases = {};
  /// The equations as they stand in the model contain its derivative, or that of an alias. Others are states because an equation was
  /// differentiated, or because ranks take every unknown for one.
  bool is_written = true;
  Quantity quantity = {};
};

/// How a mode becomes something that can be stepped; decided when the system is built.
enum class Reduction : std::uint8_t { structural, ranks };

/// The equations of a mode, as algorithms need them.
class LockedEquations : public Interface {
 public:
  /// r(t, y, ẏ) = 0 for implicit methods. Slots: y = (states, then algebraic unknowns), then ẏ of the states; as many rows as
  /// y has entries; regular with index at most 1. Null: there is none.
  [[nodiscard]] virtual std::shared_ptr<const EquationSet> residual_form() const { return nullptr; }
  /// What the states must satisfy; slots: the states. Null: nothing.
  [[nodiscard]] virtual std::shared_ptr<const EquationSet> constraints() const { return nullptr; }
  [[nodiscard]] virtual ConstraintUse constraint_use() const { return {}; }
  /// The equations as the model has them. Null: it has none in this form (callbacks).
  [[nodiscard]] virtual std::shared_ptr<const WrittenEquations> written_equations() const { return nullptr; }
  /// F and its total derivatives up to dˡF/dtˡ in the unknowns as written, depth l ≥ 0. Slots by order, then by variable: every
  /// continuous unknown of this mode with orders 0 … (its highest order as written, at least 1) + l — the first n_unknowns
  /// slots are the unknowns themselves. Rows by depth, then by equation. Built on demand; may be called by several threads.
  [[nodiscard]] virtual Result<std::shared_ptr<const EquationSet>> derivative_array(int depth) const;
  /// Built on demand; may be called by several threads. Null: no equation contains a relation over unknowns, or it is not known.
  [[nodiscard]] virtual std::shared_ptr<const MixedEquations> mixed_equations() const { return nullptr; }
};

class LockedDae : public LockedEquations {
 public:
  [[nodiscard]] virtual const std::vector<StateInfo>& states() const = 0;
  /// Number of points that Evaluator::outputs_block takes at once.
  [[nodiscard]] virtual Index block_width() const = 0;
  /// Number of values that Evaluator::outputs gives; 0 where it is not known.
  [[nodiscard]] virtual Index n_outputs() const { return 0; }
  /// Whether outputs are found by iterations, which may end at another solution when they begin far away: then the
  /// outputs must be followed from step to step.
  [[nodiscard]] virtual bool iterates_for_outputs() const { return false; }
  /// Whether outputs may have no value where the rates have one: then they are looked at after every step.
  [[nodiscard]] virtual bool outputs_may_be_missing() const { return false; }
  /// `guess`: where the iterations of implicit blocks begin (InitialPoint::guess), so that a run stays on the solution
  /// that the initial problem chose; empty: at the start values of the model.
  [[nodiscard]] virtual std::unique_ptr<Evaluator> make_evaluator(std::span<const double> guess) const = 0;
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const { return make_evaluator({}); }

  [[nodiscard]] virtual Reduction reduction() const { return Reduction::structural; }
  /// Whether guard i can be evaluated in this mode and something in this mode depends on it.
  [[nodiscard]] virtual bool watches(Index /*guard*/) const { return false; }
};

}  // namespace saltus::system
