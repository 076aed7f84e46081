#include "system/written_coefficients.hpp"

#include "system/locked_dae.hpp"

namespace saltus::system {

std::shared_ptr<const WrittenCoefficients> written_coefficients(const LockedDae& locked) {
  const auto* const source = dynamic_cast<const CoefficientSource*>(&locked);
  return source == nullptr ? nullptr : source->written_coefficients();
}

}  // namespace saltus::system
