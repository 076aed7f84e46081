#include "locate/affine_exclusion.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"

namespace saltus::locate {
namespace {

// Roundings in a sum of products of this length or in Horner's scheme of degree ≤ 9, with room to spare.
constexpr double kRoundings = 4.0;
// Of the distance from zero, what a box may use up; the rest, at least a tenth of what the guard moves by over ranges that are
// wider than 64 spacings of the states, covers rounding errors.
constexpr double kShareOfMargin = 0.9;
// Ranges of a step that a box reaches beyond it.
constexpr double kLargestGrowth = 1e6;

}  // namespace

void AffineExclusion::clear() {
  guards_.clear();
  terms_.clear();
  limits_.clear();
  open_.clear();
  thresholds_.clear();
  sums_.clear();
}

void AffineExclusion::add(Index watch, const system::AffineGuard& guard, const Watch& what,
                          StepRanges& ranges) {
  const auto first = static_cast<std::uint32_t>(terms_.size());
  for (std::size_t k = 0; k < guard.states.size(); ++k) {
    terms_.push_back(
        {.coefficient = what.side * guard.coefficients[k], .slot = ranges.slot(guard.states[k])});
  }
  const auto entry = static_cast<std::uint32_t>(guards_.size());
  guards_.push_back({.watch = watch,
                     .first_term = first,
                     .n_terms = static_cast<std::uint32_t>(guard.states.size()),
                     .time_coefficient = what.side * guard.time_coefficient,
                     .constant = what.side * (guard.constant - what.level),
                     .rounding = kRoundings * kEpsilon * (std::abs(guard.constant) + std::abs(what.level)),
                     .starts_at_root = what.starts_at_root});
  if (guard.states.size() == 1 && guard.coefficients[0] != 0.0 && guard.time_coefficient == 0.0) {
    thresholds_.push_back(entry);
  } else {
    sums_.push_back(entry);
  }
  open_.reserve(guards_.size());
}

// a x + c > rounding, solved for x.
void AffineExclusion::make_limits(std::size_t n_slots) {
  limits_.assign(n_slots, {-kInfinity, kInfinity});
  for (const std::uint32_t entry : thresholds_) {
    const Guard& guard = guards_[entry];
    const auto& [coefficient, slot] = terms_[guard.first_term];
    const double zero = -guard.constant / coefficient;
    const double rounding = guard.rounding / std::abs(coefficient) + kRoundings * kEpsilon * std::abs(zero);
    Interval& limits = limits_[slot];
    if (coefficient > 0.0) {
      limits.lower = std::max(limits.lower, zero + rounding);
    } else {
      limits.upper = std::min(limits.upper, zero - rounding);
    }
  }
}

bool AffineExclusion::within_limits(const StepRanges& ranges) const {
  bool result = true;
  for (std::size_t slot = 0; slot < limits_.size(); ++slot) {
    const Interval& range = ranges.ranges()[slot];
    result = result && range.lower > limits_[slot].lower && range.upper < limits_[slot].upper;
  }
  return result;
}

AffineCurve AffineExclusion::curve(std::size_t entry, const trajectory::SegmentView& segment,
                                   const StepRanges& ranges) const {
  const Guard& guard = guards_[entry];
  AffineCurve curve;
  const auto n_states = static_cast<std::size_t>(segment.n_states());
  curve.degree = static_cast<std::size_t>(segment.degree());
  const double* const rows = segment.coefficients().data();
  double magnitude = 0.0;
  for (std::size_t k = guard.first_term; k < guard.first_term + guard.n_terms; ++k) {
    const auto state = static_cast<std::size_t>(ranges.state(terms_[k].slot));
    const double coefficient = terms_[k].coefficient;
    for (std::size_t p = 0; p <= curve.degree; ++p) {
      const double part = coefficient * rows[p * n_states + state];
      curve.powers[p] += part;
      magnitude += (p == 0 ? kRoundings : kCoefficientRoundings) * std::abs(part);
    }
    curve.margin += std::abs(coefficient) * ranges.error(terms_[k].slot);
  }
  const double at = guard.time_coefficient * segment.start().value();
  curve.powers[0] += guard.constant + at + guard.time_coefficient * segment.start().low();
  if (curve.degree > 0) {
    curve.powers[1] += guard.time_coefficient * segment.step();
  }
  curve.noise = kEpsilon * (magnitude + kRoundings * std::abs(at)) + guard.rounding;
  return curve;
}

bool AffineExclusion::certified_by_coefficients(std::size_t entry, const trajectory::SegmentView& segment,
                                                const StepRanges& ranges, bool deflate) const {
  AffineCurve curve = this->curve(entry, segment, ranges);
  std::span<double> b = std::span<double>(curve.powers).first(curve.degree + 1);
  double margin = curve.margin + curve.noise;
  if (deflate && guards_[entry].starts_at_root) {
    b = b.subspan(1);
    margin *= kDeflatedError;
  }
  power_to_bernstein(b);
  const auto [least, largest] = std::minmax_element(b.begin(), b.end());
  // Zero all along is no event.
  return *least > margin || (*least >= -curve.noise && *largest <= curve.noise);
}

double AffineExclusion::margin(const Guard& guard, const StepRanges& ranges) const {
  double least = guard.constant;
  double rounding = guard.rounding;
  const std::uint32_t end = guard.first_term + guard.n_terms;
  for (std::uint32_t k = guard.first_term; k < end; ++k) {
    const Term& term = terms_[k];
    const Interval& range = ranges.range(term.slot);
    least += std::min(term.coefficient * range.lower, term.coefficient * range.upper);
  }
  if (guard.time_coefficient != 0.0) {
    const double first = guard.time_coefficient * ranges.time().lower;
    const double last = guard.time_coefficient * ranges.time().upper;
    least += std::min(first, last);
    rounding += kRoundings * kEpsilon * std::max(std::abs(first), std::abs(last));
  }
  return least - rounding;
}

void AffineExclusion::check(std::span<const std::uint32_t> entries, const StepRanges& ranges) {
  for (const std::uint32_t entry : entries) {
    if (!(margin(guards_[entry], ranges) > 0.0)) {
      open_.push_back(entry);
    }
  }
}

bool AffineExclusion::certify_by_ranges(const StepRanges& ranges, bool is_first) {
  open_.clear();
  if (!is_first && limits_.empty()) {
    make_limits(ranges.size());
  }
  if (limits_.empty() || !within_limits(ranges)) {
    check(thresholds_, ranges);
  }
  check(sums_, ranges);
  return open_.empty();
}

// Every state may go on by the same number of its own ranges towards zero; away from zero, without end.
bool AffineExclusion::limit(const StepRanges& ranges, TrustedBox& box) const {
  for (std::size_t slot = 0; slot < limits_.size(); ++slot) {
    box.limit(static_cast<Slot>(slot), limits_[slot]);
  }
  const auto width = [](const Interval& interval) { return interval.upper - interval.lower; };
  const auto towards_zero = [&width](double coefficient, const Interval& range, double growth) {
    const double by = growth * width(range);
    return coefficient > 0.0 ? Interval{range.lower - by, kInfinity} : Interval{-kInfinity, range.upper + by};
  };
  for (const std::uint32_t entry : sums_) {
    const Guard& guard = guards_[entry];
    const std::span<const Term> terms =
        std::span<const Term>(terms_).subspan(guard.first_term, guard.n_terms);
    double spent = std::abs(guard.time_coefficient) * width(ranges.time());
    for (const Term& term : terms) {
      spent += std::abs(term.coefficient) * width(ranges.range(term.slot));
    }
    const double growth = std::min(kShareOfMargin * margin(guard, ranges) / spent, kLargestGrowth);
    if (!(growth >= kLeastGrowth)) {
      return false;
    }
    for (const Term& term : terms) {
      box.limit(term.slot, towards_zero(term.coefficient, ranges.range(term.slot), growth));
    }
    if (guard.time_coefficient != 0.0) {
      box.limit_time(towards_zero(guard.time_coefficient, ranges.time(), growth));
    }
  }
  return true;
}

void AffineExclusion::certify_by_coefficients(const trajectory::SegmentView& segment,
                                              const StepRanges& ranges, bool deflate,
                                              std::vector<Index>& undecided) const {
  for (const std::uint32_t entry : open_) {
    if (!certified_by_coefficients(entry, segment, ranges, deflate)) {
      undecided.push_back(guards_[entry].watch);
    }
  }
}

bool AffineExclusion::fits(std::size_t n_watches, std::size_t n_slots) const {
  const auto has_entries = [this](const std::vector<std::uint32_t>& list) {
    return std::all_of(list.begin(), list.end(),
                       [this](std::uint32_t entry) { return entry < guards_.size(); });
  };
  return (limits_.empty() || limits_.size() == n_slots) && has_entries(thresholds_) && has_entries(sums_) &&
         has_entries(open_) &&
         std::all_of(guards_.begin(), guards_.end(),
                     [&](const Guard& guard) {
                       return guard.watch >= 0 && guard.watch < static_cast<Index>(n_watches) &&
                              std::size_t{guard.first_term} + guard.n_terms <= terms_.size();
                     }) &&
         std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) { return term.slot < n_slots; });
}

}  // namespace saltus::locate
