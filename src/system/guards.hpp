/// Guards: the scalars whose sign changes are events, and what can be asked about them at a point or over a box.
///
/// Contract     Guard i is a function of (t, x) in the configuration of its evaluator; variables that equations give are
///              solved for inside. All guards of the model exist in every mode; one that cannot be evaluated in a mode
///              (it names a variable of another) is not watched there: LockedDae::watches().
///              Nothing here allocates after construction.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "base/interface.hpp"
#include "base/interval.hpp"
#include "base/knots.hpp"
#include "saltus/source_text.hpp"
#include "system/evaluation.hpp"

namespace saltus::system {

/// What is known of a guard from the model alone.
struct GuardInfo {
  enum class Kind : std::uint8_t {
    relation,  ///< its sign matters
    floor,     ///< argument of floor: a whole number n is held as long as the argument lies in [n, n + 1)
    ceil,      ///< (n - 1, n]
    truncate,  ///< [n, n + 1) for n > 0, (n - 1, n] for n < 0, (-1, 1) for n = 0
    segment,   ///< argument of a table: the number of the segment of `knots` in which it lies
    external,  ///< not watched: what is latched is a number that is set from outside
    norm,      ///< |v| of direction(v): what is latched is a direction_state
    component,  ///< v_k of direction(v), not watched: what is latched is what holds v at zero, or leads it from there
    gap,  ///< of contact(gap, force, e), not watched: what is latched is the force while the contact is open
    restitution,  ///< e of contact(gap, force, e), not watched, nothing is latched
  };
  Kind kind = Kind::relation;
  SharedNumbers knots = nullptr;   ///< of a segment (base/knots.hpp)
  std::string text;                ///< canonical, for reports: "v1 - v2"
  std::string condition;           ///< as the user wrote the first condition over it: "v1 > v2"
  std::optional<SourceSpan> span;  ///< of that condition
  /// Between events it depends on time, parameters and discrete values alone and is affine in time: scheduled and hit
  /// exactly (HybridSystem::next_scheduled), never searched for.
  bool is_scheduled = false;
  bool is_kink =
      false;  ///< all that is written over it is continuous across the surface (abs, min, max): never logged
  bool in_equations = false;  ///< the right-hand side or an output depends on it
  bool in_rounds = false;     ///< a clause, transition, assertion, body or discrete equation depends on it
  /// Where in_equations: how smooth the equations are across the surface. -1: they may jump; k ≥ 0: k derivatives are
  /// continuous (a kink: abs, min, max have 0).
  int continuity = -1;
  /// Where in_equations: they are known not to jump, also where the surface counts as an event (continuity -1) because the
  /// choice was written with `if`.
  bool is_continuous = false;
  /// Where is_continuous: with slopes that are infinite on the surface (√g). What is left of the guard there, be it rounding, moves it.
  bool has_root = false;
  /// Where in_equations and continuity < 0: a blend of both sides makes sense (real-valued selects only).
  bool can_slide = false;
  /// The blend is Filippov's solution: the equations are affine in the value of the selects over this guard
  /// (DESIGN 2). Then ẋ is affine in the weight s of this guard, the others fixed.
  bool is_affine_in_weight = false;
  /// Where in_equations: only within propositions over several guards, which need not change when this one crosses.
  bool is_compound = false;
  /// The solution does not go through: a reset makes it turn back. Others are bilateral [Com01] 5.1.3.
  bool is_unilateral = false;
  std::vector<Index> components;  ///< of a norm: the guards of the elements of its vector
  Index norm = -1;                ///< of a component
  Index closing = -1;             ///< of a gap: the guard whose relation closes the contact
  double open_side = 0.0;         ///< … and its side while the contact is open
  Index restitution = -1;         ///< of a gap
  Index gap = -1;                 ///< of the guard whose relation closes a contact
};

/// Whether guards of a kind have events of their own.
[[nodiscard]] constexpr bool is_watched(GuardInfo::Kind kind) {
  return kind <= GuardInfo::Kind::segment || kind == GuardInfo::Kind::norm;
}

/// What is latched of the norm of direction(v).
namespace direction_state {
inline constexpr double kHeld = 0.0;      ///< v = 0: the components are what holds it there
inline constexpr double kNearZero = 1.0;  ///< it moves, no further from zero than errors may be
inline constexpr double kMoving = 2.0;    ///< it moves, beyond what errors may be
inline constexpr double kArriving = 3.0;  ///< … near zero, straight to it; there it will be held
}  // namespace direction_state

/// ġ and higher total time derivatives along the locked field, each with a bound of its rounding errors.
struct GuardDerivatives {
  static constexpr int kOrders = 3;  ///< higher contacts count as touching; not measured
  std::array<double, kOrders> value{};
  std::array<double, kOrders> noise{};
  int n_known = 0;  ///< orders that can be computed
};

/// What kind of function of (t, x) a guard is in one mode; decides how its roots are bounded.
struct GuardShape {
  enum class Kind : std::uint8_t {
    polynomial,  ///< of total degree `degree` in (t, x): bounded by Bernstein coefficients
    enclosed,    ///< enclose_guard and enclose_guard_rate converge to the range as the box shrinks
    implicit,    ///< over variables that equations give implicitly: bound_guard converges along a curve
    opaque,      ///< can only be evaluated (callbacks, jumps, large blocks)
  };
  Kind kind = Kind::opaque;
  int degree = 0;
  bool is_estimated =
      false;  ///< implicit: bound_guard estimates, because the equations are too many for a proof

  void fields(Archive& a) { a(kind, degree, is_estimated); }
};

/// A guard of degree one in the present configuration: g = Σ coefficients[k]·x[states[k]] + time_coefficient·t + constant.
struct AffineGuard {
  std::span<const Index> states;
  std::span<const double> coefficients;
  double time_coefficient = 0.0;
  double constant = 0.0;
};

/// A piece of a curve of states, or a box of them.
struct CurvePiece {
  Interval time;
  /// A time in it, and the state there: x(t) lies in x + ẋ·(t - at) + around, around containing 0.
  double at = 0.0;
  std::span<const double> x;
  std::span<const Interval> box;     ///< that holds x(t) for all of `time`
  std::span<const Interval> xdot;    ///< that holds ẋ(t); zero where is_box
  std::span<const Interval> around;  ///< by how much states may lie beside the curve
  /// The curve itself, where it is a polynomial: rows of states, the first of them x, with x(t) in Σ powers[p]·((t - at)/step)ᵖ +
  /// around and its rate in that of the sum + rates_around. Empty: it is not known.
  std::span<const double> powers = {};
  double step = 0.0;
  std::span<const Interval> rates_around = {};
  /// Any states of `box` at any time, in no order: `xdot` is zero, `around` is box - x and (at, x) lies on the solution.
  bool is_box = false;
  /// Where the piece begins: the solution that is meant is the one that continues from there. Not read where is_box.
  double start_time = 0.0;
  std::span<const double> start;
};

/// What is known of a guard over a piece.
struct GuardBounds {
  bool is_known = false;  ///< variables were enclosed and the guard is defined and continuous on the piece
  Interval value;         ///< of g
  Interval rate;          ///< of dg/dt; nothing is said of it for a box
};

/// What is known of the guards of a mode without evaluating them.
class GuardFacts : public Interface {
 public:
  [[nodiscard]] virtual GuardShape guard_shape(Index /*guard*/) const { return {}; }
  /// The states that guard i depends on, where they are known; they are the same in all configurations.
  [[nodiscard]] virtual std::optional<std::span<const Index>> guard_states(Index /*guard*/) const {
    return std::nullopt;
  }
  /// The guards on whose sides the value of guard i depends in this mode, where they are known.
  [[nodiscard]] virtual std::optional<std::span<const Index>> guard_sides(Index /*guard*/) const {
    return std::nullopt;
  }
  /// Whether the equations of this mode read a condition over guard i in the present configuration: not where it stands in branches
  /// of other choices only and none of these is taken.
  [[nodiscard]] virtual bool guard_has_effect(Index /*guard*/) { return true; }
  /// The numbers of a guard whose shape is polynomial of degree ≤ 1; they hold until the configuration is set anew.
  [[nodiscard]] virtual AffineGuard affine_guard(Index i) const;
};

/// Guards at a point.
class GuardValues : public Interface {
 public:
  /// Values of the guards `which` (indices into HybridSystem::guards()).
  virtual Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values);
  /// ν: bound of the rounding errors in the value of guard i at (t, x), plus the last Newton correction where it
  /// depends on solved variables. Never an absolute epsilon: 0 where the value is exact.
  [[nodiscard]] virtual double guard_noise(Index i, double t, std::span<const double> x);
  /// ∂g/∂x and ∂g/∂t of guard i.
  virtual Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative);
  /// Total derivatives of guard i along ẋ = f in the present configuration.
  virtual Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       GuardDerivatives& derivatives);
};

/// Guards over boxes and along curves.
class GuardEnclosures : public Interface {
 public:
  /// Enclosure of guard i over a box; the whole line where none can be computed.
  [[nodiscard]] virtual Interval enclose_guard(Index i, const Interval& t, std::span<const Interval> x);
  /// Enclosure of dg/dt = ∂g/∂t + ∂g/∂x·ẋ over a box of (t, x, ẋ).
  [[nodiscard]] virtual Interval enclose_guard_rate(Index i, const Interval& t, std::span<const Interval> x,
                                                    std::span<const Interval> xdot);
  /// Bounds of guard i along a curve, with what its variables are along it; for guards whose shape is implicit.
  [[nodiscard]] virtual GuardBounds bound_guard(Index i, const CurvePiece& piece);
};

class GuardFunctions : public GuardFacts, public GuardValues, public GuardEnclosures {};

}  // namespace saltus::system
