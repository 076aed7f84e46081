#include "settle/state/instant_draft.hpp"

#include <algorithm>

namespace saltus::settle {

InstantDraft::Item& InstantDraft::next() {
  if (n_items_ == items_.size()) {
    items_.emplace_back();
  }
  return items_[n_items_++];
}

void InstantDraft::add_row(double t, std::int64_t segment, std::string_view mode,
                           std::span<const double> values) {
  Item& item = next();
  item.is_event = false;
  item.t = t;
  item.segment = segment;
  item.mode = mode;
  item.values.assign(values.begin(), values.end());
}

void InstantDraft::replace_row(std::int64_t segment, std::span<const double> values) {
  for (std::size_t k = n_items_; k-- > 0;) {
    if (!items_[k].is_event) {
      if (items_[k].segment == segment) {
        items_[k].values.assign(values.begin(), values.end());
      }
      return;
    }
  }
}

void InstantDraft::add_event(const Event& event) {
  Item& item = next();
  item.is_event = true;
  item.event = event;
  item.from = event.from;
  item.to = event.to;
  item.guard = event.guard;
  item.detail = event.detail;
}

bool InstantDraft::report(RunObserver& observer) {
  bool goes_on = true;
  for (std::size_t k = 0; k < n_items_ && goes_on; ++k) {
    Item& item = items_[k];
    if (item.is_event) {
      item.event.from = item.from;
      item.event.to = item.to;
      item.event.guard = item.guard;
      item.event.detail = item.detail;
      observer.event(item.event);
    } else {
      goes_on = observer.instant(item.t, item.segment, item.mode, item.values);
    }
  }
  n_items_ = 0;
  return goes_on;
}

std::int64_t InstantDraft::drop() {
  const auto end = items_.begin() + static_cast<std::ptrdiff_t>(n_items_);
  const auto n_events = std::count_if(items_.begin(), end, [](const Item& item) { return item.is_event; });
  n_items_ = n_items_ > 0 && !items_.front().is_event ? 1 : 0;
  return n_events;
}

}  // namespace saltus::settle
