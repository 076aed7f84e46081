#include "reduce/consistent/graded_transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/short_list.hpp"
#include "reduce/consistent/consistent_report.hpp"
#include "reduce/consistent/slot_grades.hpp"
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

class GradedTransfer {
 public:
  GradedTransfer(const TransferProblem& problem, double t)
      : problem_(problem),
        t_(t),
        n_slots_(problem.hold.size()),
        n_before_(problem.grade.size()),
        row_grade_(problem.grade),
        initial_(initial_problem(problem)),
        search_(initial_, t, LeastChange::Algebra::automatic) {
    const system::RectangularPattern& pattern = problem.equations->pattern();
    SALTUS_EXPECT(problem.guess.size() == n_slots_ && pattern.n_columns == std::ssize(problem.guess),
                  "one guess and one way to change for each slot");
    SALTUS_EXPECT(pattern.n_rows == std::ssize(problem.grade) + std::ssize(problem.given),
                  "a grade or a given slot for each row");
    take_slot_grades(find_parts(pattern));
    find_grades_of_jumps();
    counts_.assign(row_grade_.size(), 0);
    is_open_.assign(n_slots_, 0);
    for (std::size_t j = 0; j < n_slots_; ++j) {
      is_open_[j] = problem.hold[j] == Hold::open ? 1 : 0;
    }
  }

  Result<TransferValues> run() {
    std::vector<int> grades = row_grade_;
    std::sort(grades.begin(), grades.end());
    grades.erase(std::unique(grades.begin(), grades.end()), grades.end());
    for (const int grade : grades) {
      if (!pass(grade)) {
        return Unexpected(explain(grade));
      }
    }
    take_given_values();
    TransferValues result{.slots = initial_.guess, .grade = grades_.grade, .open_slots = {}};
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
    bool held_here = false;       // states of this grade that are held
    bool jumping_before = false;  // … of earlier ones that may jump
    int held_from = 1;            // … and that are held, from this grade on
    bool kept = false;            // … also those of find_kept
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
  void take_slot_grades(const PatternParts& parts) {
    is_large_.assign(n_slots_, 0);
    for (const PatternParts::Part& part : parts.parts) {
      const bool is_large = static_cast<Index>(std::max(part.rows.size(), part.columns.size())) > kMostDense;
      for (const Index slot : part.columns) {
        is_large_[static_cast<std::size_t>(slot)] = is_large ? 1 : 0;
      }
    }
    grades_ = find_slot_grades(problem_, t_, parts);
    slot_grades_ = grades_.grade;
    std::sort(slot_grades_.begin(), slot_grades_.end());
    slot_grades_.erase(std::unique(slot_grades_.begin(), slot_grades_.end()), slot_grades_.end());
  }

  void find_grades_of_jumps() {
    row_grade_.resize(n_before_ + problem_.given.size(), std::numeric_limits<int>::min());
    for_each_entry([this](std::size_t row, std::size_t slot) {
      if (row >= n_before_) {
        row_grade_[row] = std::max(row_grade_[row], grades_.grade[slot]);
      }
    });
  }

  [[nodiscard]] bool is_released(std::size_t slot, int grade, const Release& release) const {
    const Hold hold = problem_.hold[slot];
    if (hold == Hold::held && !release.kept && has_kept_ && is_kept_[slot] != 0) {
      return false;
    }
    if (grades_.grade[slot] == grade) {
      return hold != Hold::held || release.held_here;
    }
    return grades_.grade[slot] < grade &&
           (grades_.is_carried_slot[slot] != 0 || grades_.grade[slot] >= release.held_from ||
            (release.jumping_before && hold != Hold::held));
  }

  // Tiers of TieredStep without gaps, the strongest first; how many there are of states, -1: nothing is released. Of one kind those of
  // earlier grades are stronger: where positions have to move after all, they move as little as they can, and velocities follow.
  int find_tiers(int grade, const Release& release, std::vector<int>& tier) const {
    tier.assign(n_slots_, kHeldLevel);
    const int n_of_states = find_graded_tiers(grade, release, tier);
    return find_large_tiers(grade, release, tier) ? std::max(n_of_states, 0) : n_of_states;
  }

  int find_graded_tiers(int grade, const Release& release, std::vector<int>& tier) const {
    int next = 0;
    int n_of_states = 0;
    for (const Hold hold : {Hold::held, Hold::jumping, Hold::open, Hold::solved, Hold::rate}) {
      for (const int of_slots : slot_grades_) {
        bool is_used = false;
        for (std::size_t j = 0; j < n_slots_; ++j) {
          if (is_large_[j] == 0 && problem_.hold[j] == hold && grades_.grade[j] == of_slots &&
              is_released(j, grade, release)) {
            tier[j] = next;
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
  bool find_large_tiers(int grade, const Release& release, std::vector<int>& tier) const {
    int next = 0;
    for (const Hold last : {Hold::open, Hold::solved, Hold::rate}) {
      bool is_used = false;
      for (std::size_t j = 0; j < n_slots_; ++j) {
        if (is_large_[j] != 0 && tier[j] == kHeldLevel && problem_.hold[j] <= last &&
            is_released(j, grade, release)) {
          tier[j] = next;
          is_used = true;
        }
      }
      next += is_used ? 1 : 0;
    }
    return next > 0;
  }

  // What gives way, one after the other.
  [[nodiscard]] std::vector<Release> releases(int grade) const {
    std::vector<Release> result{{.held_here = false, .jumping_before = false},
                                {.held_here = true, .jumping_before = false},
                                {.held_here = true, .jumping_before = true}};
    const int lowest = *std::min_element(grades_.grade.begin(), grades_.grade.end());
    for (int from = -1; grade == 0 && from >= lowest; --from) {
      result.push_back({.held_here = true, .jumping_before = true, .held_from = from});
    }
    for (std::size_t i = 1, n = result.size(); i < n; ++i) {
      result.push_back(result[i]);
      result.back().kept = true;
    }
    return result;
  }

  // Known before the first of what is held is released.
  void find_kept() {
    if (!is_kept_.empty()) {
      return;
    }
    is_kept_ = problem_.find_kept ? problem_.find_kept() : std::vector<std::uint8_t>();
    has_kept_ = std::any_of(is_kept_.begin(), is_kept_.end(), [](std::uint8_t flag) { return flag != 0; });
    is_kept_.resize(n_slots_, 0);
  }

  bool pass(int grade) {
    failed_ = {};
    std::vector<int> tier;
    std::vector<int> last_tier;
    for (const Release& release : releases(grade)) {
      if (release.kept && !has_kept_) {
        break;
      }
      if (release.held_here) {
        find_kept();
      }
      const int n_of_states = find_tiers(grade, release, tier);
      if (n_of_states < 0 || tier == last_tier) {
        continue;
      }
      last_tier = tier;
      for (std::size_t i = 0; i < counts_.size(); ++i) {
        const bool is_met_again = release.jumping_before || grades_.is_carried_row[i] != 0;
        const bool is_earlier = is_met_again && row_grade_[i] < grade;
        counts_[i] = row_grade_[i] == grade || is_earlier ? 1 : 0;
      }
      StartFound found = search_.find(tier, true, counts_);
      if (found.solved()) {
        search_.bring_nearest(tier, n_of_states, found, counts_);
        note_determined(tier, found.values);
        take(found.values);
        return true;
      }
      if (!release.jumping_before) {
        failed_ = std::move(found);
      }
    }
    return last_tier.empty() && rows_are_met(grade);
  }

  // Where nothing may change.
  [[nodiscard]] bool rows_are_met(int grade) const {
    std::vector<double> residual(row_grade_.size());
    if (!evaluate(residual)) {
      return false;
    }
    for (std::size_t i = 0; i < residual.size(); ++i) {
      if (row_grade_[i] == grade && !(std::abs(residual[i]) <= kConsistent)) {
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
  void note_determined(const std::vector<int>& tier, const std::vector<double>& values) {
    std::vector<int> free = tier;
    bool has_open = false;
    for (std::size_t j = 0; j < n_slots_; ++j) {
      free[j] = tier[j] == kHeldLevel || problem_.hold[j] == Hold::held ? kHeldLevel : 0;
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
    std::vector<double> residual(row_grade_.size());
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

  // Rows of a kind that are not met, the worst first; where all are met, those of the grade.
  [[nodiscard]] std::vector<std::size_t> blamed(int grade, bool jumps) const {
    const std::size_t first = jumps ? n_before_ : 0;
    const std::size_t end = jumps ? row_grade_.size() : n_before_;
    std::vector<std::size_t> rows;
    std::vector<std::size_t> all;
    double worst = 0.0;
    for (std::size_t i = 0; i < failed_.distance.size(); ++i) {
      worst = std::max(worst, failed_.distance[i]);
    }
    for (std::size_t i = first; i < end; ++i) {
      if (row_grade_[i] != grade) {
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

  [[nodiscard]] Diagnostics explain(int grade) const {
    Diagnostics diagnostics;
    const std::vector<std::size_t> jumps = blamed(grade, true);
    const std::vector<std::size_t> constraints = blamed(grade, false);
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
  std::vector<int> row_grade_;
  SlotGrades grades_;
  std::vector<std::uint8_t> is_kept_;  // by slot; empty: not asked for yet
  bool has_kept_ = false;
  std::vector<int> slot_grades_;  // that occur, the earliest first
  system::InitialProblem initial_;
  StartSearch search_;
  std::vector<std::uint8_t> counts_;
  std::vector<std::uint8_t> is_open_;
  StartFound failed_;
};

}  // namespace

Result<TransferValues> transfer_by_grades(const TransferProblem& problem, double t) {
  return GradedTransfer(problem, t).run();
}

}  // namespace saltus::reduce
