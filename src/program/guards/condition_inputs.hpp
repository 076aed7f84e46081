/// From a configuration to the truth values and held numbers that programs read.
///
/// Contract     Guards are numbered as in HybridSystem::guards(): those of the flat model, then one for each floor, ceil
///              and truncate that is no constant, one for each argument and knots of tables, and those of direction(v), in the order of the conditions. Condition c is held input c of every
///              program; conditions that depend on parameters alone are constants of the programs instead.
///              Two readings of a guard (docs/semantics.md 1.4): in equations, where a side strictly between ±1 is a
///              weight and real-valued choices are blended; and as written, where such a guard counts as zero.
/// Cost         one guard: the conditions written over it.
/// Checked by   tests/unit/program/initial_conditions_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flat/model.hpp"
#include "program/guards/parameter_values.hpp"

namespace saltus::program {

/// Value of a condition that is no segment, over a guard in the equations. `is_weight`: a latched 0 is the weight 0 of a guard that
/// is slid on; otherwise it is a guard that stays zero.
[[nodiscard]] double value_in_equations(flat::Condition::Kind kind, double latched, bool is_weight);
/// … everywhere else.
[[nodiscard]] double value_as_written(flat::Condition::Kind kind, double latched);

[[nodiscard]] constexpr bool is_relation(flat::Condition::Kind kind) {
  return kind <= flat::Condition::Kind::less_equal;
}
[[nodiscard]] constexpr bool holds_number(flat::Condition::Kind kind) {
  return kind >= flat::Condition::Kind::floor && kind <= flat::Condition::Kind::segment;
}

class ConditionInputs {
 public:
  struct Use {
    std::uint32_t condition = 0;
    flat::Condition::Kind kind = flat::Condition::Kind::greater;
    const Numbers* numbers = nullptr;  ///< by segment, of a table
  };
  struct Guard {
    NodeId expression;
    /// Of relations `greater`, else floor, ceil, truncate, segment, external, norm or component.
    flat::Condition::Kind kind = flat::Condition::Kind::greater;
    bool is_constant = false;       ///< depends on parameters alone
    SharedNumbers knots = nullptr;  ///< of a segment
  };

  [[nodiscard]] static double value_in_equations(const Use& use, double latched, bool is_weight) {
    return use.numbers != nullptr ? number_of_segment(*use.numbers, latched)
                                  : program::value_in_equations(use.kind, latched, is_weight);
  }
  [[nodiscard]] static double value_as_written(const Use& use, double latched) {
    return use.numbers != nullptr ? number_of_segment(*use.numbers, latched)
                                  : program::value_as_written(use.kind, latched);
  }
  /// What a guard with this value latches, as written: its sign, or the number that is held.
  [[nodiscard]] static double latched_of(const Guard& guard, double value);

  ConditionInputs() = default;
  ConditionInputs(const flat::Model& model, ParameterValues& parameters);

  [[nodiscard]] std::size_t n_conditions() const { return is_constant_.size(); }
  [[nodiscard]] const std::vector<Guard>& guards() const { return guards_; }
  /// Conditions written over a guard; none where it is constant.
  [[nodiscard]] std::span<const Use> of_guard(std::size_t guard) const {
    return std::span(uses_).subspan(starts_[guard], starts_[guard + 1] - starts_[guard]);
  }
  /// The guard of a condition, -1 for sample, initial and terminal.
  [[nodiscard]] Index guard_of(ConditionId condition) const { return guard_of_[condition.index()]; }
  /// Whether a condition depends on parameters alone: its value is frozen with them.
  [[nodiscard]] bool is_constant(ConditionId condition) const { return is_constant_[condition.index()] != 0; }
  /// Conditions of the kind sample: clocks, in this order.
  [[nodiscard]] const std::vector<ConditionId>& clocks() const { return clocks_; }
  [[nodiscard]] const std::vector<ConditionId>& initial() const { return initial_; }
  [[nodiscard]] const std::vector<ConditionId>& terminal() const { return terminal_; }

 private:
  std::vector<Guard> guards_;
  std::vector<std::uint32_t> starts_ = {0};
  std::vector<Use> uses_;
  std::vector<Index> guard_of_;
  std::vector<char> is_constant_;       // by condition
  std::vector<SharedNumbers> numbers_;  // of the uses: what they point to
  std::vector<ConditionId> clocks_;
  std::vector<ConditionId> initial_;
  std::vector<ConditionId> terminal_;
};

}  // namespace saltus::program
