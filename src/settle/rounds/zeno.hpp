/// Problem      events that accumulate: infinitely many before a finite time (a ball that bounces lower and lower)
/// Method       intervals between the firings of one action that shrink by a ratio that has settled below one: the rest of
///              a geometric series estimates the time that is left (docs/semantics.md 9.3)
/// Choices      kFirings firings at least, and the rest under kRemainder of the first interval: never earlier. A ratio has
///              settled when it changes by less than kRatioChange of its distance from one. Where intervals shrink so fast that kFirings firings
///              are not resolved, kFewestFirings do, if the ratio changes by less than kRatioChange of itself, with a rest under kRemainderOfFew of the first.
///              Flights below the errors of the trajectory are not resolved: a firing that comes late after such a sequence may be one behind the
///              accumulation, `is_over`.
/// Fails when   the third interval is not resolved any more (a restitution of 1e-4): ReboundFinder::flight_of knows of that
/// Checked by   tests/unit/settle/zeno_test.cpp, tests/unit/hybrid/ball_test.cpp
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/archive.hpp"

namespace saltus::settle {

class ZenoMonitor {
 public:
  static constexpr int kFirings = 8;
  static constexpr int kFewestFirings = 4;
  static constexpr double kRemainder = 1e-6;
  static constexpr double kRemainderOfFew = 1e-5;
  static constexpr double kRatioChange = 0.1;

  explicit ZenoMonitor(std::size_t n_actions) : histories_(n_actions) {}

  struct Estimate {
    double time = 0.0;     ///< at which the firings accumulate …
    bool is_over = false;  ///< … or would have, had this one not come later
  };
  /// The action fires at t. Where its firings accumulate, as soon as that is certain enough.
  [[nodiscard]] std::optional<Estimate> fired(std::size_t action, double t);
  /// It has been reported: fired() says nothing more about this action.
  void report(std::size_t action) { histories_[action].is_reported = true; }
  /// It rests now: firings after that are another sequence.
  void forget(std::size_t action) { histories_[action] = {}; }

  void fields(Archive& a) { a(histories_); }

 private:
  struct History {
    int n = 0;           // firings of the sequence that shrinks
    double last = 0.0;   // time of the last
    double first = 0.0;  // the first interval
    double interval = 0.0;
    double ratio = 1.0;
    bool has_settled = false;
    bool is_certain = false;
    bool is_reported = false;

    void fields(Archive& a) { a(n, last, first, interval, ratio, has_settled, is_certain, is_reported); }
  };
  std::vector<History> histories_;
};

}  // namespace saltus::settle
