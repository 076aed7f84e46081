#include "system/locked_dae.hpp"

#include "system/diagnostic_codes.hpp"

namespace saltus::system {

Result<std::shared_ptr<const EquationSet>> LockedEquations::derivative_array(int /*depth*/) const {
  Diagnostics problems;
  problems.error(kNoDerivativeArray, "this system offers no derivatives of its equations");
  return Unexpected(std::move(problems));
}

}  // namespace saltus::system
