#include "reduce/consistent/transfer_equations.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using system::EquationSet;
using system::Evaluation;

constexpr Index kNotChosen = -1;

class JoinedForTransfer final : public EquationSet {
 public:
  explicit JoinedForTransfer(TransferParts parts) : parts_(std::move(parts)) {
    SALTUS_EXPECT(parts_.constraints != nullptr || parts_.jumps != nullptr, "there are equations");
    if (parts_.constraints != nullptr) {
      slots_ = parts_.constraints->slots();
      rows_ = parts_.constraints->rows();
    }
    n_constraints_ = static_cast<Index>(rows_.size());
    if (parts_.jumps != nullptr) {
      place_slots();
      place_rows();
    }
    join_patterns();
  }

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return rows_; }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override {
    return (parts_.constraints == nullptr || parts_.constraints->is_linear()) &&
           (parts_.jumps == nullptr || parts_.jumps->is_linear());
  }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override {
    return std::make_unique<Runner>(*this);
  }

  [[nodiscard]] const std::vector<Index>& slot_of_jump_slot() const { return slot_place_; }
  [[nodiscard]] Index n_constraints() const { return n_constraints_; }
  [[nodiscard]] Index n_of_mode() const {
    return parts_.jumps == nullptr ? 0 : parts_.jumps->n_rows() - parts_.n_jump_rows;
  }

 private:
  struct Source {
    bool is_constraint = true;
    std::size_t entry = 0;
  };

  class Runner final : public system::EquationRunner {
   public:
    explicit Runner(const JoinedForTransfer& set) : set_(set) {
      if (set.parts_.constraints != nullptr) {
        constraints_ = set.parts_.constraints->make_runner();
        constraint_entries_.resize(set.parts_.constraints->pattern().n_entries());
      }
      if (set.parts_.jumps != nullptr) {
        jumps_ = set.parts_.jumps->make_runner();
        jumps_->set_configuration(set.parts_.configuration_of_jumps);
        jump_slots_.resize(set.slot_place_.size());
        jump_values_.resize(set.row_place_.size());
        jump_entries_.resize(set.parts_.jumps->pattern().n_entries());
      }
    }

    void set_configuration(const system::Configuration& configuration) override {
      if (constraints_ != nullptr) {
        constraints_->set_configuration(configuration);
      }
    }

    Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
      if (constraints_ != nullptr) {
        const Evaluation evaluation =
            constraints_->residual(t, slots.first(set_.n_constraint_slots()),
                                   values.first(static_cast<std::size_t>(set_.n_constraints_)));
        if (!evaluation.ok()) {
          return evaluation;
        }
      }
      if (jumps_ != nullptr) {
        gather(slots);
        // What is not finite may be an equation that does not count.
        (void)jumps_->residual(t, jump_slots_, jump_values_);
        for (std::size_t i = 0; i < jump_values_.size(); ++i) {
          const Index row = set_.row_place_[i];
          if (row == kNotChosen) {
            continue;
          }
          if (!std::isfinite(jump_values_[i])) {
            return {Evaluation::Status::not_finite, row};
          }
          values[static_cast<std::size_t>(row)] = jump_values_[i];
        }
      }
      return {};
    }

    Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
      if (constraints_ != nullptr) {
        const Evaluation evaluation =
            constraints_->jacobian(t, slots.first(set_.n_constraint_slots()), constraint_entries_);
        if (!evaluation.ok()) {
          return evaluation;
        }
      }
      if (jumps_ != nullptr) {
        gather(slots);
        (void)jumps_->jacobian(t, jump_slots_, jump_entries_);
      }
      for (std::size_t e = 0; e < entries.size(); ++e) {
        const Source& source = set_.sources_[e];
        entries[e] = source.is_constraint ? constraint_entries_[source.entry] : jump_entries_[source.entry];
        if (!std::isfinite(entries[e])) {
          return {Evaluation::Status::not_finite, set_.pattern_.rows[e]};
        }
      }
      return {};
    }

   private:
    void gather(std::span<const double> slots) {
      for (std::size_t j = 0; j < jump_slots_.size(); ++j) {
        jump_slots_[j] = slots[static_cast<std::size_t>(set_.slot_place_[j])];
      }
    }

    const JoinedForTransfer& set_;
    std::unique_ptr<system::EquationRunner> constraints_;
    std::unique_ptr<system::EquationRunner> jumps_;
    std::vector<double> constraint_entries_;
    std::vector<double> jump_slots_;
    std::vector<double> jump_values_;
    std::vector<double> jump_entries_;
  };

  [[nodiscard]] std::size_t n_constraint_slots() const {
    return static_cast<std::size_t>(parts_.constraints->n_slots());
  }

  void place_slots() {
    std::unordered_map<std::string_view, Index> place_of;
    const std::size_t n_first = slots_.size();
    slots_.reserve(n_first + parts_.jumps->slots().size());
    for (std::size_t j = 0; j < n_first; ++j) {
      place_of.emplace(slots_[j].name, static_cast<Index>(j));
    }
    for (const system::SlotInfo& slot : parts_.jumps->slots()) {
      const auto place = place_of.find(slot.name);
      slot_place_.push_back(place != place_of.end() ? place->second : static_cast<Index>(slots_.size()));
      if (place == place_of.end()) {
        slots_.push_back(slot);
      }
    }
  }

  void place_rows() {
    const auto n_rows = static_cast<std::size_t>(parts_.jumps->n_rows());
    const auto n_jumps = static_cast<std::size_t>(parts_.n_jump_rows);
    row_place_.assign(n_rows, kNotChosen);
    const auto place = [this](std::size_t row) {
      row_place_[row] = static_cast<Index>(rows_.size());
      rows_.push_back(parts_.jumps->rows()[row]);
    };
    for (std::size_t row = n_jumps; row < n_rows; ++row) {
      place(row);
    }
    for (const Index row : parts_.chosen) {
      place(static_cast<std::size_t>(row));
    }
  }

  struct Entry {
    Index column;
    Index row;
    Source source;
  };

  void join_patterns() {
    std::vector<Entry> entries;
    if (parts_.constraints != nullptr) {
      const system::RectangularPattern& pattern = parts_.constraints->pattern();
      for (Index j = 0; j < pattern.n_columns; ++j) {
        for_each_entry(pattern, j, [&](std::size_t e) {
          entries.push_back({j, pattern.rows[e], {true, e}});
        });
      }
    }
    if (parts_.jumps != nullptr) {
      const system::RectangularPattern& pattern = parts_.jumps->pattern();
      for (Index j = 0; j < pattern.n_columns; ++j) {
        for_each_entry(pattern, j, [&](std::size_t e) {
          const Index row = row_place_[static_cast<std::size_t>(pattern.rows[e])];
          if (row != kNotChosen) {
            entries.push_back({slot_place_[static_cast<std::size_t>(j)], row, {false, e}});
          }
        });
      }
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.column != b.column ? a.column < b.column : a.row < b.row;
    });
    pattern_.n_rows = static_cast<Index>(rows_.size());
    pattern_.n_columns = static_cast<Index>(slots_.size());
    pattern_.column_starts.assign(slots_.size() + 1, 0);
    for (const Entry& entry : entries) {
      ++pattern_.column_starts[static_cast<std::size_t>(entry.column) + 1];
      pattern_.rows.push_back(entry.row);
      sources_.push_back(entry.source);
    }
    for (std::size_t j = 0; j < slots_.size(); ++j) {
      pattern_.column_starts[j + 1] += pattern_.column_starts[j];
    }
  }

  template <class Visit>
  static void for_each_entry(const system::RectangularPattern& pattern, Index column, Visit visit) {
    const auto j = static_cast<std::size_t>(column);
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      visit(static_cast<std::size_t>(e));
    }
  }

  TransferParts parts_;
  std::vector<system::SlotInfo> slots_;
  std::vector<system::RowInfo> rows_;
  Index n_constraints_ = 0;
  std::vector<Index> slot_place_;  // by slot of the jump equations
  std::vector<Index> row_place_;   // by row of the jump equations
  system::RectangularPattern pattern_;
  std::vector<Source> sources_;  // by entry
};

}  // namespace

TransferEquations join_for_transfer(TransferParts parts) {
  auto joined = std::make_shared<const JoinedForTransfer>(std::move(parts));
  TransferEquations result;
  result.slot_of_jump_slot = joined->slot_of_jump_slot();
  result.n_constraints = joined->n_constraints();
  result.n_of_mode = joined->n_of_mode();
  result.equations = std::move(joined);
  return result;
}

}  // namespace saltus::reduce
