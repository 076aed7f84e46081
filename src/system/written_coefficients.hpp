/// The equations of a mode as written, with what each of their coefficients depends on: which terms are linear is a fact of the
/// expressions, not of numbers at a point. For the equations integrated over an instant (reduce/consistent/impulse_law.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "system/equation_set.hpp"

namespace saltus::system {

struct WrittenCoefficients {
  /// The equations as they stand in the model, over variables and their derivatives: no combinations of them, unlike those of
  /// LockedDae::derivative_array(0) and the constraints.
  std::shared_ptr<const EquationSet> equations;
  /// Of entry e of the pattern: slots[starts[e] … starts[e + 1]) are those that ∂row/∂slot contains, ascending. Empty: it depends on
  /// time, parameters and the configuration alone.
  std::vector<Index> starts;
  std::vector<Index> slots;
  /// By row: of a largest assignment to variables, of whatever order they occur, the slot of the highest derivative written; -1: none.
  /// Empty: no assignments are known.
  std::vector<Index> variable_of_row;
  /// By row: of a largest assignment to highest derivatives and algebraic variables alone, the slot; -1: none.
  std::vector<Index> unknown_of_row;
  /// By row: it belongs to more rows than they contain such unknowns together (a constraint, and what could take its place).
  std::vector<std::uint8_t> is_overdetermined;

  [[nodiscard]] std::span<const Index> of_entry(std::size_t entry) const {
    const auto first = static_cast<std::size_t>(starts[entry]);
    return std::span(slots).subspan(first, static_cast<std::size_t>(starts[entry + 1]) - first);
  }
};

class LockedDae;

/// A LockedDae that knows the expressions of its equations is one of these too.
class CoefficientSource {
 public:
  CoefficientSource() = default;
  CoefficientSource(const CoefficientSource&) = delete;
  CoefficientSource& operator=(const CoefficientSource&) = delete;
  virtual ~CoefficientSource() = default;

  /// Built on demand; may be called by several threads. Null: they are too large.
  [[nodiscard]] virtual std::shared_ptr<const WrittenCoefficients> written_coefficients() const = 0;
};

/// Null: as above, or not known (callbacks).
[[nodiscard]] std::shared_ptr<const WrittenCoefficients> written_coefficients(const LockedDae& locked);

}  // namespace saltus::system
