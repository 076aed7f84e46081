#include "locate/affine_exclusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus::locate {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Roundings in a sum of products of this length or in Horner's scheme of degree ≤ 9, with room to spare.
constexpr double kRoundings = 4.0;
// Roundings in the coefficients of θ, θ², …: combinations of the stages whose factors are up to about 20.
constexpr double kCoefficientRoundings = 32.0;
// Where the error test is off.
constexpr double kShareWithoutTest = 0.1;

}  // namespace

ExtensionError::ExtensionError(const integrate::Tolerances& tolerances, std::span<const double> x_start)
    : rtol(std::max(tolerances.rtol, kEpsilon)),
      floor(0.0),
      share_of_radius(tolerances.test_error ? 0.0 : kShareWithoutTest) {
  if (tolerances.norm == integrate::ErrorNorm::compere) {
    floor = 1.0;
    for (const double x : x_start) {
      floor = std::max(floor, std::abs(x));
    }
  }
}

AffineExclusion::AffineExclusion(Index n_states) : slots_(static_cast<std::size_t>(n_states), -1) {}

void AffineExclusion::clear() {
  for (const Index state : states_) {
    slots_[static_cast<std::size_t>(state)] = -1;
  }
  states_.clear();
  guards_.clear();
  terms_.clear();
}

void AffineExclusion::add(Index watch, const system::AffineGuard& guard, const Watch& what) {
  const auto first = static_cast<std::uint32_t>(terms_.size());
  for (std::size_t k = 0; k < guard.states.size(); ++k) {
    std::int32_t& slot = slots_[static_cast<std::size_t>(guard.states[k])];
    if (slot < 0) {
      slot = static_cast<std::int32_t>(states_.size());
      states_.push_back(guard.states[k]);
    }
    terms_.push_back({.coefficient = guard.coefficients[k], .slot = static_cast<std::uint32_t>(slot)});
  }
  guards_.push_back({.watch = watch,
                     .first_term = first,
                     .n_terms = static_cast<std::uint32_t>(guard.states.size()),
                     .time_coefficient = guard.time_coefficient,
                     .constant = guard.constant - what.level,
                     .rounding = kRoundings * kEpsilon * (std::abs(guard.constant) + std::abs(what.level)),
                     .side = what.side,
                     .starts_at_root = what.starts_at_root,
                     .is_threshold = guard.states.size() == 1 && guard.time_coefficient == 0.0});
  ranges_.resize(states_.size());
}

// x(θ) = (x + c₁/2) + c₁(θ - 1/2) + Σ_{p≥2} c_p θᵖ: a few operations, and not far from the range where a step is smooth.
void AffineExclusion::bound_states(const trajectory::SegmentView& segment,
                                   const integrate::Tolerances& tolerances, std::span<const double> x_start) {
  const ExtensionError extension_error(tolerances, x_start);
  const Index degree = segment.degree();
  const Index n = segment.n_states();
  const double* const coefficients = segment.coefficients().data();
  for (std::size_t slot = 0; slot < states_.size(); ++slot) {
    const double* c = coefficients + states_[slot];
    const double half = 0.5 * c[n];
    const double centre = *c + half;
    double radius = std::abs(half);
    c += n;
    for (Index p = 2; p <= degree; ++p) {
      c += n;
      radius += std::abs(*c);
    }
    const double error = extension_error(tolerances.atol[static_cast<std::size_t>(states_[slot])],
                                         std::abs(centre) + radius, radius);
    ranges_[slot] = {.centre = centre, .radius = radius + error, .error = error};
  }
}

AffineCurve AffineExclusion::curve(std::size_t entry, const trajectory::SegmentView& segment) const {
  const Guard& guard = guards_[entry];
  AffineCurve curve;
  const auto n_states = static_cast<std::size_t>(segment.n_states());
  curve.degree = static_cast<std::size_t>(segment.degree());
  const double* const rows = segment.coefficients().data();
  double magnitude = 0.0;
  for (std::size_t k = guard.first_term; k < guard.first_term + guard.n_terms; ++k) {
    const auto state = static_cast<std::size_t>(states_[terms_[k].slot]);
    const double coefficient = terms_[k].coefficient;
    for (std::size_t p = 0; p <= curve.degree; ++p) {
      const double part = coefficient * rows[p * n_states + state];
      curve.powers[p] += part;
      magnitude += (p == 0 ? kRoundings : kCoefficientRoundings) * std::abs(part);
    }
    curve.margin += std::abs(coefficient) * ranges_[terms_[k].slot].error;
  }
  const double at = guard.time_coefficient * segment.start().value();
  curve.powers[0] += guard.constant + at + guard.time_coefficient * segment.start().low();
  if (curve.degree > 0) {
    curve.powers[1] += guard.time_coefficient * segment.step();
  }
  curve.noise = kEpsilon * (magnitude + kRoundings * std::abs(at)) + guard.rounding;
  for (std::size_t p = 0; p <= curve.degree; ++p) {
    curve.powers[p] *= guard.side;
  }
  return curve;
}

bool AffineExclusion::certified_by_coefficients(std::size_t entry, const trajectory::SegmentView& segment,
                                                bool deflate) const {
  AffineCurve curve = this->curve(entry, segment);
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

bool AffineExclusion::certified_by_ranges(const Guard& guard) const {
  double value = guard.constant;
  double radius = guard.rounding;
  const std::uint32_t end = guard.first_term + guard.n_terms;
  for (std::uint32_t k = guard.first_term; k < end; ++k) {
    const Term& term = terms_[k];
    const Range& range = ranges_[term.slot];
    value += term.coefficient * range.centre;
    radius += std::abs(term.coefficient) * range.radius;
  }
  if (guard.time_coefficient != 0.0) {
    const double at = guard.time_coefficient * middle_time_;
    value += at;
    radius += std::abs(guard.time_coefficient) * half_step_ + kRoundings * kEpsilon * std::abs(at);
  }
  return guard.side * value > radius;
}

void AffineExclusion::certify(const trajectory::SegmentView& segment, const integrate::Tolerances& tolerances,
                              std::span<const double> x_start, bool deflate, std::vector<Index>& undecided) {
  if (segment.degree() < 1) {
    for (const Guard& guard : guards_) {
      undecided.push_back(guard.watch);
    }
    return;
  }
  bound_states(segment, tolerances, x_start);
  half_step_ = 0.5 * std::abs(segment.step());
  middle_time_ = segment.start().value() + 0.5 * segment.step();
  for (std::size_t entry = 0; entry < guards_.size(); ++entry) {
    const Guard& guard = guards_[entry];
    if (guard.is_threshold) {
      // One state against a constant: most guards of most models.
      const Term& term = terms_[guard.first_term];
      const Range& range = ranges_[term.slot];
      if (guard.side * (guard.constant + term.coefficient * range.centre) >
          guard.rounding + std::abs(term.coefficient) * range.radius) {
        continue;
      }
    } else if (certified_by_ranges(guard)) {
      continue;
    }
    if (!certified_by_coefficients(entry, segment, deflate)) {
      undecided.push_back(guard.watch);
    }
  }
}

}  // namespace saltus::locate
