#include "reduce/consistent/linear_rows.hpp"

#include <algorithm>
#include <utility>

namespace saltus::reduce {
namespace {

class LinearRows final : public system::EquationSet {
 public:
  LinearRows(std::vector<system::SlotInfo> slots, const std::vector<LinearRow>& rows)
      : slots_(std::move(slots)) {
    pattern_.n_rows = static_cast<Index>(rows.size());
    pattern_.n_columns = static_cast<Index>(slots_.size());
    std::vector<std::vector<std::pair<Index, double>>> columns(slots_.size());
    for (const LinearRow& row : rows) {
      for (const auto& [slot, factor] : row.terms) {
        columns[static_cast<std::size_t>(slot)].emplace_back(static_cast<Index>(rows_.size()), factor);
      }
      rows_.push_back(row.info);
      right_.push_back(row.right);
    }
    pattern_.column_starts.push_back(0);
    for (const auto& column : columns) {
      for (const auto& [row, factor] : column) {
        pattern_.rows.push_back(row);
        entries_.push_back(factor);
      }
      pattern_.column_starts.push_back(static_cast<Index>(entries_.size()));
    }
  }

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return rows_; }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return true; }
  [[nodiscard]] bool has_constant_jacobian() const override { return true; }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override {
    return std::make_unique<Runner>(*this);
  }

 private:
  class Runner final : public system::EquationRunner {
   public:
    explicit Runner(const LinearRows& set) : set_(set) {}
    void set_configuration(const system::Configuration& /*configuration*/) override {}
    system::Evaluation residual(double /*t*/, std::span<const double> slots,
                                std::span<double> values) override {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = -set_.right_[i];
      }
      const system::RectangularPattern& pattern = set_.pattern_;
      for (std::size_t j = 0; j < set_.slots_.size(); ++j) {
        for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
          const auto place = static_cast<std::size_t>(e);
          values[static_cast<std::size_t>(pattern.rows[place])] += set_.entries_[place] * slots[j];
        }
      }
      return {};
    }
    system::Evaluation jacobian(double /*t*/, std::span<const double> /*slots*/,
                                std::span<double> entries) override {
      std::copy(set_.entries_.begin(), set_.entries_.end(), entries.begin());
      return {};
    }

   private:
    const LinearRows& set_;
  };

  std::vector<system::SlotInfo> slots_;
  std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
  std::vector<double> entries_;
  std::vector<double> right_;
};

}  // namespace

std::shared_ptr<const system::EquationSet> make_linear_rows(std::vector<system::SlotInfo> slots,
                                                            const std::vector<LinearRow>& rows) {
  return std::make_shared<const LinearRows>(std::move(slots), rows);
}

}  // namespace saltus::reduce
