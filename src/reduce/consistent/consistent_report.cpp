#include "reduce/consistent/consistent_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/short_list.hpp"
#include "reduce/nonlinear/consistency.hpp"
#include "reduce/nonlinear/diagnostic_codes.hpp"

namespace saltus::reduce {
namespace {

constexpr std::size_t kMostRows = 3;  // of those that cannot be met
// Fixed slots that are released one by one to find what would fit.
constexpr std::size_t kMostReleased = 8;

template <class Item, class Text>
std::string list(std::span<const Item> items, Text text) {
  ShortList list;
  for (const Item& item : items) {
    list.add(text(item));
  }
  return list.text();
}

// For people: six digits say what would fit, and what an iteration left of zero is zero.
std::string number(double value) {
  return fmt::format("{:.6g}", std::abs(value) < 1e-7 ? 0.0 : value);
}

std::string times(int n) {
  return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n);
}

class Explanation {
 public:
  Explanation(StartSearch& search, const StartTiers& tiers, const StartFound& found)
      : search_(search),
        tiers_(tiers),
        found_(found),
        equations_(*search.problem().equations),
        guess_(search.problem().guess),
        residual_(found.residual) {
    find_rows();
  }

  Diagnostics run() {
    if (found_.outcome.status == DampedGaussNewton::Status::not_finite && found_.outcome.n_steps == 0) {
      report_not_finite();
    } else if (!blame_fixed() && !blame_initial_equations()) {
      report_no_values();
    }
    return std::move(diagnostics_);
  }

 private:
  struct Fit {
    std::size_t slot;
    double value;
  };

  [[nodiscard]] const std::string& name(std::size_t slot) const { return equations_.slots()[slot].name; }
  [[nodiscard]] const system::RowInfo& row(std::size_t i) const { return equations_.rows()[i]; }
  [[nodiscard]] bool is_initial(std::size_t i) const {
    return static_cast<Index>(i) >= equations_.n_rows() - search_.problem().n_initial_equations;
  }

  // The worst first.
  void find_rows() {
    rows_.resize(found_.distance.size());
    std::iota(rows_.begin(), rows_.end(), std::size_t{0});
    std::stable_sort(rows_.begin(), rows_.end(), [this](std::size_t a, std::size_t b) {
      return found_.distance[a] > found_.distance[b];
    });
    const double worst = rows_.empty() ? 0.0 : found_.distance[rows_[0]];
    std::erase_if(rows_, [this, worst](std::size_t i) {
      return !(found_.distance[i] > std::max(kConsistent, kBlamed * worst));
    });
    std::optional<std::size_t> first = rows_.empty() ? std::nullopt : std::optional(rows_[0]);
    span_ = first ? row(*first).span : std::nullopt;
  }

  // "'x^2 + y^2 = 1' (off by 3), …"
  [[nodiscard]] std::string rows_text() const {
    std::string result;
    for (std::size_t k = 0; k < std::min(rows_.size(), kMostRows); ++k) {
      const system::RowInfo& info = row(rows_[k]);
      result += fmt::format(
          "{}{}'{}' ({}off by {})", k > 0 ? ", " : "", is_initial(rows_[k]) ? "initial equation " : "",
          info.text, info.order > 0 ? fmt::format("an equation differentiated {}, ", times(info.order)) : "",
          fmt::format("{:.6g}", std::abs(residual_[rows_[k]])));
    }
    if (rows_.size() > kMostRows) {
      result += fmt::format(" and {} more", rows_.size() - kMostRows);
    }
    return result;
  }

  void add_notes(Diagnostic& diagnostic) const {
    for (std::size_t k = 1; k < std::min(rows_.size(), kMostRows); ++k) {
      if (row(rows_[k]).span) {
        diagnostic.notes.push_back({fmt::format("'{}'", row(rows_[k]).text), row(rows_[k]).span});
      }
    }
  }

  void report_not_finite() {
    const Index culprit = found_.outcome.culprit;
    const std::string text = culprit >= 0 ? fmt::format("'{}'", row(static_cast<std::size_t>(culprit)).text)
                                          : std::string("an equation");
    diagnostics_.error(kNoConsistentValues,
                       fmt::format("no consistent initial values: {} has no value at the start values", text),
                       culprit >= 0 ? row(static_cast<std::size_t>(culprit)).span : std::nullopt,
                       "give start values at which every equation can be evaluated");
  }

  // Whether the equations have a solution near the fixed values: then these contradict.
  bool blame_fixed() {
    if (!tiers_.has(StartTiers::kFixed)) {
      return false;
    }
    const StartFound released = search_.find(tiers_.released_from(StartTiers::kFixed), false);
    if (!released.solved()) {
      return false;
    }
    // Fixed values that had to move, and the others that stand in the same rows.
    std::vector<Fit> together;
    std::vector<Fit> involved;
    for (std::size_t j = 0; j < guess_.size(); ++j) {
      const double size = std::max(std::abs(guess_[j]), search_.nominal()[j]);
      const bool has_moved = std::abs(released.values[j] - guess_[j]) > kMoved * size;
      if (tiers_.of(j) == StartTiers::kFixed && (has_moved || is_in_rows(j))) {
        involved.push_back({j, released.values[j]});
        if (has_moved) {
          together.push_back(involved.back());
        }
      }
    }
    std::vector<Fit> alone;
    for (std::size_t k = 0; k < std::min(involved.size(), kMostReleased); ++k) {
      const std::size_t slot = involved[k].slot;
      const StartFound one = search_.find(tiers_.released_with(slot), true);
      if (one.solved()) {
        alone.push_back({slot, one.values[slot]});
      }
    }
    report_fixed(involved, together, alone);
    return true;
  }

  [[nodiscard]] bool is_in_rows(std::size_t slot) const {
    const system::RectangularPattern& pattern = equations_.pattern();
    for (Index e = pattern.column_starts[slot]; e < pattern.column_starts[slot + 1]; ++e) {
      const auto i = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)]);
      if (std::find(rows_.begin(), rows_.end(), i) != rows_.end()) {
        return true;
      }
    }
    return false;
  }

  void report_fixed(const std::vector<Fit>& involved, const std::vector<Fit>& together,
                    const std::vector<Fit>& alone) {
    const auto given = [this](const Fit& fit) {
      return fmt::format("{} = {}", name(fit.slot), number(guess_[fit.slot]));
    };
    const auto fitting = [this](const Fit& fit) {
      return fmt::format("{} = {}", name(fit.slot), number(fit.value));
    };
    const std::string hint = fmt::format(
        "{} would fit; or do not fix all of them",
        alone.empty() ? list(std::span(together), fitting)
                      : list(std::span(alone), fitting) + (alone.size() > 1 ? " (each alone)" : ""));
    const auto algebraic = std::find_if(alone.begin(), alone.end(),
                                        [this](const Fit& fit) { return tiers_.is_highest(fit.slot); });
    const bool is_hidden =
        std::any_of(rows_.begin(), rows_.end(), [this](std::size_t i) { return row(i).order > 0; });
    const std::string values = list(std::span(involved), given);
    if (algebraic != alone.end()) {
      add_notes(diagnostics_.error(
          kFixedAlgebraic,
          fmt::format("'{}' is fixed at {}, but the other variables determine it: {} cannot be met",
                      name(algebraic->slot), number(guess_[algebraic->slot]), rows_text()),
          span_, fmt::format("{} would fit; give it a start value that is not fixed", fitting(*algebraic))));
    } else if (is_hidden) {
      add_notes(diagnostics_.error(
          kFixedHiddenConstraint,
          fmt::format("the fixed values {} violate a condition that follows from the equations by "
                      "differentiation: {} cannot be met",
                      values, rows_text()),
          span_, hint));
    } else {
      add_notes(diagnostics_.error(
          kFixedConflict,
          fmt::format("the fixed values {} contradict the equations: {} cannot be met", values, rows_text()),
          span_, hint));
    }
  }

  bool blame_initial_equations() {
    const Index n = search_.problem().n_initial_equations;
    if (n == 0) {
      return false;
    }
    std::vector<std::uint8_t> counts(static_cast<std::size_t>(equations_.n_rows()), 1);
    std::fill(counts.end() - n, counts.end(), std::uint8_t{0});
    const StartFound without = search_.find(tiers_.released_from(StartTiers::kDifferential), false, counts);
    if (!without.solved()) {
      return false;
    }
    residual_ = without.residual;
    rows_.clear();
    for (std::size_t i = counts.size() - static_cast<std::size_t>(n); i < counts.size(); ++i) {
      if (std::abs(residual_[i]) > kConsistent) {
        rows_.push_back(i);
      }
    }
    span_ = rows_.empty() ? std::nullopt : row(rows_[0]).span;
    add_notes(diagnostics_.error(
        kInitialEquationConflict,
        fmt::format("the initial equations contradict the equations of the model: {} cannot be met",
                    rows_text()),
        span_, "drop an initial equation, or start values nearer to a solution"));
    return true;
  }

  void report_no_values() {
    if (equations_.is_linear()) {
      add_notes(diagnostics_.error(
          kEquationsContradict,
          fmt::format("the equations contradict each other at the start: {} cannot be met", rows_text()),
          span_, "no values of the variables satisfy all of them; remove or correct one"));
      return;
    }
    const bool has_ended = found_.outcome.status != DampedGaussNewton::Status::stuck;
    add_notes(diagnostics_.error(
        kNoConsistentValues,
        fmt::format("no consistent initial values were found: {} {}", rows_text(),
                    has_ended ? "did not converge" : "cannot be met near the start values"),
        span_, "start values nearer to a solution may help; otherwise the equations contradict each other"));
  }

  StartSearch& search_;
  const StartTiers& tiers_;
  const StartFound& found_;
  const system::EquationSet& equations_;
  const std::vector<double>& guess_;
  std::vector<double> residual_;
  std::vector<std::size_t> rows_;  // that cannot be met
  std::optional<SourceSpan> span_;
  Diagnostics diagnostics_;
};

}  // namespace

Diagnostics start_warnings(const system::EquationSet& equations, const ConsistentValues& values) {
  Diagnostics warnings;
  const auto name = [&equations](Index slot) {
    return equations.slots()[static_cast<std::size_t>(slot)].name;
  };
  if (!values.moved.empty()) {
    const std::string items = list(std::span(values.moved), [&name](const MovedStart& start) {
      return fmt::format("{} from {} to {}", name(start.slot), number(start.from), number(start.to));
    });
    warnings.warning(
        kStartMoved, "start values that are not fixed are moved, the equations do not allow them: " + items,
        std::nullopt,
        "give values that satisfy the equations, or write fixed = true where the value is meant");
  }
  if (!values.chosen.empty()) {
    const std::string items = list(std::span(values.chosen), [&](Index slot) {
      return fmt::format("{} = {}", name(slot), number(values.slots[static_cast<std::size_t>(slot)]));
    });
    warnings.warning(kStartChosen,
                     "nothing determines all of these at the start, values are chosen: " + items,
                     std::nullopt, "write start = … and fixed = true, or an initial equation");
  }
  if (!values.fixed_twice.empty()) {
    warnings.warning(kFixedTwice,
                     fmt::format("more is fixed than is free, and it fits; not all of these are needed: {}",
                                 list(std::span(values.fixed_twice), name)),
                     std::nullopt, "remove fixed = true from what follows from the others");
  }
  return warnings;
}

Diagnostics explain_contradiction(StartSearch& search, const StartTiers& tiers, const StartFound& found) {
  return Explanation(search, tiers, found).run();
}

}  // namespace saltus::reduce
