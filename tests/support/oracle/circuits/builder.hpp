/// Puts networks together from random parts.
#pragma once

#include <cstdint>

#include "support/oracle/circuits/network.hpp"
#include "support/oracle/draw.hpp"

namespace saltus::test::circuits {

class Builder {
 public:
  explicit Builder(std::uint32_t seed);

  [[nodiscard]] bool chance(std::size_t of, std::size_t in) { return draw_.below(in) < of; }
  [[nodiscard]] std::size_t below(std::size_t n) { return draw_.below(n); }
  /// Three digits, spread evenly.
  [[nodiscard]] Real between(Real low, Real high);

  [[nodiscard]] std::size_t node() { return ++network_.n_nodes; }
  void resistor(std::size_t a, std::size_t b, Real low = 0.3, Real high = 4);
  std::size_t capacitor(std::size_t a, std::size_t b);
  std::size_t inductor(std::size_t a, std::size_t b);
  void source(std::size_t a, std::size_t b, bool is_voltage, const Wave& wave);
  void diode(std::size_t a, std::size_t b);
  void thyristor(std::size_t a, std::size_t b, const Control& fire);
  void contact(std::size_t a, std::size_t b, const Control& control);

  /// Any wave that changes.
  [[nodiscard]] Wave alternating();
  [[nodiscard]] Wave constant(Real low, Real high);
  [[nodiscard]] Control any_control();

  [[nodiscard]] bool is_ideal() const { return ron_ == 0; }
  void make_ideal() { ron_ = goff_ = 0; }
  void make_resistive();
  [[nodiscard]] Network& network() { return network_; }

 private:
  void add(Element element);

  oracle::Draw draw_;
  Network network_;
  Real ron_ = 0;
  Real goff_ = 0;
  bool is_mixed_ = false;
  Spelling spelling_ = Spelling::boolean;
};

/// The shapes.
void add_halfwave(Builder& builder);
void add_bridge(Builder& builder);
void add_clipper(Builder& builder);
void add_ladder(Builder& builder, std::size_t least, std::size_t most);
void add_star(Builder& builder, std::size_t n_branches);
void add_converter(Builder& builder);
void add_thyristors(Builder& builder);
void add_network(Builder& builder, bool has_switches);
void add_many(Builder& builder);
void add_changing(Builder& builder);
void add_jumps(Builder& builder);

}  // namespace saltus::test::circuits
