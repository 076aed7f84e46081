#include "locate/event_search.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "base/time_tolerance.hpp"
#include "saltus/contract.hpp"

namespace saltus::locate {
namespace {

// Interpolants are resolved at least this well, however coarse the tolerance.
constexpr double kCoarsestResolution = 1e-4;
// How often an event is moved to where the equations hold and looked for again.
constexpr int kSettlings = 3;
// … which may lie so much further off afterwards: what was moved there is that much too large.
constexpr double kSettledReach = 1.1;
// The smallest share of a step that `refine` suggests.
constexpr double kRefineShare = 0.5;
// Roots this many instants after the first may be the same one: their noise decides.
constexpr double kNoiseWindow = 16.0;
// Where the displacement by projection is looked at, and how many times as large it may be elsewhere in the step.
constexpr double kMiddle = 0.5;
constexpr double kDisplacementMargin = 2.0;

bool is_affine(const system::GuardShape& shape) {
  return shape.kind == system::GuardShape::Kind::polynomial && shape.degree <= 1;
}

}  // namespace

EventSearch::EventSearch(Index n_states, Detection detection)
    : n_states_(n_states),
      detection_(detection),
      ranges_(n_states),
      curved_(n_states),
      implicit_(n_states),
      enclosure_(n_states),
      x_(static_cast<std::size_t>(n_states)) {
  SALTUS_EXPECT(detection.rule != Detection::Rule::samples || detection.n_samples >= 1,
                "sampling needs a number of samples");
}

void EventSearch::fields(Archive& a) {
  // Not saved: n_states_, detection_, longest_sampled_piece_; evaluator_ (rejoin()); what a search works with and leaves nothing of: finder_,
  // step_, segment_, has_segment_, affine_curve_, x_, gradient_, errors_, n_searches_, curved_candidates_, candidates_, failed_, retry_,
  // crossings_, is_instant_, is_sampled_, evaluation_.
  a(watches_, shapes_, affine_entries_, ranges_, box_, affine_, curved_, implicit_, opaque_, enclosure_,
    n_leaving_, has_origin_, at_origin_, origin_, has_taken_full_, reach_, resolution_, displacement_,
    n_steps_, n_sampled_, last_sampled_, guard_watches_, counters_);
  const std::size_t n = watches_.size();
  errors_.assign(n, {});
  const std::size_t n_slots = ranges_.size();
  const bool has_sizes = shapes_.size() == n && affine_entries_.size() == n && n_sampled_.size() == n &&
                         last_sampled_.size() == n;
  const auto is_wrong = [](const Watch& watch) { return watch.guard < 0 || std::abs(watch.side) != 1.0; };
  const bool fits = has_sizes && std::none_of(watches_.begin(), watches_.end(), is_wrong) &&
                    box_.fits(n_slots) && affine_.fits(n, n_slots) && curved_.fits(watches_, n_slots) &&
                    implicit_.fits(watches_, n_slots) && opaque_.fits(watches_) &&
                    std::all_of(affine_entries_.begin(), affine_entries_.end(),
                                [this](std::uint32_t entry) { return entry <= affine_.n_guards(); });
  if (a.is_loading() && a.ok() && !fits) {
    a.refuse("what is watched does not fit");
  }
}

void EventSearch::watch(system::ProjectedGuards& evaluator, std::span<const Watch> watches) {
  count_watches();
  evaluator_ = &evaluator;
  watches_.assign(watches.begin(), watches.end());
  shapes_.clear();
  affine_entries_.clear();
  ranges_.clear();
  box_.forget();
  affine_.clear();
  opaque_.clear();
  curved_.clear();
  implicit_.clear();
  std::uint32_t n_affine = 0;
  for (std::size_t index = 0; index < watches_.size(); ++index) {
    const Watch& what = watches_[index];
    SALTUS_EXPECT(what.side == 1.0 || what.side == -1.0, "the side of a watch is +1 or -1");
    shapes_.push_back(evaluator.guard_shape(what.guard));
    affine_entries_.push_back(n_affine);
    if (is_affine(shapes_.back())) {
      affine_.add(static_cast<Index>(index), evaluator.affine_guard(what.guard), what, ranges_);
      ++n_affine;
    } else if (shapes_.back().kind == system::GuardShape::Kind::opaque) {
      opaque_.add(static_cast<Index>(index), what);
    } else if (shapes_.back().kind == system::GuardShape::Kind::implicit) {
      implicit_.add(static_cast<Index>(index), what, evaluator, ranges_);
    } else {
      curved_.add(static_cast<Index>(index), what, evaluator, ranges_);
    }
  }
  errors_.assign(watches_.size(), {});
  n_sampled_.assign(watches_.size(), 0);
  last_sampled_.assign(watches_.size(), 0);
  n_leaving_ = static_cast<int>(std::count_if(watches_.begin(), watches_.end(),
                                              [](const Watch& watch) { return watch.departure.is_leaving; }));
  for (const Watch& what : watches_) {
    guard_watches_.resize(std::max(guard_watches_.size(), static_cast<std::size_t>(what.guard) + 1));
  }
  curved_candidates_.reserve(watches_.size());
  candidates_.reserve(watches_.size());
  crossings_.reserve(watches_.size());
  failed_.reserve(watches_.size());
  retry_.reserve(watches_.size());
  has_origin_ = false;
}

void EventSearch::make_segment() const {
  if (!has_segment_ && step_ != nullptr) {
    step_->make_output_extension(segment_);
    has_segment_ = true;
  }
}

GuardCurve EventSearch::curve(std::size_t index) {
  const GuardCurve curve(*evaluator_, segment_, watches_[index], x_, counters_.guard_evaluations,
                         evaluation_);
  return projects() && errors(index).reads_constraints ? curve.on_constraints() : curve;
}

// Up to `end`. A guard that has no value there (behind another event) has an infinite noise there, which says nothing of what lies before: with
// it nothing would count as a crossing.
double EventSearch::noise(const GuardCurve& curve, double end) {
  const double at_start = curve.noise(0.0);
  const double at_end = curve.noise(end);
  return std::isfinite(at_end) ? std::max(at_start, at_end) : at_start;
}

// Whether a guard that crosses is on the other side at the end of the step.
bool EventSearch::goes_through() {
  return std::any_of(crossings_.begin(), crossings_.end(), [this](const Crossing& crossing) {
    return curve(static_cast<std::size_t>(crossing.watch))(1.0) < 0.0;
  });
}

SearchResult EventSearch::first_event(integrate::DenseStep& step, double time_scale, double reach) {
  SALTUS_EXPECT(reach >= 1.0 && reach <= kExtrapolationLimit, "the extension reaches from 1 to 1.3");
  SALTUS_EXPECT(std::ssize(step.step_start_state()) == n_states_,
                "the search was made for another number of states");
  crossings_.clear();
  candidates_.clear();
  evaluation_ = {};
  reach_ = reach;
  step_ = &step;
  has_segment_ = false;
  has_taken_full_ = false;
  const trajectory::CompensatedTime& start = step.step_start_time();
  if (!has_origin_) {
    origin_ = start;
    has_origin_ = true;
  }
  at_origin_ = start.value() == origin_.value() && start.low() == origin_.low();
  if (watches_.empty()) {
    return {};
  }
  ++n_steps_;
  ++n_searches_;
  // Ranges of the standard extension would be wrong by more than they are widened by.
  if (step.output_extension() == integrate::DenseOutput::full) {
    evaluation_ = step.dense_output(integrate::DenseOutput::full, segment_);
    has_segment_ = evaluation_.ok();
    if (!has_segment_) {
      return {.kind = SearchResult::Kind::failed, .evaluation = evaluation_};
    }
  }
  exclude(step);
  if (candidates_.empty()) {
    return {};
  }
  ++counters_.full_extensions;
  has_taken_full_ = step.output_extension() == integrate::DenseOutput::standard;
  evaluation_ = step.dense_output(integrate::DenseOutput::full, segment_);
  has_segment_ = evaluation_.ok();
  if (!evaluation_.ok()) {
    return {.kind = SearchResult::Kind::failed, .evaluation = evaluation_};
  }
  resolution_ = std::clamp(step.tolerances().rtol, kEpsilon, kCoarsestResolution);
  const double slack = time_tolerance(segment_.end_time(), time_scale) / std::abs(segment_.step());
  is_instant_ = slack >= 1.0;
  SearchResult result = isolate(slack);
  double settled = 2.0;
  for (int pass = 0; pass < kSettlings && result.found() && step.settle_extension(result.theta); ++pass) {
    settled = result.theta;
    result = isolate(slack);
    if (std::abs(result.theta - settled) <= slack) {
      break;
    }
  }
  if (settled <= 1.0 && !(result.found() && result.theta <= kSettledReach * settled)) {
    // The line by which the extension was moved means nothing far beyond the root that it was moved for.
    evaluation_ = step.dense_output(integrate::DenseOutput::full, segment_);
    if (!evaluation_.ok()) {
      return {.kind = SearchResult::Kind::failed, .evaluation = evaluation_};
    }
    // A root that is gone was one of an error, unless its guard is beyond its surface at the end too.
    const bool was_found = result.found();
    result = isolate(slack);
    result = was_found || goes_through() ? result : SearchResult{};
  }
  return result.kind == SearchResult::Kind::none && reach_ > 1.0 ? arrived_at_wall() : result;
}

// Leaves in candidates_ the watches that are not certified.
void EventSearch::exclude(const integrate::OpenStep& step) {
  if (reach_ > 1.0 || detection_.rule != Detection::Rule::bound) {
    for (std::size_t index = 0; index < watches_.size(); ++index) {
      candidates_.push_back(static_cast<Index>(index));
    }
    return;
  }
  if (excluded_by_ranges(step)) {
    return;
  }
  make_segment();
  affine_.certify_by_coefficients(segment_, ranges_, at_origin_, candidates_);
  if (!opaque_.empty()) {
    opaque_.certify(*evaluator_, segment_, step.step_end_state(), at_origin_, sampled_pieces() > 1, x_,
                    counters_.guard_evaluations, candidates_);
  }
  if (curved_candidates_.empty()) {
    return;
  }
  enclosure_.enclose(segment_, 0.0, 1.0);
  enclosure_.widen(segment_, step.tolerances(), step.step_start_state());
  if (!implicit_.empty() && projects()) {
    widen_by_projection();
  }
  for (const Index watch : curved_candidates_) {
    if (!excluded_by_enclosure(static_cast<std::size_t>(watch))) {
      candidates_.push_back(watch);
    }
  }
}

// What needs no extension.
bool EventSearch::excluded_by_ranges(const integrate::OpenStep& step) {
  ranges_.bound(step);
  if (box_.holds(ranges_)) {
    return true;
  }
  if (!implicit_.empty()) {
    box_.forget();  // outside of it the variables may come to another solution
  }
  curved_candidates_.clear();
  const bool affine_done = affine_.certify_by_ranges(ranges_, at_origin_);
  curved_.certify(ranges_, at_origin_, *evaluator_, counters_.enclosures, curved_candidates_);
  implicit_.certify(ranges_, step, at_origin_, *evaluator_, counters_.enclosures, curved_candidates_);
  if (!affine_done || !curved_candidates_.empty() || !opaque_.empty()) {
    return false;
  }
  if (!at_origin_) {
    box_.begin(ranges_.size());
    if (affine_.limit(ranges_, box_) && curved_.limit(box_) && implicit_.limit(ranges_, box_)) {
      box_.trust();
    }
  }
  return true;
}

// Over the whole step, the boxes wide enough for both extensions.
bool EventSearch::excluded_by_enclosure(std::size_t index) {
  const Watch& what = watches_[index];
  const auto keeps_side = [&what](const Interval& g) {
    return (what.side > 0.0 ? g.lower - what.level : what.level - g.upper) > 0.0;
  };
  ++counters_.enclosures;
  if (shapes_[index].kind == system::GuardShape::Kind::implicit) {
    const system::GuardBounds bounds = evaluator_->bound_guard(what.guard, enclosure_.piece(segment_));
    return bounds.is_known && (keeps_side(bounds.value) || excluded_by_rate(index, bounds.rate));
  }
  if (keeps_side(evaluator_->enclose_guard(what.guard, enclosure_.time(), enclosure_.x()))) {
    return true;
  }
  ++counters_.enclosures;
  return excluded_by_rate(index, evaluator_->enclose_guard_rate(what.guard, enclosure_.time(), enclosure_.x(),
                                                                enclosure_.xdot()));
}

// Both extensions meet the end of the step.
bool EventSearch::excluded_by_rate(std::size_t index, const Interval& rate) {
  const double towards = watches_[index].side * segment_.step();
  const bool rises = towards > 0.0 ? rate.lower > 0.0 : rate.upper < 0.0;
  const bool falls = towards > 0.0 ? rate.upper < 0.0 : rate.lower > 0.0;
  if (!rises && !falls) {
    return false;
  }
  const GuardCurve curve = this->curve(index);
  if (rises) {
    return deflates(index) || curve(0.0) >= 0.0;
  }
  return !deflates(index) && curve(1.0) > curve.noise(1.0);
}

// The event will have a state that is projected onto the constraints: by how much, is seen in the middle of the step.
void EventSearch::widen_by_projection() {
  displacement_.resize(x_.size());
  segment_.evaluate(kMiddle, x_);
  std::copy(x_.begin(), x_.end(), displacement_.begin());
  if (!evaluator_->project(time_at(segment_, kMiddle), x_).ok()) {
    return;
  }
  for (std::size_t i = 0; i < x_.size(); ++i) {
    displacement_[i] = kDisplacementMargin * std::abs(displacement_[i] - x_[i]);
  }
  enclosure_.widen(segment_, displacement_);
}

void EventSearch::count_watches() {
  for (std::size_t index = 0; index < watches_.size(); ++index) {
    const auto guard = static_cast<std::size_t>(watches_[index].guard);
    const bool is_second = index > 0 && watches_[index - 1].guard == watches_[index].guard;  // another level
    if (is_second) {
      continue;
    }
    const bool is_opaque =
        shapes_[index].kind == system::GuardShape::Kind::opaque || detection_.rule != Detection::Rule::bound;
    const std::int64_t n_sampled = is_opaque ? n_steps_ : n_sampled_[index];
    GuardWatch& watch = guard_watches_[guard];
    watch.sampled += n_sampled;
    (shapes_[index].is_estimated ? watch.estimated : watch.proved) += n_steps_ - n_sampled;
  }
  n_steps_ = 0;
  std::fill(n_sampled_.begin(), n_sampled_.end(), 0);
  std::fill(last_sampled_.begin(), last_sampled_.end(), 0);
}

// Looks at one candidate; what it finds narrows the search for the next ones.
void EventSearch::consider(Index candidate, double slack, double end, Isolation& isolation) {
  const auto index = static_cast<std::size_t>(candidate);
  evaluation_ = {};
  const double window = kNoiseWindow * std::max(slack, coarse_width(index));
  if (is_leaving(index) && !watches_[index].ends_at_surface && is_held_by_equations(index, end)) {
    return;
  }
  const Passage found = passage(index, end);
  switch (found.kind) {
    case Passage::Kind::none: ++counters_.without_root; break;
    case Passage::Kind::undecided: isolation.undecided = std::min(isolation.undecided, found.a); break;
    case Passage::Kind::failed:
      isolation.failure = evaluation_;
      failed_.push_back(candidate);
      break;
    case Passage::Kind::bracket:
      double theta = root(index, found, slack);
      if (is_leaving(index) && !watches_[index].ends_at_surface && has_not_departed(index, theta)) {
        theta = clear_root(index, theta, end, slack, isolation);
      }
      if (std::isfinite(isolation.first) && theta < isolation.first - window) {
        ++counters_.overtaken;
      }
      if (theta <= isolation.first + window) {
        crossings_.push_back({candidate, theta});
        isolation.first = std::min(isolation.first, theta);
      }
      break;
  }
}

SearchResult EventSearch::isolate(double slack) {
  crossings_.clear();
  failed_.clear();
  Isolation isolation;
  for (const Index candidate : candidates_) {
    consider(candidate, slack, reach_, isolation);
  }
  // What cannot be evaluated beyond the first root is asked again up to there; what has no value at the root itself (√|s| with a locked
  // side, where s crosses zero) up to just before it: whether it crosses, too, is seen on the other side of the root.
  for (const double beyond : {1.0, -1.0}) {
    if (!failed_.empty() && std::isfinite(isolation.first)) {
      retry_.swap(failed_);
      failed_.clear();
      const double end = std::clamp(isolation.first + beyond * kNoiseWindow * slack, 0.0, reach_);
      for (const Index candidate : retry_) {
        consider(candidate, slack, end, isolation);
      }
    }
  }
  if (!failed_.empty()) {
    return {.kind = SearchResult::Kind::failed, .evaluation = isolation.failure};
  }
  if (isolation.undecided < isolation.first) {
    return {.kind = SearchResult::Kind::refine, .theta = std::max(isolation.undecided, kRefineShare)};
  }
  return group(slack);
}

}  // namespace saltus::locate
