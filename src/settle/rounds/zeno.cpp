#include "settle/rounds/zeno.hpp"

#include <cmath>

namespace saltus::settle {

std::optional<ZenoMonitor::Estimate> ZenoMonitor::fired(std::size_t action, double t) {
  History& history = histories_[action];
  const double interval = t - history.last;
  history.last = t;
  ++history.n;
  if (history.n == 1) {
    return std::nullopt;
  }
  std::optional<Estimate> over;
  if (history.n > 2 && !(std::abs(interval) < std::abs(history.interval))) {
    const bool is_sequence = history.is_certain || (history.n > kFirings && history.has_settled);
    if (is_sequence && !history.is_reported) {
      over = Estimate{t - interval + history.interval * history.ratio / (1.0 - history.ratio), true};
    }
    history.n = 2;  // this interval begins another sequence
  }
  if (history.n == 2) {
    history.first = interval;
    history.interval = interval;
    history.ratio = 1.0;
    history.is_certain = false;
    return over;
  }
  const double ratio = interval / history.interval;
  const double rest = interval * ratio / (1.0 - ratio);
  const double change = std::abs(ratio - history.ratio);
  const bool are_few = history.n < kFirings;
  history.has_settled = are_few ? history.n >= kFewestFirings && change <= kRatioChange * ratio
                                : change <= kRatioChange * (1.0 - ratio);
  history.is_certain = history.has_settled &&
                       std::abs(rest) <= (are_few ? kRemainderOfFew : kRemainder) * std::abs(history.first);
  history.ratio = ratio;
  history.interval = interval;
  if (history.is_reported || !history.is_certain) {
    return std::nullopt;
  }
  return Estimate{t + rest, false};
}

}  // namespace saltus::settle
