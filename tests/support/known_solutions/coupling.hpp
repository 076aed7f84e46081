/// Terms by which one unknown drives others, with what its errors do to them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/known_solutions/canonical.hpp"

namespace saltus::test::known {

using Gains = std::vector<std::pair<std::size_t, double>>;  ///< unknowns with factors

/// A term that another unknown drives: coefficient·u, or coefficient·sin u.
struct Coupling {
  std::string text = "0";
  Gains value{};   ///< gains on the term
  Gains rate{};    ///< … on its derivative
  Gains second{};  ///< … on its second derivative
};

/// A term in one of the unknowns that are there already, or none. `is_smooth`: one whose derivatives have known errors, so that
/// `rate` and `second` mean something.
[[nodiscard]] Coupling random_coupling(const Canonical& canonical, Random& random, bool is_smooth);

/// Adds factor·gains.
void add_gains(Gains& to, const Gains& gains, double factor);

}  // namespace saltus::test::known
