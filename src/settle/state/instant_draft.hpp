/// What is to be reported of an instant, held back until the instant is verified (docs/semantics.md 11).
///
/// Contract     Rows and events in their order, with their texts. report() gives them to the observer once; drop() keeps the row of the left
///              limit alone: an instant that is refused has not happened. Memory is kept from instant to instant.
/// Checked by   tests/unit/settle/instant_draft_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "settle/state/event.hpp"
#include "settle/state/run.hpp"

namespace saltus::settle {

class InstantDraft {
 public:
  [[nodiscard]] bool is_empty() const { return n_items_ == 0; }
  void add_row(double t, std::int64_t segment, std::string_view mode, std::span<const double> values);
  /// The last row, if it is of this segment, has these values instead.
  void replace_row(std::int64_t segment, std::span<const double> values);
  void add_event(const Event& event);
  /// The answer of the observer.
  [[nodiscard]] bool report(RunObserver& observer);
  /// How many events are dropped.
  std::int64_t drop();

 private:
  struct Item {
    bool is_event = false;
    Event event;  // its texts are those below
    std::string from;
    std::string to;
    std::string guard;
    std::string detail;
    double t = 0.0;
    std::int64_t segment = 0;
    std::string mode;
    std::vector<double> values;
  };

  [[nodiscard]] Item& next();

  std::vector<Item> items_;
  std::size_t n_items_ = 0;
};

}  // namespace saltus::settle
