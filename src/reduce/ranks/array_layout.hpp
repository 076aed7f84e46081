/// Which slot of a derivative array is what.
///
/// Notation     A state is *differentiated* when a derivative of it stands in an equation as written, *algebraic* otherwise.
///              q_j: highest order of variable j as written, at least 1. States are all slots of order < q_j; their rates are the
///              slots one order higher, which are states themselves or *top* slots (order q_j); all others are *higher* slots.
/// Contract     The array is one of LockedDae::derivative_array(level).
/// Checked by   tests/unit/reduce/array_layout_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "system/locked_dae.hpp"

namespace saltus::reduce {

/// Slots that are treated alike in an iteration on an array.
struct ArrayGroup {
  std::vector<Index> slots;
  bool least_value = false;  ///< what is not determined becomes 0 instead of staying where it is
  bool is_anchored = false;  ///< … stays where the solution began, whatever iterations in between made of it

  void fields(Archive& a) { a(slots, least_value, is_anchored); }
};

struct ArrayLayout {
  Index n_variables = 0;
  int order = 1;                ///< highest q_j
  std::vector<int> orders;      ///< q_j
  std::vector<Index> variable;  ///< by slot: 0 … n_variables - 1
  std::vector<int> slot_order;  ///< by slot
  std::vector<Index> state;  ///< slots of the states, in the order of LockedDae::states() where that is given
  std::vector<Index> rate;   ///< slots of their rates
  std::vector<Index> top;    ///< by variable
  std::vector<Index> higher;
  std::vector<Index> differentiated;  ///< slots of the states whose rates equations as written contain
  std::vector<Index> algebraic;       ///< of the other states

  void fields(Archive& a) {
    a(n_variables, order, orders, variable, slot_order, state, rate, top, higher, differentiated, algebraic);
  }
};

/// `states`: names and order of the states; empty: the order of the slots.
[[nodiscard]] ArrayLayout make_array_layout(const system::EquationSet& array, int level,
                                            std::span<const system::StateInfo> states = {});

/// Whether algebraic states do what the equations ask for before differentiated ones move.
enum class StateOrder : std::uint8_t {
  algebraic_first,  ///< as after a jump; impossible where no value of the algebraic ones fits: x² + y² = 1 at x = 1.2
  all_alike,
};

/// The groups of array_newton.hpp: differentiated states move least, algebraic ones least then, the highest derivatives
/// written (their least values with `least_rates`), all others.
[[nodiscard]] std::vector<ArrayGroup> newton_groups(const ArrayLayout& layout, StateOrder order,
                                                    bool least_rates);

/// The same where states count as algebraic if all entries of their rates in the equations as written are zero: `entries` of the
/// Jacobian of the array.
[[nodiscard]] ArrayLayout layout_by_numbers(ArrayLayout layout, const system::EquationSet& array, int level,
                                            std::span<const double> entries);

/// Slots of one level as far as those of another know them, 0 beyond.
[[nodiscard]] std::vector<double> extended_slots(const ArrayLayout& before, std::span<const double> values,
                                                 const ArrayLayout& layout);

}  // namespace saltus::reduce
