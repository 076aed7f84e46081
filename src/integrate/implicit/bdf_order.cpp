#include "integrate/implicit/bdf_order.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::integrate::bdf {
namespace {

// DASSL.
constexpr double kErrorSafety = 2.0;        // DASSL [BCP96] 5.2.4
constexpr double kErrorOffset = 1e-4;       // DASSL: keeps the power finite
constexpr double kDoubling = 2.0;           // DASSL: sizes grow by this factor or not
constexpr double kLeastCut = 0.9;           // DASSL: smaller cuts do not pay for a factorisation
constexpr double kMostCut = 0.5;            // DASSL: largest cut after an accepted step
constexpr double kRejectedSafety = 0.9;     // DASSL: first failure
constexpr double kQuarter = 0.25;           // DASSL: second failure, and failed iterations
constexpr double kSecondOrderMargin = 0.5;  // DASSL: between orders 1 and 2 terms say less
constexpr int kFailuresToBeginAnew = 3;     // DASSL: in a row

double wanted_factor(int order, double term) {
  const double error = term / (order + 1);
  return std::pow(kErrorSafety * error + kErrorOffset, -1.0 / (order + 1));
}

}  // namespace

void OrderPolicy::restart() {
  steps_at_order_ = 0;
  failures_ = 0;
  is_rising_ = true;
}

int OrderPolicy::highest() const {
  return options_.fixed_order > 0 ? options_.fixed_order : options_.max_order;
}

bool OrderPolicy::is_lower_better(int order, const Terms& terms) {
  if (order == 1 || terms.below < 0.0) {
    return false;
  }
  return order == 2 ? terms.below <= kSecondOrderMargin * terms.here
                    : std::max(terms.below, terms.two_below) <= terms.here;
}

int OrderPolicy::next_order(int order, const Terms& terms) {
  if (options_.fixed_order > 0) {
    return std::min(order + 1, options_.fixed_order);
  }
  if (is_lower_better(order, terms)) {
    return order - 1;
  }
  if (order >= options_.max_order || terms.above < 0.0 || (!is_rising_ && steps_at_order_ <= order)) {
    return order;
  }
  if (order == 1) {
    return terms.above < kSecondOrderMargin * terms.here ? 2 : 1;
  }
  if (terms.below <= std::min(terms.here, terms.above)) {
    return order - 1;
  }
  return terms.above < terms.here ? order + 1 : order;
}

OrderPolicy::Decision OrderPolicy::after_accepted(int order, const Terms& terms) {
  ++steps_at_order_;
  failures_ = 0;
  const int next = next_order(order, terms);
  const double term = next < order                         ? terms.below
                      : next > order && terms.above >= 0.0 ? terms.above
                                                           : terms.here;
  double factor = wanted_factor(next, term);
  if (factor >= kDoubling) {
    factor = kDoubling;
  } else if (factor > 1.0) {
    factor = 1.0;
  } else {
    factor = std::clamp(factor, kMostCut, kLeastCut);
  }
  if (next != order) {
    steps_at_order_ = 0;
  }
  is_rising_ = is_rising_ && next >= order && (next > order || factor >= 1.0);
  return {next, factor, false};
}

OrderPolicy::Decision OrderPolicy::after_rejected(int order, double error, const Terms& terms) {
  is_rising_ = false;
  ++failures_;
  steps_at_order_ = 0;
  int next = order;
  double next_error = error;
  if (options_.fixed_order == 0 && is_lower_better(order, terms)) {
    next = order - 1;
    next_error = terms.below / order;
  }
  if (failures_ >= kFailuresToBeginAnew) {
    failures_ = 0;
    return {1, kQuarter, true};
  }
  if (failures_ > 1) {
    return {next, kQuarter, false};
  }
  const double wanted =
      kRejectedSafety * std::pow(kErrorSafety * next_error + kErrorOffset, -1.0 / (next + 1));
  return {next, std::clamp(wanted, kQuarter, kLeastCut), false};
}

OrderPolicy::Decision OrderPolicy::after_failed(int order) {
  is_rising_ = false;
  steps_at_order_ = 0;
  if (++failures_ >= kFailuresToBeginAnew) {
    failures_ = 0;
    return {1, kQuarter, true};
  }
  return {order, kQuarter, false};
}

}  // namespace saltus::integrate::bdf
