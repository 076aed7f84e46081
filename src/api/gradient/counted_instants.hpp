/// Instants with events of one run, by their numbers, with their sensitivities.
///
/// Problem      event_time(k) and values at the k-th instant are functions of parameters only where the instants beside the run are counted alike
/// Method       instants of one time are one. Where σ of its events differ they part beside the run: there is no common time, to one side the time of the
///              first of them, and all later instants have other numbers there. Instants at different times that small changes of a parameter (kTolerancesOfReach
///              relative tolerances of its size) bring to the other order have no derivatives for it, but to the side that keeps their order.
/// Contract     undefined: NaN
/// Checked by   tests/gradient/event_times_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sensitivity/field/setup.hpp"

namespace saltus::api {

class CountedInstants {
 public:
  /// Those up to the number `last_wanted` are kept.
  explicit CountedInstants(std::int64_t last_wanted) : last_wanted_(last_wanted) {}

  struct Run {
    double rtol = 0.0;
    double start = 0.0;
    double stop = 0.0;
    const sensitivity::Setup* setup = nullptr;  ///< as it is when instants are taken
  };
  /// Before the first instant.
  void begin(const Run& run) { run_ = run; }
  void take(const sensitivity::InstantTangents& instant);

  [[nodiscard]] std::int64_t size() const { return n_; }
  [[nodiscard]] const sensitivity::InstantTangents& operator[](std::int64_t event) const {
    return kept_[static_cast<std::size_t>(event - 1)];
  }
  [[nodiscard]] const std::optional<sensitivity::InstantTangents>& last() const { return last_; }

 private:
  void join(const sensitivity::InstantTangents& next);
  void part_from_kept(sensitivity::InstantTangents& next);
  [[nodiscard]] bool may_swap(const sensitivity::InstantTangents& earlier,
                              const sensitivity::InstantTangents& later, std::size_t k) const;
  [[nodiscard]] double direction() const { return run_.stop < run_.start ? -1.0 : 1.0; }

  std::int64_t last_wanted_;
  Run run_;
  std::int64_t n_ = 0;
  std::vector<sensitivity::InstantTangents> kept_;
  std::optional<sensitivity::InstantTangents> last_;
  std::vector<bool> have_parted_;  // by column: instants before the last one
};

}  // namespace saltus::api
