/// Evaluates one LockedDae at given parameter values; owns all scratch memory; never allocates after construction.
///
/// What it offers stands in interfaces of their own, and whoever needs one of them takes that: rates and projections
/// (rates.hpp), guards (guards.hpp), the residual form (residual_points.hpp), divisors (divisors.hpp), outputs (outputs.hpp).
#pragma once

#include <memory>
#include <string>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "base/interface.hpp"
#include "system/configuration.hpp"
#include "system/divisors.hpp"
#include "system/evaluation.hpp"
#include "system/guards.hpp"
#include "system/outputs.hpp"
#include "system/pullback.hpp"
#include "system/rates.hpp"
#include "system/residual_points.hpp"
#include "system/tangents.hpp"

namespace saltus::system {

/// The configuration that everything is evaluated in.
class Latches : public Interface {
 public:
  /// Takes over latched guards and discrete values; the mode is that of the LockedDae. Real-valued choices over a guard
  /// whose side lies strictly between -1 and +1 are blended: α·a + (1 - α)·b, propositions by their multilinear
  /// extension (DESIGN 2).
  virtual void set_configuration(const Configuration& /*configuration*/) {}
  /// Changes one latched value, cheaply: sliding asks for many weights at one point.
  virtual void set_latched(Index /*guard*/, double /*value*/) {}
};

/// Guards, and where the states lie at which they are asked for.
class ProjectedGuards : public GuardFunctions, public Projections {};

/// What an evaluator remembers from call to call: where its iterations begin, matrices that it keeps, what is latched.
class Memory : public Interface {
 public:
  virtual void fields(Archive& a) { a.refuse("an evaluator of its own is not saved"); }
};

class Evaluator : public Rates,
                  public ProjectedGuards,
                  public ResidualPoints,
                  public Latches,
                  public Divisors,
                  public Outputs,
                  public Memory {
 public:
  /// A sentence about a failure: names, the source line of the first cause, numbers, the time. Exact right after the
  /// rhs() or outputs() that failed; later, or for a value that became not finite outside of evaluations, it falls
  /// back to the name and `t`. Allocates.
  [[nodiscard]] virtual std::string describe(const Evaluation& evaluation, double t) const = 0;
  /// Null: it offers none (functions of the user, fields made of several evaluators). Allocates.
  [[nodiscard]] virtual std::unique_ptr<Tangents> tangents(const ParameterDirections& /*directions*/) {
    return nullptr;
  }
  /// The transpose. Null: it offers none. Allocates.
  [[nodiscard]] virtual std::unique_ptr<Pullback> pullback(Evaluated /*of*/) { return nullptr; }
};

}  // namespace saltus::system
