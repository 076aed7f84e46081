#include "reduce/ranks/merged_rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using system::Quantity;

class MergedArray final : public system::EquationSet {
 public:
  MergedArray(std::shared_ptr<const system::EquationSet> array, const MergedRates& rates,
              const std::set<Index>& left_out)
      : array_(std::move(array)) {
    const auto& given = array_->slots();
    std::map<std::pair<int, Index>, std::size_t> place;  // by order and variable, as slots stand
    for (std::size_t s = 0; s < given.size(); ++s) {
      const Quantity quantity = rates.merged(given[s].quantity());
      const auto [at, is_new] = place.try_emplace({quantity.order, quantity.variable}, s);
      if (!is_new && given[at->second].variable != quantity.variable) {
        at->second = s;  // the name of the unknown itself
      }
    }
    std::map<std::pair<int, Index>, Index> number;
    for (const auto& [key, s] : place) {
      number[key] = static_cast<Index>(slots_.size());
      slots_.push_back({given[s].name, key.second, key.first, given[s].nominal});
    }
    for (const system::SlotInfo& slot : given) {
      const Quantity quantity = rates.merged(slot.quantity());
      slot_of_.push_back(number.at({quantity.order, quantity.variable}));
    }
    name_derivatives();
    std::vector<Index> row_of;  // by row of the array given, -1: left out
    for (const system::RowInfo& row : array_->rows()) {
      const bool is_kept = left_out.count(row.equation) == 0;
      row_of.push_back(is_kept ? static_cast<Index>(rows_.size()) : -1);
      if (is_kept) {
        rows_.push_back(row);
      }
    }
    make_pattern(row_of);
    row_of_ = std::move(row_of);
  }

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return rows_; }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return array_->is_linear(); }
  [[nodiscard]] bool has_constant_jacobian() const override { return array_->has_constant_jacobian(); }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override;

 private:
  friend class MergedRunner;

  // Derivatives that were unknowns are called after what they are derivatives of.
  void name_derivatives() {
    std::map<Quantity, std::string> names;
    for (system::SlotInfo& slot : slots_) {  // by order
      const auto below = names.find({slot.variable, slot.order - 1});
      if (below != names.end()) {
        slot.name = "der(" + below->second + ")";
      }
      names[slot.quantity()] = slot.name;
    }
  }

  void make_pattern(const std::vector<Index>& row_of) {
    const system::RectangularPattern& given = array_->pattern();
    std::vector<std::set<Index>> columns(slots_.size());
    for (std::size_t s = 0; s < slot_of_.size(); ++s) {
      for (Index e = given.column_starts[s]; e < given.column_starts[s + 1]; ++e) {
        const Index row = row_of[at_index(given.rows[at_index(e)])];
        if (row >= 0) {
          columns[at_index(slot_of_[s])].insert(row);
        }
      }
    }
    pattern_.n_rows = static_cast<Index>(rows_.size());
    pattern_.n_columns = static_cast<Index>(slots_.size());
    pattern_.column_starts.push_back(0);
    for (const std::set<Index>& column : columns) {
      pattern_.rows.insert(pattern_.rows.end(), column.begin(), column.end());
      pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
    }
    // Where an entry of the array given is added.
    for (std::size_t s = 0; s < slot_of_.size(); ++s) {
      const auto begin = pattern_.rows.begin() + pattern_.column_starts[at_index(slot_of_[s])];
      const auto end = pattern_.rows.begin() + pattern_.column_starts[at_index(slot_of_[s]) + 1];
      for (Index e = given.column_starts[s]; e < given.column_starts[s + 1]; ++e) {
        const Index row = row_of[at_index(given.rows[at_index(e)])];
        entry_of_.push_back(
            row < 0 ? -1 : static_cast<Index>(std::lower_bound(begin, end, row) - pattern_.rows.begin()));
      }
    }
  }

  std::shared_ptr<const system::EquationSet> array_;
  std::vector<system::SlotInfo> slots_;
  std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
  std::vector<Index> slot_of_;   // by slot of the array given
  std::vector<Index> row_of_;    // by row of it
  std::vector<Index> entry_of_;  // by entry of it
};

class MergedRunner final : public system::EquationRunner {
 public:
  explicit MergedRunner(const MergedArray& merged)
      : merged_(merged),
        runner_(merged.array_->make_runner()),
        slots_(merged.slot_of_.size()),
        values_(merged.row_of_.size()),
        entries_(merged.entry_of_.size()) {}

  void set_configuration(const system::Configuration& configuration) override {
    runner_->set_configuration(configuration);
  }
  void set_latched(Index guard, double value) override { runner_->set_latched(guard, value); }

  system::Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
    take(slots);
    const system::Evaluation evaluation = runner_->residual(t, slots_, values_);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (merged_.row_of_[i] >= 0) {
        values[at_index(merged_.row_of_[i])] = values_[i];
      }
    }
    return own(evaluation);
  }
  system::Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
    take(slots);
    const system::Evaluation evaluation = runner_->jacobian(t, slots_, entries_);
    std::fill(entries.begin(), entries.end(), 0.0);
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      if (merged_.entry_of_[e] >= 0) {
        entries[at_index(merged_.entry_of_[e])] += entries_[e];
      }
    }
    return own(evaluation);
  }

 private:
  void take(std::span<const double> slots) {
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      slots_[s] = slots[at_index(merged_.slot_of_[s])];
    }
  }
  // Culprits are rows.
  [[nodiscard]] system::Evaluation own(system::Evaluation evaluation) const {
    if (evaluation.culprit >= 0 && evaluation.culprit < static_cast<Index>(merged_.row_of_.size())) {
      evaluation.culprit = merged_.row_of_[at_index(evaluation.culprit)];
    }
    return evaluation;
  }

  const MergedArray& merged_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::vector<double> slots_;
  std::vector<double> values_;
  std::vector<double> entries_;
};

std::unique_ptr<system::EquationRunner> MergedArray::make_runner() const {
  return std::make_unique<MergedRunner>(*this);
}

class MergedDae final : public system::LockedDae {
 public:
  MergedDae(const system::LockedDae& dae, MergedRates rates, std::set<Index> left_out)
      : dae_(dae), rates_(std::move(rates)), left_out_(std::move(left_out)) {}

  // States are slots below the highest order of each unknown, in the order of the slots.
  Result<bool> find_states() {
    const auto array = derivative_array(0);
    if (!array) {
      return Unexpected(array.error());
    }
    std::map<Index, int> highest;
    for (const system::SlotInfo& slot : (*array)->slots()) {
      highest[slot.variable] = std::max(highest[slot.variable], slot.order);
    }
    for (const system::SlotInfo& slot : (*array)->slots()) {
      if (slot.order < highest[slot.variable]) {
        states_.push_back({.name = slot.name, .nominal = slot.nominal, .quantity = slot.quantity()});
      }
    }
    return true;
  }

  [[nodiscard]] const std::vector<system::StateInfo>& states() const override { return states_; }
  [[nodiscard]] Index block_width() const override { return 1; }
  [[nodiscard]] std::unique_ptr<system::Evaluator> make_evaluator(
      std::span<const double> /*guess*/) const override {
    SALTUS_EXPECT(false, "merged equations are analysed and not evaluated");
    return nullptr;
  }
  [[nodiscard]] system::Reduction reduction() const override { return system::Reduction::ranks; }
  [[nodiscard]] Result<std::shared_ptr<const system::EquationSet>> derivative_array(
      int depth) const override {
    auto array = dae_.derivative_array(depth);
    if (!array) {
      return Unexpected(std::move(array).error());
    }
    return std::shared_ptr<const system::EquationSet>(
        std::make_shared<MergedArray>(*std::move(array), rates_, left_out_));
  }

 private:
  const system::LockedDae& dae_;
  MergedRates rates_;
  std::set<Index> left_out_;
  std::vector<system::StateInfo> states_;
};

// Rows that are c·ẋ - c·v, with (v, x) by slot.
struct RateRow {
  Index equation;
  Index rate;   // slot of v
  Index state;  // slot of ẋ
};

class RateFinder {
 public:
  RateFinder(const system::EquationSet& written, const system::Configuration& configuration, double t)
      : written_(written), t_(t), runner_(written.make_runner()) {
    runner_->set_configuration(configuration);
  }

  std::vector<RateRow> find(std::span<const double> at) {
    const system::RectangularPattern& pattern = written_.pattern();
    std::vector<std::vector<std::pair<Index, Index>>> by_row(at_index(pattern.n_rows));  // slot, entry
    for (Index s = 0; s < pattern.n_columns; ++s) {
      for (Index e = pattern.column_starts[at_index(s)]; e < pattern.column_starts[at_index(s) + 1]; ++e) {
        by_row[at_index(pattern.rows[at_index(e)])].emplace_back(s, e);
      }
    }
    std::vector<RateRow> found;
    if (!evaluate(at)) {
      return found;
    }
    for (Index row = 0; row < pattern.n_rows; ++row) {
      const auto& entries = by_row[at_index(row)];
      if (entries.size() != 2) {
        continue;
      }
      for (const std::size_t of_rate : {std::size_t{0}, std::size_t{1}}) {
        const auto [v, v_entry] = entries[of_rate];
        const auto [x, x_entry] = entries[1 - of_rate];
        const system::SlotInfo& rate = written_.slots()[at_index(v)];
        const system::SlotInfo& state = written_.slots()[at_index(x)];
        if (rate.order == 0 && state.order == 1 && rate.variable != state.variable &&
            is_difference(row, v, v_entry, x, x_entry)) {
          found.push_back({written_.rows()[at_index(row)].equation, v, x});
        }
      }
    }
    return found;
  }

 private:
  // The point itself, and enough near it that another function of two slots would have to pass through all by chance.
  static constexpr std::size_t kProbes = 3;

  // The point given and two near it, without special values.
  bool evaluate(std::span<const double> at) {
    // Of nominal values and of time: coefficients that vary differ there by far more than rounding, and models still have values.
    constexpr double kProbeDistance = 0x1p-8;
    for (std::size_t k = 0; k < kProbes; ++k) {
      std::vector<double>& slots = slots_[k];
      slots.assign(at.begin(), at.end());
      for (std::size_t s = 0; k > 0 && s < slots.size(); ++s) {
        // Multiples of the golden ratio are spread, so that no two slots move alike.
        const double part = std::numbers::phi * static_cast<double>(s + k * slots.size());
        slots[s] += kProbeDistance * (1.0 + part - std::floor(part)) * written_.slots()[s].nominal;
      }
      const double time = t_ + kProbeDistance * static_cast<double>(k) * std::max(1.0, std::abs(t_));
      residuals_[k].resize(at_index(written_.n_rows()));
      entries_[k].resize(written_.pattern().n_entries());
      if (!runner_->residual(time, slots, residuals_[k]).ok() ||
          !runner_->jacobian(time, slots, entries_[k]).ok()) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool is_difference(Index row, Index v, Index v_entry, Index x, Index x_entry) const {
    const double c = entries_[0][at_index(x_entry)];
    for (std::size_t k = 0; k < kProbes; ++k) {
      const double value =
          c * slots_[k][at_index(x)] - c * slots_[k][at_index(v)] - residuals_[k][at_index(row)];
      const double size = std::abs(c) * (std::abs(slots_[k][at_index(x)]) + std::abs(slots_[k][at_index(v)]));
      if (c == 0.0 || entries_[k][at_index(x_entry)] != c || entries_[k][at_index(v_entry)] != -c ||
          !(std::abs(value) <= 4.0 * kEpsilon * size)) {
        return false;
      }
    }
    return true;
  }

  const system::EquationSet& written_;
  double t_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::array<std::vector<double>, kProbes> slots_;
  std::array<std::vector<double>, kProbes> residuals_;
  std::array<std::vector<double>, kProbes> entries_;
};

}  // namespace

Result<MergedRates> merge_rates(const system::LockedDae& dae, const system::Configuration& configuration,
                                double t, std::span<const double> slots_of_point) {
  const auto written = dae.derivative_array(0);
  if (!written) {
    return Unexpected(written.error());
  }
  const system::EquationSet& equations = **written;
  SALTUS_EXPECT(slots_of_point.size() == equations.slots().size(), "a value for every slot");
  const auto& slots = equations.slots();
  const system::RectangularPattern& pattern = equations.pattern();
  const auto is_differentiated = [&](Index variable) {
    for (std::size_t s = 0; s < slots.size(); ++s) {
      if (slots[s].variable == variable && slots[s].order > 0 &&
          pattern.column_starts[s] < pattern.column_starts[s + 1]) {
        return true;
      }
    }
    return false;
  };
  MergedRates result;
  std::set<Index> left_out;
  for (const RateRow& row : RateFinder(equations, configuration, t).find(slots_of_point)) {
    const Index v = slots[at_index(row.rate)].variable;
    Quantity stands_for = result.merged({slots[at_index(row.state)].variable, 1});
    if (!is_differentiated(v) || result.stands_for.count(v) != 0 || stands_for.variable == v ||
        left_out.count(row.equation) != 0) {
      continue;  // an output; or it stands for another derivative already, or for one of its own
    }
    result.stands_for[v] = stands_for;
    left_out.insert(row.equation);
    for (auto& [other, quantity] : result.stands_for) {
      if (quantity.variable == v) {
        quantity = {stands_for.variable, stands_for.order + quantity.order};
      }
    }
  }
  if (left_out.empty()) {
    return result;
  }
  auto merged = std::make_shared<MergedDae>(dae, result, std::move(left_out));
  if (auto states = merged->find_states(); !states) {
    return Unexpected(std::move(states).error());
  }
  result.dae = std::move(merged);
  return result;
}

}  // namespace saltus::reduce
