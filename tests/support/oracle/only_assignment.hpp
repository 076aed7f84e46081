/// What goes on from a point on several surfaces: all 3^|Z| assignments of sides or sliding to the surfaces that are zero are tried.
#pragma once

#include <string>
#include <vector>

#include "support/oracle/linear_flow.hpp"

namespace saltus::test::oracle {

struct Assignment {
  std::vector<Side> sides;  ///< of all surfaces
  std::string
      failure;  ///< empty: exactly one assignment agrees with the directions it causes, none of them by a hair
};

/// `sides` hold for the surfaces that are not in `zero`.
[[nodiscard]] Assignment only_assignment(const SwitchedSystem& system, std::size_t mode, const Vector& x,
                                         const std::vector<Side>& sides,
                                         const std::vector<std::size_t>& zero);

}  // namespace saltus::test::oracle
