#include "reduce/consistent/slot_grades.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "linalg/dense_matrix.hpp"
#include "linalg/rank_decision.hpp"
#include "reduce/nonlinear/probes.hpp"
#include "reduce/nonlinear/tiered_step.hpp"

namespace saltus::reduce {
namespace {

constexpr int kNone = std::numeric_limits<int>::max();
constexpr int kLastGrade = -1;

class GradeFinder {
 public:
  GradeFinder(const TransferProblem& problem, double t)
      : problem_(problem), t_(t), pattern_(problem.equations->pattern()), n_rows_(problem.grade.size()) {
    const bool has_rates =
        std::find(problem.hold.begin(), problem.hold.end(), Hold::rate) != problem.hold.end();
    grade_of_free_ = has_rates ? 0 : kLastGrade;
    result_.grade.assign(problem.hold.size(), kNone);
    result_.is_carried_slot.assign(problem.hold.size(), 0);
    result_.is_carried_row.assign(static_cast<std::size_t>(pattern_.n_rows), 0);
    for (std::size_t j = 0; j < problem.hold.size(); ++j) {
      result_.grade[j] = first_grade_after(j, std::numeric_limits<int>::min());
    }
  }

  SlotGrades run(const PatternParts& parts) {
    for (const PatternParts::Part& part : parts.parts) {
      if (static_cast<Index>(std::max(part.rows.size(), part.columns.size())) > kMostDense) {
        continue;
      }
      for (int grade = lowest(); grade < kLastGrade; ++grade) {
        find_columns(grade, part);
        if (!rates_.empty() && !states_.empty()) {
          pass_on_what_is_not_constrained(grade);
        }
      }
    }
    return std::move(result_);
  }

 private:
  template <class Visit>
  void for_each_row(std::size_t slot, Visit visit) const {
    for (Index e = pattern_.column_starts[slot]; e < pattern_.column_starts[slot + 1]; ++e) {
      const auto row = static_cast<std::size_t>(pattern_.rows[static_cast<std::size_t>(e)]);
      if (row < n_rows_) {  // no jump equation
        visit(row, static_cast<std::size_t>(e));
      }
    }
  }

  [[nodiscard]] int first_grade_after(std::size_t slot, int grade) const {
    if (problem_.hold[slot] == Hold::solved || problem_.hold[slot] == Hold::rate) {
      return 0;
    }
    int first = kNone;
    for_each_row(slot, [&](std::size_t row, std::size_t) {
      if (problem_.grade[row] > grade) {
        first = std::min(first, problem_.grade[row]);
      }
    });
    return first == kNone || first == 0 ? grade_of_free_ : first;
  }

  [[nodiscard]] int lowest() const {
    return problem_.grade.empty() ? 0 : *std::min_element(problem_.grade.begin(), problem_.grade.end());
  }

  void find_columns(int grade, const PatternParts::Part& part) {
    rates_.clear();
    states_.clear();
    rows_.clear();
    const std::vector<system::SlotInfo>& slots = problem_.equations->slots();
    for (const Index slot : part.columns) {
      const auto j = static_cast<std::size_t>(slot);
      const Hold hold = problem_.hold[j];
      if (result_.grade[j] == grade) {
        const bool is_rate = hold == Hold::open && slots[j].order > 0;
        if (is_rate || hold == Hold::held || hold == Hold::jumping) {
          (is_rate ? rates_ : states_).push_back(j);
        }
      }
    }
    for (const Index row : part.rows) {
      const auto i = static_cast<std::size_t>(row);
      if (i < n_rows_ && problem_.grade[i] == grade) {
        rows_.push_back(i);
      }
    }
  }

  // States whose columns vanish once the derivatives are eliminated, here and beside.
  void pass_on_what_is_not_constrained(int grade) {
    std::vector<std::uint8_t> is_constrained(states_.size(), 0);
    if (!has_entries_) {
      has_entries_ = true;
      here_ = entries_at(0.0);
      beside_ = entries_at(kDisplacement);
    }
    for (const std::optional<std::vector<double>>* entries : {&here_, &beside_}) {
      if (!*entries) {
        return;
      }
      const linalg::DenseMatrix states = columns(states_, **entries);
      const linalg::DenseMatrix left =
          transpose_times(linalg::rank_bases(columns(rates_, **entries)).corange, states);
      for (std::size_t k = 0; k < states_.size(); ++k) {
        const auto column = static_cast<Index>(k);
        double before = 0.0;
        double after = 0.0;
        for (const double entry : states.column(column)) {
          before = std::max(before, std::abs(entry));
        }
        for (const double entry : left.column(column)) {
          after = std::max(after, std::abs(entry));
        }
        is_constrained[k] = is_constrained[k] != 0 || after > linalg::kRankTolerance * before ? 1 : 0;
      }
    }
    for (std::size_t k = 0; k < states_.size(); ++k) {
      if (is_constrained[k] == 0) {
        pass_on(states_[k], grade);
      }
    }
  }

  void pass_on(std::size_t slot, int grade) {
    result_.grade[slot] = first_grade_after(slot, grade);
    for_each_row(slot, [&](std::size_t row, std::size_t) {
      result_.is_carried_row[row] = problem_.grade[row] == grade ? 1 : result_.is_carried_row[row];
    });
    for (const std::size_t rate : rates_) {
      for_each_row(rate, [&](std::size_t row, std::size_t) {
        if (result_.is_carried_row[row] != 0) {
          result_.is_carried_slot[rate] = 1;
        }
      });
    }
  }

  [[nodiscard]] std::optional<std::vector<double>> entries_at(double part) const {
    const std::vector<system::SlotInfo>& slots = problem_.equations->slots();
    std::vector<double> point = problem_.guess;
    for (std::size_t j = 0; j < point.size(); ++j) {
      const double value = std::isnan(point[j]) ? 0.0 : point[j];
      const double size = std::max(std::abs(value), slots[j].nominal);
      point[j] = value + part * size * std::sqrt(static_cast<double>(j) + 2.0);
    }
    const auto runner = problem_.equations->make_runner();
    runner->set_configuration(problem_.configuration);
    std::vector<double> entries(pattern_.n_entries());
    return runner->jacobian(t_, point, entries).ok() ? std::optional(std::move(entries)) : std::nullopt;
  }

  [[nodiscard]] linalg::DenseMatrix columns(const std::vector<std::size_t>& of,
                                            const std::vector<double>& entries) const {
    std::vector<Index> place(n_rows_, -1);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      place[rows_[k]] = static_cast<Index>(k);
    }
    linalg::DenseMatrix matrix(std::ssize(rows_), std::ssize(of));
    for (std::size_t k = 0; k < of.size(); ++k) {
      for_each_row(of[k], [&](std::size_t row, std::size_t e) {
        if (place[row] >= 0) {
          matrix(place[row], static_cast<Index>(k)) = entries[e];
        }
      });
    }
    return matrix;
  }

  const TransferProblem& problem_;
  double t_;
  const system::RectangularPattern& pattern_;
  std::size_t n_rows_;  // that are no jump equations
  int grade_of_free_ = kLastGrade;
  SlotGrades result_;
  std::vector<std::size_t> rates_;   // of the grade
  std::vector<std::size_t> states_;  // … whose first it is
  std::vector<std::size_t> rows_;
  bool has_entries_ = false;
  std::optional<std::vector<double>> here_;    // entries of the pattern at the guess
  std::optional<std::vector<double>> beside_;  // … and beside it
};

}  // namespace

SlotGrades find_slot_grades(const TransferProblem& problem, double t, const PatternParts& parts) {
  return GradeFinder(problem, t).run(parts);
}

}  // namespace saltus::reduce
