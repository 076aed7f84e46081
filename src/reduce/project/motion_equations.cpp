#include "reduce/project/motion_equations.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/machine.hpp"

namespace saltus::reduce {
namespace {

struct Place {
  Index row = 0;
  Index column = 0;
  std::ptrdiff_t source = 0;
  double sign = 1.0;
};

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

std::unique_ptr<MotionEquations> MotionEquations::make(const system::LockedDae& locked, Index n_beside,
                                                       std::span<const Entry> beside) {
  std::unique_ptr<MotionEquations> made(new MotionEquations);
  const Result<std::shared_ptr<const system::EquationSet>> array = locked.derivative_array(0);
  if (!array || locked.constraints() == nullptr || locked.n_outputs() == 0) {
    return nullptr;
  }
  made->array_ = *array;
  made->runner_ = made->array_->make_runner();
  made->name_slots(locked);
  return made->lay_out(locked, n_beside, beside) ? std::move(made) : nullptr;
}

// Rates of states that are states themselves are known.
void MotionEquations::name_slots(const system::LockedDae& locked) {
  struct Known {
    std::size_t state;
    double sign;
  };
  const std::vector<system::StateInfo>& states = locked.states();
  std::unordered_map<system::Quantity, Known, system::QuantityHash> is_state;
  std::unordered_map<system::Quantity, Known, system::QuantityHash> is_rate;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto name = [&](const system::Quantity& quantity, double sign) {
      is_state.emplace(quantity, Known{i, sign});
      is_rate.emplace(system::Quantity{quantity.variable, quantity.order + 1}, Known{i, sign});
    };
    name(states[i].quantity, 1.0);
    for (const system::StateInfo::Alias& alias : states[i].aliases) {
      name(alias.quantity, alias.sign);
    }
  }
  unknown_of_state_.assign(states.size(), -1);
  for (const system::SlotInfo& info : array_->slots()) {
    Slot& slot = slots_.emplace_back();
    if (const auto state = is_state.find(info.quantity()); state != is_state.end()) {
      slot = {Slot::From::state, state->second.state, state->second.sign, -1};
    } else if (const auto rate = is_rate.find(info.quantity()); rate != is_rate.end()) {
      slot = {Slot::From::rate, rate->second.state, rate->second.sign, -1};
    } else if (info.order == 0) {
      slot = {Slot::From::variable, at_index(info.variable), 1.0, -1};
    }
  }
  point_.resize(slots_.size());
  rates_.resize(states.size());
  outputs_.resize(at_index(locked.n_outputs()));
  entries_.resize(array_->pattern().n_entries());
}

bool MotionEquations::lay_out(const system::LockedDae& locked, Index n_beside,
                              std::span<const Entry> beside) {
  // Equations of constraints are left out.
  std::unordered_set<Index> is_constraint;
  for (const system::RowInfo& row : locked.constraints()->rows()) {
    is_constraint.insert(row.equation);
  }
  const system::RectangularPattern& pattern = array_->pattern();
  const std::vector<system::RowInfo>& rows = array_->rows();
  std::vector<Index> row_of(rows.size(), -1);
  std::vector<Place> places;
  std::unordered_map<Index, Index> unknown_of_variable;
  for (std::size_t j = 0; j < slots_.size(); ++j) {
    Slot& slot = slots_[j];
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      const std::size_t row = at_index(pattern.rows[at_index(e)]);
      if (slot.from == Slot::From::state || is_constraint.contains(rows[row].equation)) {
        continue;
      }
      if (slot.from == Slot::From::nowhere) {
        return false;  // a derivative that no step knows
      }
      if (slot.unknown < 0 && slot.from == Slot::From::rate) {
        Index& unknown = unknown_of_state_[slot.place];
        unknown = unknown < 0 ? n_unknowns_++ : unknown;
        slot.unknown = unknown;
      } else if (slot.unknown < 0) {
        slot.unknown = n_unknowns_++;
        unknown_of_variable.emplace(static_cast<Index>(slot.place), slot.unknown);
      }
      row_of[row] = row_of[row] < 0 ? n_rows_++ : row_of[row];
      places.push_back({row_of[row], slot.unknown, static_cast<std::ptrdiff_t>(e),
                        slot.from == Slot::From::rate ? slot.sign : 1.0});
    }
  }
  for (std::size_t e = 0; e < beside.size(); ++e) {
    const Entry& entry = beside[e];
    const auto variable = unknown_of_variable.find(entry.variable);
    const Index unknown = entry.state >= 0                        ? unknown_of_state_[at_index(entry.state)]
                          : variable != unknown_of_variable.end() ? variable->second
                                                                  : -1;
    if (unknown < 0) {
      return false;
    }
    places.push_back({n_rows_ + entry.row, unknown, -1 - static_cast<std::ptrdiff_t>(e), 1.0});
  }
  if (n_rows_ + n_beside != n_unknowns_) {
    return false;
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.column != b.column ? a.column < b.column : a.row < b.row;
  });
  linalg::SparsePattern matrix{.n = n_unknowns_, .column_starts = {0}, .rows = {}};
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (p > 0 && places[p].column == places[p - 1].column && places[p].row == places[p - 1].row) {
      return false;  // one rate under two names in one equation
    }
    while (std::ssize(matrix.column_starts) <= places[p].column) {
      matrix.column_starts.push_back(static_cast<Index>(matrix.rows.size()));
    }
    matrix.rows.push_back(places[p].row);
    entry_of_.push_back(places[p].source);
    sign_of_.push_back(places[p].sign);
  }
  while (std::ssize(matrix.column_starts) <= n_unknowns_) {
    matrix.column_starts.push_back(static_cast<Index>(matrix.rows.size()));
  }
  symbolic_ = std::make_shared<const linalg::SparseLuSymbolic>(std::move(matrix));
  lu_.emplace(symbolic_);
  values_.resize(entry_of_.size());
  right_side_.resize(at_index(n_unknowns_));
  return true;
}

bool MotionEquations::factorize(double t, std::span<const double> x, system::Evaluator& of,
                                std::span<const double> beside) {
  if (!of.rhs(t, x, rates_).ok() || !of.outputs(t, x, outputs_).ok()) {
    return false;
  }
  for (std::size_t j = 0; j < slots_.size(); ++j) {
    const Slot& slot = slots_[j];
    switch (slot.from) {
      case Slot::From::state: point_[j] = slot.sign * x[slot.place]; break;
      case Slot::From::rate: point_[j] = slot.sign * rates_[slot.place]; break;
      case Slot::From::variable: point_[j] = outputs_[slot.place]; break;
      case Slot::From::nowhere: point_[j] = 0.0; break;
    }
  }
  if (!runner_->jacobian(t, point_, entries_).ok()) {
    return false;
  }
  for (std::size_t p = 0; p < values_.size(); ++p) {
    const std::ptrdiff_t source = entry_of_[p];
    values_[p] = source >= 0 ? sign_of_[p] * entries_[static_cast<std::size_t>(source)]
                             : beside[static_cast<std::size_t>(-1 - source)];
  }
  return all_finite(values_) && lu_->factorize(values_).ok();
}

void MotionEquations::solve(std::span<const double> right_sides, std::span<double> rates) {
  std::fill(right_side_.begin(), right_side_.end(), 0.0);
  std::copy(right_sides.begin(), right_sides.end(), right_side_.begin() + n_rows_);
  lu_->solve(right_side_);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i] = unknown_of_state_[i] < 0 ? 0.0 : right_side_[at_index(unknown_of_state_[i])];
  }
}

}  // namespace saltus::reduce
