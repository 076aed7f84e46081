/// What a method is, whatever it steps.
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "base/interface.hpp"
#include "integrate/step/statistics.hpp"

namespace saltus::integrate {

/// Which continuous extension is meant.
enum class DenseOutput : std::uint8_t {
  standard,  ///< the one that costs no evaluation (dopri5: order 4; methods without one: cubic Hermite, order 3)
  full,      ///< order of the method where there is such an extension; costs extra stages (dopri5: two)
};

class MethodFacts : public Interface {
 public:
  [[nodiscard]] virtual Index n_states() const = 0;
  [[nodiscard]] virtual int order() const = 0;
  /// Of the last step; that of a method of variable order changes.
  [[nodiscard]] virtual int order_of_step() const { return order(); }
  /// Order of the estimate's lower solution; 0: no estimate, fixed steps only.
  [[nodiscard]] virtual int embedded_order() const = 0;
  /// Order of an extension.
  [[nodiscard]] virtual int dense_order(DenseOutput which) const = 0;
  [[nodiscard]] virtual const Statistics& statistics() const = 0;
};

}  // namespace saltus::integrate
