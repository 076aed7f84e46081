#include "reduce/consistent/impulse_law.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace saltus::reduce {

ImpulseLaw::ImpulseLaw(std::shared_ptr<const system::WrittenCoefficients> written)
    : written_(std::move(written)) {
  const std::vector<system::SlotInfo>& slots = written_->equations->slots();
  const system::RectangularPattern& pattern = written_->equations->pattern();
  std::unordered_map<Index, std::size_t> highest;  // slot of a variable that occurs
  std::unordered_map<system::Quantity, std::size_t, system::QuantityHash> slot_of;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    slot_of.emplace(slots[j].quantity(), j);
    if (pattern.column_starts[j] == pattern.column_starts[j + 1]) {
      continue;
    }
    const auto place = highest.emplace(slots[j].variable, j).first;
    place->second = slots[j].order > slots[place->second].order ? j : place->second;
  }
  derivative_of_.assign(slots.size(), -1);
  integral_of_.assign(slots.size(), -1);
  is_below_.assign(slots.size(), 0);
  for (std::size_t j = 0; j < slots.size(); ++j) {
    const auto top = highest.find(slots[j].variable);
    is_below_[j] = top != highest.end() && slots[j].order < slots[top->second].order ? 1 : 0;
  }
  for (const auto& [variable, top] : highest) {
    if (slots[top].order > 0) {
      const std::size_t below = slot_of.at({variable, slots[top].order - 1});
      derivative_of_[below] = static_cast<Index>(top);
      integral_of_[top] = static_cast<Index>(below);
    }
  }
}

bool ImpulseLaw::is_fixed(std::size_t entry, std::span<const std::uint8_t> jumps) const {
  const std::span<const Index> slots = written_->of_entry(entry);
  return std::all_of(slots.begin(), slots.end(), [&](Index slot) {
    const auto j = static_cast<std::size_t>(slot);
    return is_below_[j] != 0 && jumps[j] == 0;
  });
}

void ImpulseLaw::find_bounded(std::span<const std::uint8_t> jumps) {
  const system::RectangularPattern& pattern = written_->equations->pattern();
  is_bounded_.assign(derivative_of_.size(), 0);
  for (std::size_t j = 0; j < is_bounded_.size(); ++j) {
    for (Index e = pattern.column_starts[j]; is_below_[j] == 0 && e < pattern.column_starts[j + 1]; ++e) {
      is_bounded_[j] = is_bounded_[j] != 0 || !is_fixed(static_cast<std::size_t>(e), jumps) ? 1 : 0;
    }
  }
}

bool ImpulseLaw::pose(const system::Configuration& configuration, double t, std::span<const double> slots,
                      std::span<const std::uint8_t> jumps) {
  find_bounded(jumps);
  const system::RectangularPattern& pattern = written_->equations->pattern();
  const auto runner = written_->equations->make_runner();
  runner->set_configuration(configuration);
  std::vector<double> entries(pattern.n_entries());
  if (!runner->jacobian(t, slots, entries).ok()) {
    return false;
  }
  // A derivative has the column of what jumps.
  std::vector<SparseRow> rows(static_cast<std::size_t>(pattern.n_rows));
  std::vector<std::uint8_t> is_impulse(derivative_of_.size(), 0);
  for (std::size_t j = 0; j < is_impulse.size(); ++j) {
    if (is_below_[j] != 0 || is_bounded_[j] != 0) {
      continue;
    }
    is_impulse[j] = integral_of_[j] < 0 ? 1 : 0;
    const Index column = integral_of_[j] < 0 ? static_cast<Index>(j) : integral_of_[j];
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      const auto place = static_cast<std::size_t>(e);
      if (entries[place] != 0.0) {
        rows[static_cast<std::size_t>(pattern.rows[place])].emplace(column, entries[place]);
      }
    }
  }
  elimination_.emplace(std::move(rows), std::move(is_impulse));
  conserved_ = elimination_->kept();
  for (std::size_t j = 0; j < is_bounded_.size(); ++j) {
    if (is_bounded_[j] != 0 && integral_of_[j] >= 0) {
      conserved_.push_back({{integral_of_[j], 1.0}});
    } else if (is_below_[j] != 0 && derivative_of_[j] < 0) {
      conserved_.push_back({{static_cast<Index>(j), 1.0}});  // its derivative is differentiated in turn
    }
  }
  return true;
}

std::vector<double> ImpulseLaw::impulses(std::span<const double> jumps) const {
  std::vector<double> values(jumps.begin(), jumps.end());
  elimination_->solve(values);
  for (std::size_t j = 0; j < values.size(); ++j) {
    const bool is_impulse = is_below_[j] == 0 && is_bounded_[j] == 0 && integral_of_[j] < 0;
    values[j] = is_impulse ? values[j] : std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

}  // namespace saltus::reduce
