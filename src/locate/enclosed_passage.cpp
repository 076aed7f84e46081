// Guards with interval enclosures: see passage.hpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "locate/passage.hpp"

namespace saltus::locate {
namespace {

// Below this width the first piece of a deflated curve is left to interpolation.
constexpr double kLeastFirstPiece = 0x1p-12;
// Pieces of a step in which an implicit guard has no bounds, or none that decide: a point where its equations are singular costs two of them,
// a tangency too; more say that errors of the trajectory outweigh what the equations determine (a diode of 1e-5 Ohm beside a capacitor makes
// 1e5 of them), and every piece would cost as much again.
constexpr int kMostUnboundedPieces = 8;
// Part of the width of a rate. Pieces that are halved halve the rest of it: below this much of it they come to an end. Not measured.
constexpr double kShareOfErrors = 0.25;
// Pieces after which it is asked whether that is so: more than an exact tangency takes.
constexpr int kPiecesOfATangency = 80;
// By how much that of an implicit guard becomes shorter at a time: a guard that leaves its surface with a rate of zero has no piece on
// which the rate has a sign, and every piece costs an enclosure of its equations.
constexpr double kImplicitFirstCut = 0.125;

}  // namespace

// Settles pieces from left to right.
struct PassageFinder::EnclosedWalk {
  enum class Verdict : std::uint8_t { clear, crossing, halve };

  const CurveTask& task;
  const GuardEnclosure& guard;
  Progress progress = {};
  double from = 0.0;
  double f_from = 0.0;                   // f there, or a lower bound of it
  std::array<double, kStack> ends = {};  // right ends of the pieces still to come
  std::size_t n_ends = 0;
  double least = 0.0;    // lower bound of f on the piece, by its range
  Interval rate = {};    // df/dθ on the piece
  bool is_known = true;  // false: an implicit guard has no bounds on the piece
  int n_unbounded = 0;   // pieces without bounds that decide, too short to be halved

  void clear(double f_to) {
    from = ends[--n_ends];
    f_from = f_to;
    if (f_to > 0.0) {
      progress.last_positive = from;
    }
  }
  void take_value(const Interval& g) {
    const Watch& watch = task.curve->watch();
    least = watch.side > 0.0 ? g.lower - watch.level : watch.level - g.upper;
  }
  void take_rate(const Interval& r) {
    const double factor = task.curve->watch().side * guard.segment->step();
    rate = {std::min(r.lower * factor, r.upper * factor), std::max(r.lower * factor, r.upper * factor)};
  }
  void enclose_range(double to) {
    guard.boxes->enclose(*guard.segment, from, to);
    ++*guard.n_enclosures;
    const Index index = task.curve->watch().guard;
    if (guard.is_implicit) {
      const system::GuardBounds bounds = guard.guards->bound_guard(index, guard.boxes->piece(*guard.segment));
      is_known = bounds.is_known;
      take_value(bounds.value);
      take_rate(bounds.rate);
    } else {
      take_value(guard.guards->enclose_guard(index, guard.boxes->time(), guard.boxes->x()));
    }
  }
  void enclose_rate() {
    if (guard.is_implicit) {
      return;  // it came with the range
    }
    ++*guard.n_enclosures;
    take_rate(guard.guards->enclose_guard_rate(task.curve->watch().guard, guard.boxes->time(),
                                               guard.boxes->x(), guard.boxes->xdot()));
  }
  // Whether shorter pieces would say no more about the rate, because errors of the trajectory have a part kShareOfErrors in its bounds: seen
  // from the bounds at one point.
  [[nodiscard]] bool is_all_error() {
    const Interval of_piece = rate;
    enclose_range(from);
    const Interval of_point = std::exchange(rate, of_piece);
    return !std::exchange(is_known, true) ||
           of_point.upper - of_point.lower >= kShareOfErrors * (of_piece.upper - of_piece.lower);
  }
  // Lower bound of f on a piece of width w from its ends and rates: where the two steepest lines meet.
  [[nodiscard]] double bound_from_ends(double f_to, double w) const {
    return (rate.upper * f_from - rate.lower * f_to + rate.lower * rate.upper * w) /
           (rate.upper - rate.lower);
  }
  [[nodiscard]] Passage crossing(double to) const {
    return {Passage::Kind::bracket, std::max(progress.last_positive, 0.0), to};
  }
  // A piece that does not start at a known root.
  Verdict judge(double to, double f_to) const {
    if (rate.lower >= 0.0) {
      return Verdict::clear;  // it rises from a value that is not below -ν
    }
    const bool crosses = f_to < -task.noise;
    if (rate.upper <= 0.0 || to - from <= kLeastPiece || n_ends == kStack) {
      return crosses ? Verdict::crossing : Verdict::clear;
    }
    return bound_from_ends(f_to, to - from) > -task.noise ? Verdict::clear : Verdict::halve;
  }
};

// A guard that other equations keep at zero: its enclosures hold zero on every piece and say nothing.
bool PassageFinder::stays_zero(const CurveTask& task) {
  for (std::size_t k = 1; k <= kSampledDegree; ++k) {
    const double theta = task.end * chebyshev_point(k, kSampledDegree);
    if (!(std::abs((*task.curve)(theta)) <= task.noise)) {
      return false;
    }
  }
  return true;
}

Passage PassageFinder::enclosed(const CurveTask& task, const GuardEnclosure& guard, double resolution) {
  const GuardCurve& curve = *task.curve;
  EnclosedWalk walk{.task = task, .guard = guard};
  walk.f_from = curve(0.0);
  if (std::isnan(walk.f_from)) {
    return {Passage::Kind::failed, 0.0, 0.0};
  }
  if (!task.deflate && walk.f_from < -task.noise) {
    return {Passage::Kind::bracket, 0.0, 0.0};
  }
  if (std::abs(walk.f_from) <= task.noise && stays_zero(task)) {
    *guard.is_sampled = true;
    return {};
  }
  walk.progress.last_positive = task.deflate || walk.f_from > 0.0 ? 0.0 : -1.0;
  walk.ends[walk.n_ends++] = task.end;
  while (walk.n_ends > 0) {
    const double to = walk.ends[walk.n_ends - 1];
    const bool deflate = task.deflate && walk.from == 0.0;
    walk.enclose_range(to);
    if (!deflate && walk.least > 0.0) {
      walk.clear(walk.least);
      continue;
    }
    if (++walk.progress.n_pieces > kMaxPieces) {
      // Where there is no enclosure, values are all there is.
      if (std::isfinite(walk.least) && !task.is_instant) {
        return {Passage::Kind::undecided, walk.from, to};
      }
      *guard.is_sampled = true;
      return sampled(task, resolution);
    }
    walk.enclose_rate();
    if (deflate && !(walk.rate.lower > 0.0)) {
      if (walk.rate.upper < 0.0) {
        const double f_to = curve(to);
        if (f_to - walk.f_from < -task.noise) {
          return {Passage::Kind::bracket, 0.0, 0.0};
        }
        walk.clear(f_to);
        continue;
      }
      if (to > kLeastFirstPiece) {
        walk.ends[walk.n_ends++] = (guard.is_implicit ? kImplicitFirstCut : 0.5) * to;
        continue;
      }
      const Passage passage = sampled_on(task, 0.0, to, resolution, walk.progress);
      if (passage.kind != Passage::Kind::none) {
        return passage;
      }
      walk.clear(curve(to));
      continue;
    }
    if (!walk.is_known && to - walk.from > kLeastBoundedPiece) {
      walk.ends[walk.n_ends++] = 0.5 * (walk.from + to);
      continue;
    }
    const double f_to = curve(to);
    if (std::isnan(f_to)) {
      return {Passage::Kind::failed, walk.from, to};
    }
    const EnclosedWalk::Verdict verdict = walk.is_known ? walk.judge(to, f_to) : EnclosedWalk::Verdict::halve;
    const bool is_asked = guard.is_implicit && to - walk.from <= kLeastBoundedPiece &&
                          (!walk.is_known || walk.progress.n_pieces > kPiecesOfATangency);
    if (verdict == EnclosedWalk::Verdict::halve && is_asked && (!walk.is_known || walk.is_all_error())) {
      *guard.is_sampled = true;
      if (++walk.n_unbounded > kMostUnboundedPieces) {
        return sampled(task, resolution);
      }
      const Passage passage = sampled_on(task, walk.from, to, resolution, walk.progress);
      if (passage.kind != Passage::Kind::none) {
        return passage;
      }
      walk.clear(f_to);
      continue;
    }
    switch (verdict) {
      case EnclosedWalk::Verdict::crossing: return walk.crossing(to);
      case EnclosedWalk::Verdict::halve: walk.ends[walk.n_ends++] = 0.5 * (walk.from + to); break;
      case EnclosedWalk::Verdict::clear:
        if (to == task.end && task.is_end_of_step && f_to <= task.noise &&
            walk.rate.upper < -kOnItsWay * task.noise) {
          return {Passage::Kind::bracket, to, to};
        }
        walk.clear(f_to);
        break;
    }
  }
  return {};
}

}  // namespace saltus::locate
