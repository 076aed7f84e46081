#include "reduce/consistent/raised_problem.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace saltus::reduce {
namespace {

using system::EquationSet;
using system::Evaluation;

// Rows of one set, then the last rows of another; slots of the second that the first does not have stand behind those of the first.
class JoinedEquations final : public EquationSet {
 public:
  JoinedEquations(std::shared_ptr<const EquationSet> first, std::shared_ptr<const EquationSet> second,
                  Index n_last, std::vector<Index> place)
      : first_(std::move(first)), second_(std::move(second)), n_last_(n_last), place_(std::move(place)) {
    slots_ = first_->slots();
    for (std::size_t j = 0; j < place_.size(); ++j) {
      if (place_[j] == std::ssize(slots_)) {
        slots_.push_back(second_->slots()[j]);
      }
    }
    rows_ = first_->rows();
    rows_.insert(rows_.end(), second_->rows().end() - n_last_, second_->rows().end());
    join_patterns();
  }

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return rows_; }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return first_->is_linear() && second_->is_linear(); }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override {
    return std::make_unique<Runner>(*this);
  }

 private:
  class Runner final : public system::EquationRunner {
   public:
    explicit Runner(const JoinedEquations& set)
        : set_(set),
          first_(set.first_->make_runner()),
          second_(set.second_->make_runner()),
          slots_(set.place_.size()),
          values_(static_cast<std::size_t>(set.second_->n_rows())),
          first_entries_(set.first_->pattern().n_entries()),
          second_entries_(set.second_->pattern().n_entries()) {}

    void set_configuration(const system::Configuration& configuration) override {
      first_->set_configuration(configuration);
      second_->set_configuration(configuration);
    }
    void set_latched(Index guard, double value) override {
      first_->set_latched(guard, value);
      second_->set_latched(guard, value);
    }
    Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
      const auto n_first = static_cast<std::size_t>(set_.first_->n_rows());
      const std::span<const double> own = slots.first(set_.first_->slots().size());
      if (const Evaluation evaluation = first_->residual(t, own, values.first(n_first)); !evaluation.ok()) {
        return evaluation;
      }
      gather(slots);
      const Evaluation evaluation = joined(second_->residual(t, slots_, values_));
      std::copy(values_.end() - set_.n_last_, values_.end(),
                values.begin() + static_cast<std::ptrdiff_t>(n_first));
      return evaluation;
    }
    Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
      const std::span<const double> own = slots.first(set_.first_->slots().size());
      if (const Evaluation evaluation = first_->jacobian(t, own, first_entries_); !evaluation.ok()) {
        return evaluation;
      }
      gather(slots);
      const Evaluation evaluation = joined(second_->jacobian(t, slots_, second_entries_));
      for (std::size_t e = 0; e < entries.size(); ++e) {
        const Source& source = set_.sources_[e];
        entries[e] = source.is_first ? first_entries_[source.entry] : second_entries_[source.entry];
      }
      return evaluation;
    }

   private:
    void gather(std::span<const double> slots) {
      for (std::size_t j = 0; j < slots_.size(); ++j) {
        slots_[j] = slots[static_cast<std::size_t>(set_.place_[j])];
      }
    }
    // Rows of the second set that are not taken say nothing.
    [[nodiscard]] Evaluation joined(Evaluation evaluation) const {
      const Index row = evaluation.culprit - (set_.second_->n_rows() - set_.n_last_);
      if (!evaluation.ok() && evaluation.culprit >= 0) {
        return row < 0 ? Evaluation{} : Evaluation{evaluation.status, set_.first_->n_rows() + row};
      }
      return evaluation;
    }

    const JoinedEquations& set_;
    std::unique_ptr<system::EquationRunner> first_;
    std::unique_ptr<system::EquationRunner> second_;
    std::vector<double> slots_;
    std::vector<double> values_;
    std::vector<double> first_entries_;
    std::vector<double> second_entries_;
  };

  struct Source {
    bool is_first;
    std::size_t entry;
  };

  void join_patterns() {
    const system::RectangularPattern& first = first_->pattern();
    const system::RectangularPattern& second = second_->pattern();
    const Index n_dropped = second.n_rows - n_last_;
    std::vector<std::vector<std::size_t>> columns(slots_.size());
    for (std::size_t j = 0; j < place_.size(); ++j) {
      for (Index e = second.column_starts[j]; e < second.column_starts[j + 1]; ++e) {
        if (second.rows[static_cast<std::size_t>(e)] >= n_dropped) {
          columns[static_cast<std::size_t>(place_[j])].push_back(static_cast<std::size_t>(e));
        }
      }
    }
    pattern_.n_rows = first.n_rows + n_last_;
    pattern_.n_columns = static_cast<Index>(slots_.size());
    pattern_.column_starts.push_back(0);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const bool is_of_first = j < first_->slots().size();
      for (Index e = is_of_first ? first.column_starts[j] : 0; is_of_first && e < first.column_starts[j + 1];
           ++e) {
        pattern_.rows.push_back(first.rows[static_cast<std::size_t>(e)]);
        sources_.push_back({true, static_cast<std::size_t>(e)});
      }
      for (const std::size_t e : columns[j]) {
        pattern_.rows.push_back(first.n_rows + second.rows[e] - n_dropped);
        sources_.push_back({false, e});
      }
      pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
    }
  }

  std::shared_ptr<const EquationSet> first_;
  std::shared_ptr<const EquationSet> second_;
  Index n_last_;
  std::vector<Index> place_;  // of a slot of the second set among all
  std::vector<system::SlotInfo> slots_;
  std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
  std::vector<Source> sources_;  // by entry
};

}  // namespace

Result<system::InitialProblem> raise_problem(const system::InitialProblem& problem,
                                             const system::LockedDae& locked, int depth) {
  Result<std::shared_ptr<const EquationSet>> array = locked.derivative_array(depth);
  if (!array) {
    return Unexpected(std::move(array).error());
  }
  std::map<std::pair<Index, int>, Index> slot_of;
  const std::vector<system::SlotInfo>& slots = (*array)->slots();
  for (std::size_t j = 0; j < slots.size(); ++j) {
    slot_of.emplace(std::pair(slots[j].variable, slots[j].order), static_cast<Index>(j));
  }
  system::InitialProblem raised;
  raised.n_initial_equations = problem.n_initial_equations;
  raised.configuration = problem.configuration;
  raised.guess.assign(slots.size(), 0.0);
  raised.tier.assign(slots.size(), system::StartTier::free);
  std::vector<Index> place;
  const std::vector<system::SlotInfo>& given = problem.equations->slots();
  for (std::size_t j = 0; j < given.size(); ++j) {
    // The array has every slot but those of discrete variables, which are inputs of its rows.
    const auto [found, is_new] = slot_of.emplace(std::pair(given[j].variable, given[j].order),
                                                 static_cast<Index>(raised.guess.size()));
    if (is_new) {
      raised.guess.push_back(0.0);
      raised.tier.push_back(system::StartTier::free);
    }
    place.push_back(found->second);
    raised.guess[static_cast<std::size_t>(found->second)] = problem.guess[j];
    raised.tier[static_cast<std::size_t>(found->second)] = problem.tier[j];
  }
  for (const Index slot : problem.slot_of_guess) {
    raised.slot_of_guess.push_back(slot < 0 ? -1 : place[static_cast<std::size_t>(slot)]);
  }
  raised.equations = std::make_shared<const JoinedEquations>(*std::move(array), problem.equations,
                                                             problem.n_initial_equations, std::move(place));
  return raised;
}

}  // namespace saltus::reduce
