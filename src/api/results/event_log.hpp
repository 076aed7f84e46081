/// What a saltus::EventList shares between its copies.
#pragma once

#include <span>
#include <vector>

#include "api/results/text_table.hpp"
#include "base/archive.hpp"
#include "hybrid/run.hpp"
#include "saltus/event.hpp"

namespace saltus::api {

class EventLog {
 public:
  void append(const hybrid::Event& event);
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] Event at(std::size_t place) const;

  /// From the first event on each has so many, NaN until they are set.
  void keep_sensitivities(std::size_t n_parameters) { n_parameters_ = n_parameters; }
  /// Of the last event.
  void set_sensitivities(std::span<const double> sigma);
  /// [event][parameter]
  [[nodiscard]] const std::vector<double>& sensitivities() const { return sigma_; }

  void fields(Archive& a) {
    // Not saved: sigma_, n_parameters_: a run with sensitivities is not.
    a(texts_, items_);
    for (const Item& item : items_) {
      for (const std::uint32_t text : {item.from, item.to, item.guard, item.detail}) {
        if (a.is_loading() && text >= texts_.size()) {
          a.refuse("texts of events do not fit");
        }
      }
    }
  }

 private:
  struct Item {
    double time;
    std::int64_t segment;
    std::uint32_t from, to, guard, detail;
    EventKind kind;
    TransferKind transfer;
    std::int8_t impulse_order;
    std::int8_t transfer_case;

    void fields(Archive& a) {
      a(time, segment, from, to, guard, detail, kind, transfer, impulse_order, transfer_case);
    }
  };

  TextTable texts_;
  std::vector<Item> items_;
  std::vector<double> sigma_;  // [event][parameter]
  std::size_t n_parameters_ = 0;
};

}  // namespace saltus::api
