#include "api/results/mode_spans.hpp"

#include <algorithm>

#include "saltus/contract.hpp"
#include "saltus/mode_list.hpp"

namespace saltus::api {

const std::vector<ModeSpan>& ModeSpans::get() const {
  std::call_once(once_, [this] {
    if (!open_.empty()) {
      count();
    }
    instance_.reset();
  });
  return spans_;
}

void ModeSpans::count() const {
  const Analysis* const analysis = instance_->analysis->get(*instance_, open_.front().t);
  if (analysis == nullptr) {
    return;
  }
  for (const Open& open : open_) {
    const ModeAnalysis& mode = analysis->modes[open.mode];
    ModeSpan& span = spans_[open.span];
    span.index = std::max<std::int64_t>(span.index, mode.index.value_or(0));
    span.d += mode.d - open.d;
    span.a += mode.a - open.a;
    span.u = mode.u;
    span.v = mode.v;
  }
}

}  // namespace saltus::api

namespace saltus {

std::size_t ModeList::size() const {
  return spans_ == nullptr ? 0 : spans_->size();
}

const ModeSpan& ModeList::operator[](std::size_t place) const {
  SALTUS_EXPECT(place < size(), "no such span");
  return spans_->get()[place];
}

const ModeSpan* ModeList::begin() const {
  return spans_ == nullptr ? nullptr : spans_->get().data();
}

}  // namespace saltus
