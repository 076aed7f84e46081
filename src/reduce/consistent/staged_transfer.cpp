#include "reduce/consistent/staged_transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/short_list.hpp"
#include "reduce/consistent/consistent_report.hpp"
#include "reduce/consistent/slot_stages.hpp"
#include "reduce/consistent/start_search.hpp"
#include "reduce/nonlinear/consistency.hpp"
#include "reduce/nonlinear/diagnostic_codes.hpp"
#include "reduce/nonlinear/pattern_parts.hpp"
#include "reduce/nonlinear/tiered_step.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

// As for projections after steps (constraint_projection.hpp): less is rounding.
constexpr double kUnchanged = 1e-12;
constexpr std::size_t kMostRowsNamed = 3;

class StagedTransfer {
 public:
  StagedTransfer(const TransferProblem& problem, double t)
      : problem_(problem),
        t_(t),
        n_slots_(problem.hold.size()),
        n_before_(problem.stage.size()),
        row_stage_(problem.stage),
        initial_(initial_problem(problem)),
        search_(initial_, t, LeastChange::Algebra::automatic) {
    const system::RectangularPattern& pattern = problem.equations->pattern();
    SALTUS_EXPECT(problem.guess.size() == n_slots_ && pattern.n_columns == std::ssize(problem.guess),
                  "one guess and one way to change for each slot");
    SALTUS_EXPECT(pattern.n_rows == std::ssize(problem.stage) + std::ssize(problem.given),
                  "a stage or a given slot for each row");
    take_slot_stages(find_parts(pattern));
    find_stages_of_jumps();
    counts_.assign(row_stage_.size(), 0);
    is_open_.assign(n_slots_, 0);
    for (std::size_t j = 0; j < n_slots_; ++j) {
      is_open_[j] = problem.hold[j] == Hold::open ? 1 : 0;
    }
  }

  Result<TransferValues> run() {
    std::vector<int> stages = row_stage_;
    std::sort(stages.begin(), stages.end());
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    for (const int stage : stages) {
      if (!pass(stage)) {
        return Unexpected(explain(stage));
      }
    }
    take_given_values();
    TransferValues result{.slots = initial_.guess, .stage = stages_.stage, .open_slots = {}};
    for (std::size_t j = 0; j < n_slots_; ++j) {
      if (is_open_[j] != 0) {
        result.open_slots.push_back(static_cast<Index>(j));
      }
    }
    return result;
  }

 private:
  // Which slots a try releases.
  struct Release {
    bool held_here = false;       // states of this stage that are held
    bool jumping_before = false;  // … of earlier ones that may jump
    int held_from = 1;            // … and that are held, from this stage on
  };

  static system::InitialProblem initial_problem(const TransferProblem& problem) {
    system::InitialProblem initial;
    initial.equations = problem.equations;
    initial.configuration = problem.configuration;
    initial.guess = problem.guess;
    // The tiers only say which slots other first points may differ in.
    for (const Hold hold : problem.hold) {
      const bool is_free = hold == Hold::open || hold == Hold::solved || hold == Hold::rate;
      initial.tier.push_back(is_free ? system::StartTier::free : system::StartTier::differential);
    }
    return initial;
  }

  template <class Visit>
  void for_each_entry(Visit visit) const {
    const system::RectangularPattern& pattern = problem_.equations->pattern();
    for (std::size_t j = 0; j < n_slots_; ++j) {
      for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
        visit(static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)]), j);
      }
    }
  }

  // Steps of large parts are sparse (tiered_step.hpp), which cannot grade two kinds of states exactly.
  void take_slot_stages(const PatternParts& parts) {
    is_large_.assign(n_slots_, 0);
    for (const PatternParts::Part& part : parts.parts) {
      const bool is_large = static_cast<Index>(std::max(part.rows.size(), part.columns.size())) > kMostDense;
      for (const Index slot : part.columns) {
        is_large_[static_cast<std::size_t>(slot)] = is_large ? 1 : 0;
      }
    }
    stages_ = find_slot_stages(problem_, t_, parts);
    slot_stages_ = stages_.stage;
    std::sort(slot_stages_.begin(), slot_stages_.end());
    slot_stages_.erase(std::unique(slot_stages_.begin(), slot_stages_.end()), slot_stages_.end());
  }

  void find_stages_of_jumps() {
    row_stage_.resize(n_before_ + problem_.given.size(), std::numeric_limits<int>::min());
    for_each_entry([this](std::size_t row, std::size_t slot) {
      if (row >= n_before_) {
        row_stage_[row] = std::max(row_stage_[row], stages_.stage[slot]);
      }
    });
  }

  [[nodiscard]] bool is_released(std::size_t slot, int stage, const Release& release) const {
    const Hold hold = problem_.hold[slot];
    if (stages_.stage[slot] == stage) {
      return hold != Hold::held || release.held_here;
    }
    return stages_.stage[slot] < stage &&
           (stages_.is_carried_slot[slot] != 0 || stages_.stage[slot] >= release.held_from ||
            (release.jumping_before && hold != Hold::held));
  }

  // Levels of TieredStep without gaps, the strongest first; how many there are of states, -1: nothing is released. Of one kind those of
  // earlier stages are stronger: where positions have to move after all, they move as little as they can, and velocities follow.
  int find_levels(int stage, const Release& release, std::vector<int>& level) const {
    level.assign(n_slots_, kHeldLevel);
    const int n_of_states = find_graded_levels(stage, release, level);
    return find_large_levels(stage, release, level) ? std::max(n_of_states, 0) : n_of_states;
  }

  int find_graded_levels(int stage, const Release& release, std::vector<int>& level) const {
    int next = 0;
    int n_of_states = 0;
    for (const Hold hold : {Hold::held, Hold::jumping, Hold::open, Hold::solved, Hold::rate}) {
      for (const int of_slots : slot_stages_) {
        bool is_used = false;
        for (std::size_t j = 0; j < n_slots_; ++j) {
          if (is_large_[j] == 0 && problem_.hold[j] == hold && stages_.stage[j] == of_slots &&
              is_released(j, stage, release)) {
            level[j] = next;
            is_used = true;
          }
        }
        next += is_used ? 1 : 0;
        n_of_states += is_used && (hold == Hold::held || hold == Hold::jumping) ? 1 : 0;
      }
    }
    return next > 0 ? n_of_states : -1;
  }

  // All states alike, then what is solved for, then rates.
  bool find_large_levels(int stage, const Release& release, std::vector<int>& level) const {
    int next = 0;
    for (const Hold last : {Hold::open, Hold::solved, Hold::rate}) {
      bool is_used = false;
      for (std::size_t j = 0; j < n_slots_; ++j) {
        if (is_large_[j] != 0 && level[j] == kHeldLevel && problem_.hold[j] <= last &&
            is_released(j, stage, release)) {
          level[j] = next;
          is_used = true;
        }
      }
      next += is_used ? 1 : 0;
    }
    return next > 0;
  }

  // What gives way, one after the other.
  [[nodiscard]] std::vector<Release> releases(int stage) const {
    std::vector<Release> result{{.held_here = false, .jumping_before = false},
                                {.held_here = true, .jumping_before = false},
                                {.held_here = true, .jumping_before = true}};
    const int lowest = *std::min_element(stages_.stage.begin(), stages_.stage.end());
    for (int from = -1; stage == 0 && from >= lowest; --from) {
      result.push_back({.held_here = true, .jumping_before = true, .held_from = from});
    }
    return result;
  }

  bool pass(int stage) {
    failed_ = {};
    std::vector<int> level;
    std::vector<int> last_level;
    for (const Release& release : releases(stage)) {
      const int n_of_states = find_levels(stage, release, level);
      if (n_of_states < 0 || level == last_level) {
        continue;
      }
      last_level = level;
      for (std::size_t i = 0; i < counts_.size(); ++i) {
        const bool is_met_again = release.jumping_before || stages_.is_carried_row[i] != 0;
        const bool is_earlier = is_met_again && row_stage_[i] < stage;
        counts_[i] = row_stage_[i] == stage || is_earlier ? 1 : 0;
      }
      StartFound found = search_.find(level, true, counts_);
      if (found.solved()) {
        search_.bring_nearest(level, n_of_states, found, counts_);
        note_determined(level, found.values);
        take(found.values);
        return true;
      }
      if (!release.jumping_before) {
        failed_ = std::move(found);
      }
    }
    return last_level.empty() && rows_are_met(stage);
  }

  // Where nothing may change.
  [[nodiscard]] bool rows_are_met(int stage) const {
    std::vector<double> residual(row_stage_.size());
    if (!evaluate(residual)) {
      return false;
    }
    for (std::size_t i = 0; i < residual.size(); ++i) {
      if (row_stage_[i] == stage && !(std::abs(residual[i]) <= kConsistent)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool evaluate(std::vector<double>& residual) const {
    const auto runner = problem_.equations->make_runner();
    runner->set_configuration(problem_.configuration);
    return runner->residual(t_, initial_.guess, residual).ok();
  }

  void take(const std::vector<double>& values) {
    for (std::size_t j = 0; j < n_slots_; ++j) {
      const double size = std::max(std::abs(initial_.guess[j]), search_.nominal()[j]);
      if (!(std::abs(values[j] - initial_.guess[j]) <= kUnchanged * size)) {
        initial_.guess[j] = values[j];
      }
    }
  }

  // A slot is determined where its column does not follow from those of the others that are released.
  void note_determined(const std::vector<int>& level, const std::vector<double>& values) {
    std::vector<int> free = level;
    bool has_open = false;
    for (std::size_t j = 0; j < n_slots_; ++j) {
      free[j] = level[j] == kHeldLevel || problem_.hold[j] == Hold::held ? kHeldLevel : 0;
      has_open = has_open || (free[j] == 0 && problem_.hold[j] == Hold::open);
    }
    const Index rank = has_open ? search_.rank_at(free, values, counts_) : -1;
    for (std::size_t j = 0; j < n_slots_ && has_open; ++j) {
      if (free[j] == 0 && problem_.hold[j] == Hold::open) {
        free[j] = kHeldLevel;
        is_open_[j] = rank >= 0 && search_.rank_at(free, values, counts_) == rank ? 1 : 0;
        free[j] = 0;
      }
    }
  }

  // row = slot - value: what is left of it is the slot's rounding.
  void take_given_values() {
    if (std::all_of(problem_.given.begin(), problem_.given.end(), [](Index slot) { return slot < 0; })) {
      return;
    }
    std::vector<double> residual(row_stage_.size());
    if (!evaluate(residual)) {
      return;
    }
    for (std::size_t k = 0; k < problem_.given.size(); ++k) {
      if (problem_.given[k] >= 0) {
        const double left = residual[n_before_ + k];
        double& value = initial_.guess[static_cast<std::size_t>(problem_.given[k])];
        value -= std::abs(left) <= kConsistent * std::max(std::abs(value), 1.0) ? left : 0.0;
      }
    }
  }

  [[nodiscard]] std::string list(const std::vector<std::size_t>& rows) const {
    ShortList list(kMostRowsNamed);
    for (const std::size_t number : rows) {
      const system::RowInfo& row = problem_.equations->rows()[number];
      const bool is_quoted = !row.text.empty() && row.text.front() == '\'';
      list.add(fmt::format("{}{}", is_quoted ? row.text : "'" + row.text + "'",
                           row.order == 0 ? ""
                           : row.order == 1
                               ? " (an equation differentiated once)"
                               : fmt::format(" (an equation differentiated {} times)", row.order)));
    }
    return list.text();
  }

  // Rows of a kind that are not met, the worst first; where all are met, those of the stage.
  [[nodiscard]] std::vector<std::size_t> blamed(int stage, bool jumps) const {
    const std::size_t first = jumps ? n_before_ : 0;
    const std::size_t end = jumps ? row_stage_.size() : n_before_;
    std::vector<std::size_t> rows;
    std::vector<std::size_t> all;
    double worst = 0.0;
    for (std::size_t i = 0; i < failed_.distance.size(); ++i) {
      worst = std::max(worst, failed_.distance[i]);
    }
    for (std::size_t i = first; i < end; ++i) {
      if (row_stage_[i] != stage) {
        continue;
      }
      all.push_back(i);
      if (i < failed_.distance.size() && failed_.distance[i] > std::max(kConsistent, kBlamed * worst)) {
        rows.push_back(i);
      }
    }
    if (rows.empty()) {
      rows = std::move(all);
    }
    std::stable_sort(rows.begin(), rows.end(), [this](std::size_t a, std::size_t b) {
      return !failed_.distance.empty() && failed_.distance[a] > failed_.distance[b];
    });
    return rows;
  }

  [[nodiscard]] Diagnostics explain(int stage) const {
    Diagnostics diagnostics;
    const std::vector<std::size_t> jumps = blamed(stage, true);
    const std::vector<std::size_t> constraints = blamed(stage, false);
    const auto& rows = problem_.equations->rows();
    const std::vector<std::size_t>& first = jumps.empty() ? constraints : jumps;
    const auto span = first.empty() ? std::nullopt : rows[first[0]].span;
    if (jumps.empty()) {
      diagnostics.error(
          kJumpContradiction,
          fmt::format("no values near those before satisfy the constraints {}", list(constraints)), span,
          "write jump equations that say where the states go");
    } else if (constraints.empty()) {
      diagnostics.error(kJumpContradiction,
                        fmt::format("the jump equations {} cannot be met together", list(jumps)), span,
                        "drop one of them, or let more variables jump");
    } else {
      diagnostics.error(
          kJumpContradiction,
          fmt::format("the jump equations {} contradict the constraints {}", list(jumps), list(constraints)),
          span, "drop a jump equation that the constraints replace, or let more variables jump");
    }
    return diagnostics;
  }

  const TransferProblem& problem_;
  double t_;
  std::size_t n_slots_;
  std::size_t n_before_;                // rows that are no jump equations
  std::vector<std::uint8_t> is_large_;  // by slot
  std::vector<int> row_stage_;
  SlotStages stages_;
  std::vector<int> slot_stages_;  // that occur, the earliest first
  system::InitialProblem initial_;
  StartSearch search_;
  std::vector<std::uint8_t> counts_;
  std::vector<std::uint8_t> is_open_;
  StartFound failed_;
};

}  // namespace

std::vector<int> stages_of_constraints(const std::vector<system::RowInfo>& rows) {
  std::unordered_map<Index, int> differentiations;
  for (const system::RowInfo& row : rows) {
    int& most = differentiations[row.equation];
    most = std::max(most, row.order + 1);
  }
  std::vector<int> stages;
  for (const system::RowInfo& row : rows) {
    stages.push_back(row.order - differentiations[row.equation]);
  }
  return stages;
}

Result<TransferValues> transfer_by_stages(const TransferProblem& problem, double t) {
  return StagedTransfer(problem, t).run();
}

}  // namespace saltus::reduce
