#include "reduce/consistent/impulse_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "reduce/nonlinear/consistency.hpp"

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
  parts_.emplace(written_, is_below_);
}

template <class Visit>
void ImpulseLaw::for_each_entry(std::size_t slot, Visit visit) const {
  const system::RectangularPattern& pattern = written_->equations->pattern();
  for (Index e = pattern.column_starts[slot]; e < pattern.column_starts[slot + 1]; ++e) {
    const auto place = static_cast<std::size_t>(e);
    visit(place, static_cast<std::size_t>(pattern.rows[place]));
  }
}

bool ImpulseLaw::is_fixed(std::size_t entry, std::span<const std::uint8_t> jumps) const {
  const std::span<const Index> slots = written_->of_entry(entry);
  return std::all_of(slots.begin(), slots.end(), [&](Index slot) {
    const auto j = static_cast<std::size_t>(slot);
    return constants_.has(j) || (is_below_[j] != 0 && jumps[j] == 0);
  });
}

// An unknown that may have an impulse in a row that counts.
bool ImpulseLaw::is_free(std::size_t slot) const {
  return is_below_[slot] == 0 && is_bounded_[slot] == 0;
}

void ImpulseLaw::find_parts(std::span<const std::uint8_t> jumps, std::span<const std::uint8_t> is_given) {
  is_bounded_.assign(derivative_of_.size(), 0);
  for (std::size_t j = 0; j < is_bounded_.size(); ++j) {
    if (is_below_[j] != 0 || parts_->is_output(j)) {
      continue;
    }
    for_each_entry(j, [&](std::size_t entry, std::size_t row) {
      const bool counts =
          !parts_->is_output_row(row) && (!parts_->is_follower_row(row) || parts_->is_follower(j));
      is_bounded_[j] = is_bounded_[j] != 0 || (counts && !is_fixed(entry, jumps)) ? 1 : 0;
    });
  }
  const auto n_rows = static_cast<std::size_t>(written_->equations->n_rows());
  is_left_out_.assign(n_rows, 0);
  unfixed_of_.assign(n_rows, {});
  for (std::size_t j = 0; j < is_bounded_.size(); ++j) {
    if (!is_given.empty() && integral_of_[j] >= 0 &&
        is_given[static_cast<std::size_t>(integral_of_[j])] != 0) {
      for_each_entry(j, [&](std::size_t, std::size_t row) { is_left_out_[row] = 1; });
    }
    if (!is_free(j)) {
      continue;
    }
    for_each_entry(j, [&](std::size_t entry, std::size_t row) {
      if (!is_fixed(entry, jumps)) {
        is_left_out_[row] = 1;
        unfixed_of_[row].push_back(static_cast<Index>(j));
      }
    });
  }
}

// Those of the constants that coefficients depend on.
bool ImpulseLaw::find_values(system::EquationRunner& runner, double t, std::span<const double> slots) {
  values_.assign(slots.begin(), slots.end());
  std::vector<std::uint8_t> is_asked_for(slots.size(), 0);
  bool has_any = false;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    if (!is_free(j)) {
      continue;
    }
    for_each_entry(j, [&](std::size_t entry, std::size_t row) {
      for (const Index slot : written_->of_entry(entry)) {
        const auto k = static_cast<std::size_t>(slot);
        if (is_left_out_[row] == 0 && constants_.has(k) && constants_.is_in_doubt[k] == 0) {
          is_asked_for[k] = 1;
          has_any = true;
        }
      }
    });
  }
  return !has_any || parts_->solve_constants(runner, t, constants_, is_asked_for, values_);
}

bool ImpulseLaw::pose(const system::Configuration& configuration, double t, std::span<const double> slots,
                      std::span<const std::uint8_t> jumps, std::span<const std::uint8_t> is_given) {
  const auto runner = written_->equations->make_runner();
  runner->set_configuration(configuration);
  // Whether a coefficient has a value matters where it counts.
  std::vector<double> residual(static_cast<std::size_t>(written_->equations->n_rows()));
  std::vector<double> entries(written_->equations->pattern().n_entries());
  (void)runner->residual(t, slots, residual);
  (void)runner->jacobian(t, slots, entries);
  constants_ = parts_->constants(jumps, {slots, residual, entries});
  find_parts(jumps, is_given);
  if (!find_values(*runner, t, slots)) {
    std::fill(constants_.row.begin(), constants_.row.end(), Index{-1});
    find_parts(jumps, is_given);
    values_.assign(slots.begin(), slots.end());
  }
  (void)runner->jacobian(t, values_, entries);
  // A derivative has the column of what jumps.
  std::vector<SparseRow> rows(static_cast<std::size_t>(written_->equations->n_rows()));
  std::vector<std::uint8_t> is_impulse(derivative_of_.size(), 0);
  bool is_finite = true;
  for (std::size_t j = 0; j < is_impulse.size(); ++j) {
    if (!is_free(j)) {
      continue;
    }
    is_impulse[j] = integral_of_[j] < 0 ? 1 : 0;
    const Index column = integral_of_[j] < 0 ? static_cast<Index>(j) : integral_of_[j];
    for_each_entry(j, [&](std::size_t entry, std::size_t row) {
      if (is_left_out_[row] == 0 && entries[entry] != 0.0) {
        is_finite = is_finite && std::isfinite(entries[entry]);
        rows[row].emplace(column, entries[entry]);
      }
    });
  }
  if (!is_finite) {
    return false;
  }
  elimination_.emplace(std::move(rows), std::move(is_impulse));
  conserved_ = elimination_->kept();
  for (std::size_t j = 0; j < is_bounded_.size(); ++j) {
    const bool is_bounded = is_bounded_[j] != 0 && integral_of_[j] >= 0;
    if (!is_bounded && (is_below_[j] == 0 || derivative_of_[j] >= 0)) {
      continue;
    }
    // Its derivative is bounded, or differentiated in turn.
    const Index slot = is_bounded ? integral_of_[j] : static_cast<Index>(j);
    if (is_given.empty() || is_given[static_cast<std::size_t>(slot)] == 0) {
      conserved_.push_back({{slot, 1.0}});
    }
  }
  return true;
}

std::vector<double> ImpulseLaw::impulses(std::span<const double> jumps) const {
  std::vector<double> values(jumps.begin(), jumps.end());
  elimination_->solve(values);
  for (std::size_t j = 0; j < values.size(); ++j) {
    const bool is_impulse = is_free(j) && integral_of_[j] < 0;
    values[j] = is_impulse ? values[j] : std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

// Of a row left out with unknowns that have an impulse, or a jump, the integral is not known.
std::vector<std::uint8_t> ImpulseLaw::open(std::span<const double> jumps) const {
  const std::vector<double> sizes = impulses(jumps);
  double largest = 0.0;
  for (const double size : sizes) {
    largest = std::isnan(size) ? largest : std::max(largest, std::abs(size));
  }
  std::vector<std::uint8_t> rows(is_left_out_.size(), 0);
  bool has_any = false;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows[row] = std::any_of(unfixed_of_[row].begin(), unfixed_of_[row].end(), [&](Index slot) {
      const auto j = static_cast<std::size_t>(slot);
      const Index below = integral_of_[j];
      return below < 0 ? !(std::abs(sizes[j]) <= kMoved * largest)
                       : jumps[static_cast<std::size_t>(below)] != 0.0;
    });
    has_any = has_any || rows[row] != 0;
  }
  if (!has_any) {
    return std::vector<std::uint8_t>(is_below_.size(), 0);
  }
  std::vector<std::uint8_t> is_open = parts_->following(rows, is_bounded_);
  for (std::size_t j = 0; j < is_open.size(); ++j) {
    is_open[j] = is_open[j] != 0 && derivative_of_[j] >= 0 ? 1 : 0;
  }
  return is_open;
}

std::vector<std::uint8_t> ImpulseLaw::have_moving_rates(std::span<const std::uint8_t> moves) const {
  std::vector<std::uint8_t> moves_in_row(static_cast<std::size_t>(written_->equations->n_rows()), 0);
  const std::vector<system::SlotInfo>& slots = written_->equations->slots();
  std::unordered_map<system::Quantity, std::uint8_t, system::QuantityHash> moving;
  // A row with several derivatives does not say which rate it is.
  std::vector<int> n_rates(moves_in_row.size(), 0);
  for (std::size_t j = 0; j < is_below_.size(); ++j) {
    if (integral_of_[j] >= 0) {
      for_each_entry(j, [&](std::size_t, std::size_t row) { ++n_rates[row]; });
    }
  }
  for (std::size_t j = 0; j < is_below_.size(); ++j) {
    if (is_below_[j] != 0 && moves[j] != 0) {
      moving.emplace(slots[j].quantity(), 1);
      for_each_entry(j, [&](std::size_t, std::size_t row) { moves_in_row[row] = 1; });
    }
  }
  std::vector<std::uint8_t> found(is_below_.size(), 0);
  for (std::size_t j = 0; j < found.size(); ++j) {
    if (is_below_[j] != 0 && derivative_of_[j] >= 0) {
      for_each_entry(static_cast<std::size_t>(derivative_of_[j]), [&](std::size_t, std::size_t row) {
        found[j] = found[j] != 0 || (n_rates[row] == 1 && moves_in_row[row] != 0) ? 1 : 0;
      });
    } else if (is_below_[j] != 0) {
      found[j] = moving.contains({slots[j].variable, slots[j].order + 1}) ? 1 : 0;
    }
  }
  return found;
}

}  // namespace saltus::reduce
