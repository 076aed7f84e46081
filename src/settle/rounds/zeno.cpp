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
    if (history.n > kFirings && history.has_settled && !history.is_reported) {
      over = Estimate{t - interval + history.interval * history.ratio / (1.0 - history.ratio), true};
    }
    history.n = 2;  // this interval begins another sequence
  }
  if (history.n == 2) {
    history.first = interval;
    history.interval = interval;
    history.ratio = 1.0;
    return over;
  }
  const double ratio = interval / history.interval;
  const bool has_settled = std::abs(ratio - history.ratio) <= kRatioChange * (1.0 - ratio);
  history.has_settled = has_settled;
  history.ratio = ratio;
  history.interval = interval;
  const double rest = interval * ratio / (1.0 - ratio);
  if (history.is_reported || history.n < kFirings || !has_settled ||
      std::abs(rest) > kRemainder * std::abs(history.first)) {
    return std::nullopt;
  }
  return Estimate{t + rest, false};
}

}  // namespace saltus::settle
