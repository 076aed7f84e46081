// EventSearch: the passage of one watch on the full extension, by what its guard is.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/machine.hpp"
#include "locate/event_search.hpp"

namespace saltus::locate {
namespace {

// Abscissae of the stages of the Dormand-Prince pair [DP80], for Detection::Rule::stages.
constexpr std::array<double, 5> kStagePoints{1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0};
constexpr int kPointsPerSample = 6;  // the source's 1 + 6k points [CMR16]
// Pieces of a step that are sampled one by one, at most.
constexpr double kMostSampledPieces = 1024.0;

}  // namespace

// Into how many pieces a step is cut where values at points are all there is.
int EventSearch::sampled_pieces() const {
  const double pieces = std::ceil(std::abs(step_->step_size()) / longest_sampled_piece_);
  return pieces > 1.0 ? static_cast<int>(std::min(pieces, kMostSampledPieces)) : 1;
}

// A step may be searched again.
void EventSearch::note_sampled(std::size_t index) {
  if (last_sampled_[index] != n_steps_) {
    last_sampled_[index] = n_steps_;
    ++n_sampled_[index];
  }
}

// The passage of one watch on the full extension, as far as `end`. What is within `least_noise` is zero; a root at the start too.
Passage EventSearch::passage(std::size_t index, double end, double least_noise) {
  const bool deflate = deflates(index) && least_noise == 0.0;
  if (is_located_as_affine(index)) {
    affine_curve_ = affine_.curve(affine_entries_[index], segment_, ranges_);
    BernsteinArray powers;
    double power = 1.0;
    for (std::size_t p = 0; p <= affine_curve_.degree; ++p) {
      powers[p] = affine_curve_.powers[p] * power;
      power *= reach_;
    }
    return finder_.polynomial(std::span<double>(powers).first(affine_curve_.degree + 1), reach_,
                              std::max(affine_curve_.noise, least_noise), deflate);
  }
  const GuardCurve curve = this->curve(index);
  // The state on the extension has rounding errors too: of its value, and of what it moves by; that is seen from how far the guard moves.
  const double moves = std::abs(curve(end) - curve(0.0));
  const double of_moves = std::isnan(moves) ? 0.0 : kCoefficientRoundings * kEpsilon * moves;
  const bool is_opaque = shapes_[index].kind == system::GuardShape::Kind::opaque;
  const double of_states = is_opaque ? 0.0 : errors(index).roundings;
  const CurveTask task{.curve = &curve,
                       .end = end,
                       .noise = std::max(noise(curve, end) + of_states + of_moves, least_noise),
                       .deflate = deflate,
                       .is_end_of_step = end == reach_,
                       .is_instant = is_instant_};
  if (detection_.rule != Detection::Rule::bound) {
    return sampled_signs(task);
  }
  if (projects() && errors(index).reads_constraints) {
    // On the constraints the curve has no degree, and boxes around the extension reach across them: errors of the states outweigh what a
    // shorter piece would gain.
    note_sampled(index);
    return finder_.sampled(task, resolution_, sampled_pieces());
  }
  switch (shapes_[index].kind) {
    case system::GuardShape::Kind::polynomial: {
      const auto degree = static_cast<std::size_t>(shapes_[index].degree) *
                          static_cast<std::size_t>(std::max<Index>(segment_.degree(), 1));
      if (degree <= kMaxBernsteinDegree) {
        return finder_.sampled_polynomial(task, degree);
      }
      [[fallthrough]];
    }
    case system::GuardShape::Kind::enclosed:
    case system::GuardShape::Kind::implicit: {
      is_sampled_ = false;
      const Passage found =
          finder_.enclosed(task,
                           {.guards = evaluator_,
                            .segment = &segment_,
                            .boxes = &enclosure_,
                            .n_enclosures = &counters_.enclosures,
                            .is_implicit = shapes_[index].kind == system::GuardShape::Kind::implicit,
                            .is_sampled = &is_sampled_},
                           resolution_);
      if (is_sampled_) {
        note_sampled(index);
      }
      return found;
    }
    case system::GuardShape::Kind::opaque: break;
  }
  return finder_.sampled(task, resolution_, sampled_pieces());
}

// Signs at points, for comparison with other codes (D3).
Passage EventSearch::sampled_signs(const CurveTask& task) const {
  double last = 0.0;
  const int n_points = detection_.rule == Detection::Rule::ends     ? 1
                       : detection_.rule == Detection::Rule::stages ? static_cast<int>(kStagePoints.size())
                                                                    : kPointsPerSample * detection_.n_samples;
  for (int k = 1; k <= n_points; ++k) {
    const double point = detection_.rule == Detection::Rule::stages
                             ? kStagePoints[static_cast<std::size_t>(k - 1)]
                             : static_cast<double>(k) / static_cast<double>(n_points);
    const double theta = point * task.end;
    const double f = (*task.curve)(theta);
    if (std::isnan(f)) {
      return {Passage::Kind::failed, last, theta};
    }
    if (f < 0.0 || (f == 0.0 && theta == task.end)) {
      return {Passage::Kind::bracket, last, theta};
    }
    last = theta;
  }
  return {};
}

}  // namespace saltus::locate
