/// The positions of the switches of a network, the thyristors that are fired, and when they change.
#pragma once

#include <cstdint>
#include <vector>

#include "support/oracle/circuits/combination.hpp"

namespace saltus::test::circuits {

class Controls {
 public:
  /// At time 0 and the signals there.
  Controls(const Network& network, const Signals& signals, const Vector& w);

  [[nodiscard]] std::uint32_t closed() const { return closed_; }
  /// Thyristors, and those that are fired, as bits of diodes.
  [[nodiscard]] std::uint64_t thyristors() const { return thyristors_; }
  [[nodiscard]] std::uint64_t fired() const { return fired_; }
  /// Times at which a square wave or a switch changes, in order.
  [[nodiscard]] const std::vector<Real>& due() const { return due_; }

  /// Thresholds: ≥ 0 while nothing is crossed, or the rates of that.
  [[nodiscard]] std::size_t n_watches() const { return watches_.size(); }
  [[nodiscard]] Real distance(std::size_t watch, const Vector& w, bool is_rate) const;
  [[nodiscard]] Eigen::Index state_of(std::size_t watch) const { return watches_[watch].state; }

  void cross(std::size_t watch);
  /// Positions just after the time.
  void at(Real t);

 private:
  /// A state beside a level; `is_above` is the truth of the relation.
  struct Watch {
    std::size_t contact = 0;  ///< number of the switch
    Eigen::Index state = 0;
    Real level = 0;
    bool is_above = false;
    bool opens = false;   ///< hysteresis: crossing upwards opens
    bool closes = false;  ///< … crossing downwards closes
  };
  void set_closed(std::size_t contact, bool is_closed);
  void add_watches(const Vector& w, const Signals& signals);
  void schedule();

  const Network& network_;
  std::vector<std::size_t> contacts_;
  std::vector<Watch> watches_;
  std::vector<Real> due_;
  std::uint32_t closed_ = 0;
  std::uint64_t thyristors_ = 0;
  std::uint64_t fired_ = 0;
};

}  // namespace saltus::test::circuits
