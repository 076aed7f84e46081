// What happened in a run: events in their order, with texts that all events share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>

#include "saltus/event_kind.hpp"

namespace saltus {

/// A row of events.csv. The texts live as long as the list that the event came from; in OutputSink::event, during the call.
struct Event {
  double time = 0.0;
  std::int64_t segment = 0;  ///< the first segment after it
  EventKind kind = EventKind::condition;
  std::string_view from;    ///< mode, or value of the condition, before
  std::string_view to;      ///< … after
  std::string_view guard;   ///< canonical text of the guard, or the condition as written
  std::string_view detail;  ///< for a person
  TransferKind transfer = TransferKind::none;
  std::int8_t impulse_order =
      -1;  ///< of what reinitialisation would be as a solution, 0: Dirac; -1: none or not known
  std::int8_t transfer_case = 0;  ///< of the change of d, a, u (docs/semantics.md 5.9); 0: not known
  /// Of `time`, by Sensitivities::parameters, as long as the texts; NaN: undefined. Empty where none are asked for.
  std::span<const double> sensitivities = {};
};

namespace api {
class EventLog;
}

/// Copies are cheap and share everything. Holds 40 bytes for each event; equal texts are kept once.
class EventList {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Event;
    using difference_type = std::ptrdiff_t;
    using pointer = const Event*;
    using reference = Event;

    Iterator() = default;
    Iterator(const EventList* list, std::size_t at) : list_(list), at_(at) {}
    [[nodiscard]] Event operator*() const { return (*list_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++at_;
      return old;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const EventList* list_ = nullptr;
    std::size_t at_ = 0;
  };

  EventList() = default;
  explicit EventList(std::shared_ptr<const api::EventLog> log) : log_(std::move(log)) {}

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// The place must exist.
  [[nodiscard]] Event operator[](std::size_t place) const;
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size()}; }

 private:
  std::shared_ptr<const api::EventLog> log_;
};

}  // namespace saltus
