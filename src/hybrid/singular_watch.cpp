#include "hybrid/singular_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reduce/nonlinear/pattern_parts.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::hybrid {
namespace {

// A divisor at its root beside its size at the ends of the step: a pole is the opposite.
constexpr double kVanished = 1e-6;
// Condition of an array that has lost a rank up to the accuracy with which its root was found.
constexpr double kSingularCondition = 1e8;
constexpr int kBisections = 60;  // to a spacing of doubles
// Rates are moved by this part of their nominal values to see both sides of a fold.
constexpr double kBeside = 1e-3;
// Unknowns of one part of the matrix up to which that is looked at.
constexpr Index kMostUnknowns = 300;

// Of the determinant of a matrix of order n, column by column, which is used up.
double sign_of_determinant(std::span<double> a, std::size_t n) {
  double sign = 1.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      pivot = std::abs(a[i + k * n]) > std::abs(a[pivot + k * n]) ? i : pivot;
    }
    if (!(std::abs(a[pivot + k * n]) > 0.0)) {
      return 0.0;
    }
    for (std::size_t j = k; j < n && pivot != k; ++j) {
      std::swap(a[k + j * n], a[pivot + j * n]);
    }
    sign *= (pivot != k) != (a[k + k * n] < 0.0) ? -1.0 : 1.0;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i + k * n] / a[k + k * n];
      for (std::size_t j = k + 1; j < n && factor != 0.0; ++j) {
        a[i + j * n] -= factor * a[k + j * n];
      }
    }
  }
  return sign;
}

}  // namespace

bool SingularWatch::evaluate(double t, std::span<const double> x, std::vector<double>& values) {
  values.resize(static_cast<std::size_t>(state_.at.field().n_divisors()));
  return !values.empty() && state_.at.field().divisors(t, x, values).ok() &&
         std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

void SingularWatch::restarted() {
  before_.clear();
  if (state_.at.is_sliding() || state_.at.is_at_rest()) {
    return;
  }
  if (state_.at.mode().by_ranks != nullptr &&
      !state_.at.mode().by_ranks->freeze_divisors(state_.at.time(), state_.at.x())) {
    return;
  }
  if (!evaluate(state_.at.time(), state_.at.x(), before_)) {
    before_.clear();
  }
  largest_.assign(before_.size(), 0.0);
  is_ahead_ = false;
}

double SingularWatch::find_root(std::size_t divisor, const trajectory::SegmentView& segment, double until) {
  double low = 0.0;
  double high = until;
  for (int k = 0; k < kBisections; ++k) {
    const double middle = 0.5 * (low + high);
    segment.evaluate(middle, probe_);
    if (!evaluate(segment.start_time() + middle * segment.step(), probe_, between_)) {
      return middle;  // no value: this is the point
    }
    (between_[divisor] * before_[divisor] > 0.0 ? low : high) = middle;
  }
  return high;
}

// In modes reduced by ranks a pivot may vanish where another choice of pivots does not.
bool SingularWatch::is_singular(const trajectory::SegmentView& segment, double theta) {
  reduce::ArrayEvaluator* const array = state_.at.mode().by_ranks;
  if (array == nullptr) {
    return true;
  }
  bool has_changed = false;
  segment.evaluate(theta, probe_);
  return !array->check(segment.start_time() + theta * segment.step(), probe_, has_changed).ok() ||
         has_changed || array->condition() > kSingularCondition;
}

bool SingularWatch::find_after(double until) {
  const integrate::Stepper& stepper = state_.at.mode().engine->stepper();
  probe_.resize(state_.at.x().size());
  if (until < 1.0) {
    const trajectory::SegmentView segment = state_.open_segment();
    segment.evaluate(until, probe_);
    t_end_ = segment.start_time() + until * segment.step();
  } else {
    std::copy(stepper.state().begin(), stepper.state().end(), probe_.begin());
    t_end_ = stepper.time().value();
  }
  return evaluate(t_end_, probe_, after_) && after_.size() == before_.size();
}

// Along one solution a determinant tends to zero before it changes its sign (or has a pole). Where it leaps from one sign to the
// other it belongs to another solution; where rates are not given linearly it does in any case.
bool SingularWatch::meets_fold(double until) {
  const auto form = state_.at.mode().locked->residual_form();
  const bool is_nonlinear_in_rates = form != nullptr && !form->nonlinear_derivatives().empty();
  for (std::size_t k = 0; k < before_.size() && state_.at.mode().by_ranks == nullptr; ++k) {
    largest_[k] = std::max({largest_[k], std::abs(before_[k]), std::abs(after_[k])});
    fold_ = k;
    if (is_nonlinear_in_rates && std::abs(before_[k]) <= kVanished * largest_[k] &&
        std::abs(after_[k]) <= kVanished * largest_[k] && lies_on_fold(*form)) {
      return true;
    }
    if (!(before_[k] * after_[k] < 0.0)) {
      continue;
    }
    if (is_nonlinear_in_rates) {
      return true;
    }
    const trajectory::SegmentView segment = state_.open_segment();
    const double theta = find_root(k, segment, until);
    segment.evaluate(theta, probe_);
    const double size = std::max(std::abs(before_[k]), std::abs(after_[k]));
    if (evaluate(segment.start_time() + theta * segment.step(), probe_, between_) &&
        std::abs(between_[k]) > kVanished * size && std::abs(between_[k]) < size / kVanished) {
      return true;
    }
  }
  return false;
}

// At the end of what is to be kept: whether ∂r/∂(ẋ, z) has another sign for larger and for smaller rates. At rest under q|q| = p it has not.
// The sign is that of the part of the matrix in which the rate stands: others do not change.
bool SingularWatch::lies_on_fold(const system::EquationSet& form) {
  system::EquationRunner* const runner = state_.at.field().residual_runner();
  const auto n_y = static_cast<std::size_t>(form.n_rows());
  const std::size_t n = probe_.size();
  const system::RectangularPattern& pattern = form.pattern();
  if (runner == nullptr || static_cast<std::size_t>(form.n_slots()) != n_y + n) {
    return false;
  }
  std::vector<double> slots(n_y + n);
  std::vector<double> entries(pattern.n_entries());
  const std::span<double> rates = std::span(slots).subspan(n_y);
  if (!state_.at.field().residual_point(t_end_, probe_, std::span(slots).first(n_y), rates).ok()) {
    return false;
  }
  std::vector<std::uint8_t> takes_part(n_y + n, 1);
  std::fill_n(takes_part.begin(), n, std::uint8_t{0});  // the states themselves
  const reduce::PatternParts parts = reduce::find_parts(pattern, takes_part);
  std::vector<double> matrix;
  std::vector<std::size_t> place(n_y);
  const auto sign_beside = [&](std::size_t rate, double change) {
    const reduce::PatternParts::Part& part =
        parts.parts[static_cast<std::size_t>(parts.of_column[n_y + rate])];
    const std::size_t size = part.rows.size();
    const double kept = std::exchange(rates[rate], rates[rate] + change);
    const bool is_known = runner->jacobian(t_end_, slots, entries).ok();
    rates[rate] = kept;
    if (!is_known || size != part.columns.size() || static_cast<Index>(size) > kMostUnknowns) {
      return 0.0;
    }
    for (std::size_t i = 0; i < size; ++i) {
      place[static_cast<std::size_t>(part.rows[i])] = i;
    }
    matrix.assign(size * size, 0.0);
    for (std::size_t column = 0; column < size; ++column) {
      const auto slot = static_cast<std::size_t>(part.columns[column]);
      for (Index e = pattern.column_starts[slot]; e < pattern.column_starts[slot + 1]; ++e) {
        const auto entry = static_cast<std::size_t>(e);
        matrix[place[static_cast<std::size_t>(pattern.rows[entry])] + column * size] = entries[entry];
      }
    }
    return sign_of_determinant(matrix, size);
  };
  for (const Index state : form.nonlinear_derivatives()) {
    const auto i = static_cast<std::size_t>(state);
    const double change = kBeside * form.slots()[n_y + i].nominal;
    if (sign_beside(i, change) * sign_beside(i, -change) < 0.0) {
      return true;
    }
  }
  return false;
}

std::string SingularWatch::fold_text() const {
  const std::string text = state_.at.field().divisor_info(static_cast<Index>(fold_)).text;
  return text.empty() ? "the determinant of the equations" : text;
}

bool SingularWatch::has_arrived() const {
  return is_ahead_ && fold_ < before_.size() && std::abs(before_[fold_]) <= kVanished * largest_[fold_];
}

bool SingularWatch::lies_on_singular_point() {
  for (fold_ = 0; fold_ < before_.size(); ++fold_) {
    if (std::abs(before_[fold_]) <= kVanished * largest_[fold_]) {
      return true;
    }
  }
  return false;
}

SingularWatch::Verdict SingularWatch::look(double until) {
  if (before_.empty() || !find_after(until)) {
    return Verdict::keep;
  }
  if (meets_fold(until)) {
    return Verdict::fold;
  }
  const bool must_stop = state_.options().stops_at_singular_points;
  if (const auto point = must_stop || n_told_ < kMostTold ? passed(until) : std::nullopt) {
    const auto divisor = static_cast<Index>(point->second);
    if (must_stop && state_.at.field().divisor_info(divisor).gives_rates) {
      fold_ = point->second;
      is_ahead_ = true;
      return Verdict::singular;
    }
    if (n_told_ < kMostTold) {
      tell(point->first, divisor);
    }
  }
  step_kept(until);
  return Verdict::keep;
}

// The time of a singular point of the step up to θ = `until`, and the divisor that vanishes there.
std::optional<std::pair<double, std::size_t>> SingularWatch::passed(double until) {
  for (std::size_t k = 0; k < before_.size(); ++k) {
    if (!(before_[k] * after_[k] < 0.0)) {
      continue;
    }
    const trajectory::SegmentView segment = state_.open_segment();
    const double theta = find_root(k, segment, until);
    segment.evaluate(theta, probe_);
    const double t = segment.start_time() + theta * segment.step();
    const double size = kVanished * std::max(std::abs(before_[k]), std::abs(after_[k]));
    if ((!evaluate(t, probe_, between_) || std::abs(between_[k]) <= size) && is_singular(segment, theta)) {
      return std::pair(t, k);
    }
  }
  return std::nullopt;
}

void SingularWatch::step_kept(double until) {
  // A divisor that is zero at the end keeps the sign that it had.
  for (std::size_t k = 0; k < before_.size(); ++k) {
    before_[k] = after_[k] != 0.0 ? after_[k] : before_[k];
  }
  if (state_.at.mode().by_ranks != nullptr && until == 1.0) {
    const std::span<const double> end = state_.at.mode().engine->stepper().state();
    std::copy(end.begin(), end.end(), probe_.begin());
    if (!state_.at.mode().by_ranks->freeze_divisors(t_end_, probe_) || !evaluate(t_end_, probe_, before_)) {
      before_.clear();
    }
  }
}

void SingularWatch::tell(double t, Index divisor) {
  ++n_told_;
  const std::string text = state_.at.field().divisor_info(divisor).text;
  state_.warn(settle::kSingularPoint,
              fmt::format("singular point passed near t = {:.9g}{}", t,
                          text.empty() ? std::string(": the equations lose rank there")
                                       : fmt::format(": {} changes its sign there", text)),
              fmt::format("several solutions may pass through such a point, the one that is shown is the one "
                          "that the steps led "
                          "to{}",
                          n_told_ == kMostTold ? "; further points are not told" : ""));
}

}  // namespace saltus::hybrid
