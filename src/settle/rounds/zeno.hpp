/// Problem      events that accumulate: infinitely many before a finite time (a ball that bounces lower and lower)
/// Method       intervals between the firings of one action that shrink by a ratio that has settled below one: the rest of
///              a geometric series estimates the time that is left (docs/semantics.md 9.3)
/// Choices      kFirings firings at least, and the rest under kRemainder of the first interval: never earlier. A ratio has
///              settled when it changes by less than kRatioChange of its distance from one.
/// Checked by   tests/unit/settle/zeno_test.cpp, tests/unit/hybrid/ball_test.cpp
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace saltus::settle {

class ZenoMonitor {
 public:
  static constexpr int kFirings = 8;
  static constexpr double kRemainder = 1e-6;
  static constexpr double kRatioChange = 0.1;

  explicit ZenoMonitor(std::size_t n_actions) : histories_(n_actions) {}

  /// The action fires at t. The time at which its firings accumulate, once, as soon as that is certain enough.
  [[nodiscard]] std::optional<double> fired(std::size_t action, double t);

 private:
  struct History {
    int n = 0;           // firings of the sequence that shrinks
    double last = 0.0;   // time of the last
    double first = 0.0;  // the first interval
    double interval = 0.0;
    double ratio = 1.0;
    bool is_reported = false;
  };
  std::vector<History> histories_;
};

}  // namespace saltus::settle
