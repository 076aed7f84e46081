#include "api/results/event_log.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/contract.hpp"

namespace saltus {
namespace api {
void EventLog::append(const hybrid::Event& event) {
  items_.push_back({event.time, event.segment, texts_.place_of(event.from), texts_.place_of(event.to),
                    texts_.place_of(event.guard), texts_.place_of(event.detail), event.kind, event.transfer,
                    event.impulse_order, event.transfer_case});
  sigma_.resize(items_.size() * n_parameters_, std::nan(""));
}

void EventLog::set_sensitivities(std::span<const double> sigma) {
  SALTUS_EXPECT(sigma.size() == n_parameters_ && !items_.empty(), "one for each parameter of an event");
  std::copy(sigma.begin(), sigma.end(), sigma_.end() - static_cast<std::ptrdiff_t>(n_parameters_));
}

Event EventLog::at(std::size_t place) const {
  const Item& item = items_[place];
  return {item.time,
          item.segment,
          item.kind,
          texts_.text(item.from),
          texts_.text(item.to),
          texts_.text(item.guard),
          texts_.text(item.detail),
          item.transfer,
          item.impulse_order,
          item.transfer_case,
          std::span(sigma_).subspan(place * n_parameters_, n_parameters_)};
}

}  // namespace api

std::size_t EventList::size() const {
  return log_ ? log_->size() : 0;
}

Event EventList::operator[](std::size_t place) const {
  SALTUS_EXPECT(place < size(), "the event must exist");
  return log_->at(place);
}

}  // namespace saltus
