/// Equations around known solutions, before they are disguised as a model.
///
/// Problem      For chosen z*(t) any expression E gives an equation E(t, z, ż) = E(t, z*, ż*), the right-hand side being a text in time
///              alone, that z* solves. What has to be chosen is how errors spread: every block is built such that the
///              errors of its unknowns are bounded by a recursion that Unknown holds.
/// Notation     E is a text in which @3 is the unknown z₃, @d3 its derivative, @s3 and @t3 the exact value and derivative.
///              K of an unknown is the bound of its error where every accepted step at tₙ adds an error of one:
///                  K = own · max over t of Σₙ exp(-rate·(t - tₙ)) + Σ gain·K(driver)
///              rate = 0 is a neutral block (K = number of steps); rate = ∞ an unknown without memory (K = 1 + …).
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/known_solutions/closed_form.hpp"

namespace saltus::test::known {

inline constexpr double kNoMemory = std::numeric_limits<double>::infinity();
inline constexpr double kNotBounded = -1.0;

struct Unknown {
  ClosedForm exact;
  Sizes sizes;
  bool is_differential = false;
  double own = 1.0;
  double rate = kNoMemory;
  std::vector<std::pair<std::size_t, double>> from{};  ///< drivers, all of them earlier, with gains
  /// The derivative that the equations give has an error of at most lipschitz·K; kNotBounded where that is not used.
  double lipschitz = kNotBounded;
};

struct Equation {
  std::string text;   ///< E
  double size = 1.0;  ///< of its largest coefficient, which mixing divides by
};

struct Canonical {
  double stop = 1.0;
  std::vector<Unknown> unknowns{};
  std::vector<Equation> equations{};
  std::vector<std::string>
      sliding{};           ///< declarations and equations of relays that slide at once (texts as above)
  double stiffness = 0.0;  ///< largest rate of an unknown that follows others at once
  int index = 0;

  std::size_t add(ClosedForm exact, bool is_differential);
};

/// The text with every unknown replaced by its exact solution.
[[nodiscard]] std::string starred(const std::string& text);

[[nodiscard]] inline std::string z(std::size_t i) {
  return "@" + std::to_string(i);
}
[[nodiscard]] inline std::string dz(std::size_t i) {
  return "@d" + std::to_string(i);
}

/// K of every unknown for a run whose accepted steps end at these times.
[[nodiscard]] std::vector<double> amplifications(const Canonical& canonical,
                                                 const std::vector<double>& step_ends);

}  // namespace saltus::test::known
