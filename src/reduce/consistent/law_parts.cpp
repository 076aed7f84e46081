#include "reduce/consistent/law_parts.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "reduce/consistent/sparse_elimination.hpp"
#include "reduce/nonlinear/consistency.hpp"

namespace saltus::reduce {
namespace {

// Newton's method from the values before the instant: explicit definitions take as many steps as they hang on each other. What needs more
// is no constant.
constexpr int kMostStepsToConstants = 50;

}  // namespace

LawParts::LawParts(std::shared_ptr<const system::WrittenCoefficients> written,
                   std::span<const std::uint8_t> is_below)
    : written_(std::move(written)), is_below_(is_below.begin(), is_below.end()) {
  const system::RectangularPattern& pattern = written_->equations->pattern();
  const auto n_rows = static_cast<std::size_t>(pattern.n_rows);
  const std::size_t n_slots = is_below_.size();
  std::vector<std::vector<Entry>> rows(n_rows);
  for (std::size_t j = 0; j < n_slots; ++j) {
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      const auto place = static_cast<std::size_t>(e);
      rows[static_cast<std::size_t>(pattern.rows[place])].push_back({static_cast<Index>(j), place});
    }
  }
  starts_.push_back(0);
  for (const std::vector<Entry>& row : rows) {
    entries_.insert(entries_.end(), row.begin(), row.end());
    starts_.push_back(entries_.size());
  }
  const std::vector<system::SlotInfo>& slots = written_->equations->slots();
  std::unordered_map<Index, std::vector<Index>> below;  // by variable
  for (std::size_t j = 0; j < n_slots; ++j) {
    if (is_below_[j] != 0) {
      below[slots[j].variable].push_back(static_cast<Index>(j));
    }
  }
  slots_of_.resize(n_rows);
  row_of_.assign(n_slots, -1);
  is_output_.assign(n_slots, 0);
  is_follower_.assign(n_slots, 0);
  std::vector<std::uint8_t> is_assigned(n_rows, 0);
  std::vector<std::uint8_t> is_algebraic(n_rows, 0);
  for (std::size_t i = 0; i < written_->variable_of_row.size(); ++i) {
    const Index unknown = written_->variable_of_row[i];
    if (unknown < 0 || written_->is_overdetermined[i] != 0) {
      continue;
    }
    is_assigned[i] = 1;
    is_algebraic[i] = slots[static_cast<std::size_t>(unknown)].order == 0 ? 1 : 0;
    slots_of_[i].push_back(unknown);
    if (const auto place = below.find(slots[static_cast<std::size_t>(unknown)].variable);
        place != below.end()) {
      slots_of_[i].insert(slots_of_[i].end(), place->second.begin(), place->second.end());
    }
    for (const Index slot : slots_of_[i]) {
      row_of_[static_cast<std::size_t>(slot)] = static_cast<Index>(i);
    }
  }
  is_output_row_ = std::move(is_algebraic);
  take_out_what_others_need(is_output_row_, std::vector<std::uint8_t>(n_rows, 0));
  is_follower_row_ = std::move(is_assigned);
  for (std::size_t i = 0; i < n_rows; ++i) {
    is_follower_row_[i] = is_follower_row_[i] != 0 && is_output_row_[i] == 0 ? 1 : 0;
  }
  take_out_what_others_need(is_follower_row_, is_output_row_);
  for (std::size_t i = 0; i < n_rows; ++i) {
    for (const Index slot : slots_of_[i]) {
      is_output_[static_cast<std::size_t>(slot)] = is_output_row_[i];
      is_follower_[static_cast<std::size_t>(slot)] = is_follower_row_[i];
    }
  }
}

std::span<const Index> LawParts::rows_of(std::size_t slot) const {
  const system::RectangularPattern& pattern = written_->equations->pattern();
  const auto first = static_cast<std::size_t>(pattern.column_starts[slot]);
  return std::span(pattern.rows)
      .subspan(first, static_cast<std::size_t>(pattern.column_starts[slot + 1]) - first);
}

// A row stays where its unknown occurs in no row outside of the set.
void LawParts::take_out_what_others_need(std::vector<std::uint8_t>& rows,
                                         std::span<const std::uint8_t> ignored) const {
  std::vector<std::size_t> outside;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == 0 && ignored[i] == 0) {
      outside.push_back(i);
    }
  }
  while (!outside.empty()) {
    const std::size_t i = outside.back();
    outside.pop_back();
    for (const Entry& entry : row(i)) {
      const Index needed = row_of_[static_cast<std::size_t>(entry.slot)];
      if (needed >= 0 && rows[static_cast<std::size_t>(needed)] != 0) {
        rows[static_cast<std::size_t>(needed)] = 0;
        outside.push_back(static_cast<std::size_t>(needed));
      }
    }
  }
}

LawConstants LawParts::constants(std::span<const std::uint8_t> jumps, const LawPoint& before) const {
  LawConstants found;
  found.row.assign(is_below_.size(), -1);
  found.is_in_doubt.assign(is_below_.size(), 0);
  const std::size_t n_assigned = written_->unknown_of_row.size();
  for (std::size_t i = 0; i < n_assigned; ++i) {
    if (written_->unknown_of_row[i] >= 0 && written_->is_overdetermined[i] == 0) {
      found.row[static_cast<std::size_t>(written_->unknown_of_row[i])] = static_cast<Index>(i);
    }
  }
  // What is no constant, one after the other: rows that contain it give none either.
  const auto changes = [&](std::size_t j) { return is_below_[j] != 0 ? jumps[j] != 0 : found.row[j] < 0; };
  std::vector<std::size_t> others;
  for (std::size_t j = 0; j < is_below_.size(); ++j) {
    if (changes(j)) {
      others.push_back(j);
    }
  }
  while (!others.empty()) {
    const std::size_t j = others.back();
    others.pop_back();
    for (const Index i : rows_of(j)) {
      const Index unknown = n_assigned == 0 ? -1 : written_->unknown_of_row[static_cast<std::size_t>(i)];
      if (unknown >= 0 && found.row[static_cast<std::size_t>(unknown)] >= 0) {
        found.row[static_cast<std::size_t>(unknown)] = -1;
        others.push_back(static_cast<std::size_t>(unknown));
      }
    }
  }
  take_in_doubt(jumps, before, found);
  return found;
}

// Rows with one unknown that is no constant yet, and without anything else that changes, if they hold as it is.
void LawParts::take_in_doubt(std::span<const std::uint8_t> jumps, const LawPoint& before,
                             LawConstants& found) const {
  if (written_->unknown_of_row.empty()) {
    return;
  }
  const auto changes = [&](std::size_t j) { return is_below_[j] != 0 ? jumps[j] != 0 : found.row[j] < 0; };
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
    open.push_back(i);
  }
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    std::size_t n_changing = 0;
    std::size_t unknown = 0;
    double entry_of_unknown = 0.0;
    for (const Entry& entry : row(i)) {
      const auto j = static_cast<std::size_t>(entry.slot);
      if (changes(j)) {
        ++n_changing;
        unknown = j;
        entry_of_unknown = before.entries[entry.place];
      }
    }
    const double size =
        std::max(std::abs(before.slots[unknown]), written_->equations->slots()[unknown].nominal);
    const bool is_met = std::abs(before.residual[i]) < kMoved * std::abs(entry_of_unknown) * size;
    if (n_changing == 1 && is_below_[unknown] == 0 && is_met) {
      found.row[unknown] = static_cast<Index>(i);
      found.is_in_doubt[unknown] = 1;
      for (const Index other : rows_of(unknown)) {
        open.push_back(static_cast<std::size_t>(other));
      }
    }
  }
}

bool LawParts::solve_constants(system::EquationRunner& runner, double t, const LawConstants& constants,
                               std::span<const std::uint8_t> is_asked_for, std::span<double> slots) const {
  const std::size_t n_slots = is_below_.size();
  std::vector<std::size_t> rows;
  std::vector<std::uint8_t> is_unknown(n_slots + 1, 0);
  std::vector<std::size_t> open;
  const auto ask_for = [&](std::size_t j) {
    if (constants.row[j] >= 0 && constants.is_in_doubt[j] == 0 && is_unknown[j] == 0) {
      is_unknown[j] = 1;
      open.push_back(j);
    }
  };
  for (std::size_t j = 0; j < n_slots; ++j) {
    if (is_asked_for[j] != 0) {
      ask_for(j);
    }
  }
  while (!open.empty()) {
    rows.push_back(static_cast<std::size_t>(constants.row[open.back()]));
    open.pop_back();
    for (const Entry& entry : row(rows.back())) {
      ask_for(static_cast<std::size_t>(entry.slot));
    }
  }
  const std::vector<system::SlotInfo>& infos = written_->equations->slots();
  std::vector<double> residual(starts_.size() - 1);
  std::vector<double> entries(entries_.size());
  std::vector<double> change(n_slots + 1);
  for (int step = 0; step < kMostStepsToConstants; ++step) {
    // Other rows may have no value: whether these have one is seen below.
    (void)runner.residual(t, slots, residual);
    (void)runner.jacobian(t, slots, entries);
    std::vector<SparseRow> matrix;
    for (const std::size_t i : rows) {
      SparseRow line{{static_cast<Index>(n_slots), residual[i]}};
      bool is_finite = std::isfinite(residual[i]);
      for (const Entry& entry : row(i)) {
        const double value = entries[entry.place];
        if (is_unknown[static_cast<std::size_t>(entry.slot)] != 0 && value != 0.0) {
          is_finite = is_finite && std::isfinite(value);
          line.emplace(entry.slot, value);
        }
      }
      if (!is_finite) {
        return false;
      }
      matrix.push_back(std::move(line));
    }
    std::fill(change.begin(), change.end(), 0.0);
    change[n_slots] = 1.0;
    SparseElimination(std::move(matrix), is_unknown).solve(change);
    double largest = 0.0;
    for (std::size_t j = 0; j < n_slots; ++j) {
      if (is_unknown[j] == 0) {
        continue;
      }
      if (!std::isfinite(change[j])) {
        return false;
      }
      slots[j] += change[j];
      largest = std::max(largest, std::abs(change[j]) / std::max(std::abs(slots[j]), infos[j].nominal));
    }
    if (largest <= kRoundedAway) {
      return true;
    }
  }
  return false;
}

std::vector<std::uint8_t> LawParts::following(std::span<const std::uint8_t> rows,
                                              std::span<const std::uint8_t> is_bounded) const {
  std::vector<std::uint8_t> is_following(is_below_.size(), 0);
  std::vector<std::size_t> open;
  const auto take = [&](std::size_t i) {
    for (const Index slot : slots_of_[i]) {
      const auto j = static_cast<std::size_t>(slot);
      if (is_following[j] == 0 && is_below_[j] == 0 && is_bounded[j] == 0) {
        open.push_back(j);
      }
      is_following[j] = 1;
    }
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != 0) {
      take(i);
    }
  }
  while (!open.empty()) {
    const std::size_t j = open.back();
    open.pop_back();
    for (const Index i : rows_of(j)) {
      if (is_follower_row_[static_cast<std::size_t>(i)] != 0) {
        take(static_cast<std::size_t>(i));
      }
    }
  }
  return is_following;
}

}  // namespace saltus::reduce
