/// Problem      the order and the size of the next step of a multistep method
/// Method       Compares the terms ‖h^(m+1) x^(m+1)‖ of a Taylor series at m = k-2, k-1, k, k+1: the order goes towards where
///              they stop to decrease, DASSL [BCP96] 5.2.4. Size: h (2 err)^(-1/(m+1)) with err = term/(m+1), the
///              leading error of BDF of order m.
/// Contract     after_accepted once per accepted step, after_rejected once per rejected one; restart() when a history begins.
/// Choices      DASSL's: sizes are doubled, kept, or cut to 0.5 … 0.9, so that one factorisation lasts; a higher order only after
///              k + 1 steps, or as soon as it can be judged while the order has only risen since the start. The first failure
///              in a row cuts by what the estimate says, the second to a quarter, the third begins anew.
/// Checked by   tests/unit/integrate/bdf_order_test.cpp
#pragma once

#include "base/archive.hpp"
#include "integrate/step/method.hpp"

namespace saltus::integrate::bdf {

/// ‖h^(m+1) x^(m+1)‖ in the norm of the tolerance; negative: not known.
struct Terms {
  double two_below = -1.0;
  double below = -1.0;
  double here = 0.0;
  double above = -1.0;
};

class OrderPolicy {
 public:
  using Options = OrderChoice;
  struct Decision {
    int order = 1;
    double factor = 1.0;       ///< of the size
    bool begins_anew = false;  ///< the history has lost its worth
  };

  explicit OrderPolicy(const Options& options) : options_(options) {}

  void restart();
  [[nodiscard]] int highest() const;
  [[nodiscard]] Decision after_accepted(int order, const Terms& terms);
  [[nodiscard]] Decision after_rejected(int order, double error, const Terms& terms);
  /// The iteration did not converge, or an evaluation failed.
  [[nodiscard]] Decision after_failed(int order);

  void fields(Archive& a) {
    // Not saved: options_.
    a(steps_at_order_, failures_, is_rising_);
  }

 private:
  [[nodiscard]] static bool is_lower_better(int order, const Terms& terms);
  [[nodiscard]] int next_order(int order, const Terms& terms);

  Options options_;
  int steps_at_order_ = 0;
  int failures_ = 0;  // in a row
  bool is_rising_ = true;
};

}  // namespace saltus::integrate::bdf
