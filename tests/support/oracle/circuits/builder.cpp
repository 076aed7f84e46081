#include "support/oracle/circuits/builder.hpp"

#include <cmath>

namespace saltus::test::circuits {

Builder::Builder(std::uint32_t seed) : draw_(seed) {
  spelling_ = static_cast<Spelling>(draw_.below(kSpellings));
  is_mixed_ = chance(1, 6);
  network_.shuffle = chance(1, 2) ? 1 + draw_.below(1000000) : 0;
  network_.has_counters = chance(1, 3);
  network_.stop = 4.037 + static_cast<Real>(draw_.below(5));
  if (chance(1, 2)) {
    make_resistive();
  }
}

void Builder::make_resistive() {
  constexpr Real kSmall[] = {1e-5, 1e-3, 1e-2, 0.05};
  ron_ = kSmall[draw_.below(4)];
  goff_ = kSmall[draw_.below(4)];
}

Real Builder::between(Real low, Real high) {
  const Real value = low + (high - low) * static_cast<Real>(draw_.below(1001)) / 1000;
  return std::round(value * 1000) / 1000;
}

void Builder::add(Element element) {
  element.variant = static_cast<int>(draw_.below(6));
  network_.elements.push_back(element);
}

void Builder::resistor(std::size_t a, std::size_t b, Real low, Real high) {
  add({.kind = Element::Kind::resistor, .a = a, .b = b, .value = between(low, high)});
}

std::size_t Builder::capacitor(std::size_t a, std::size_t b) {
  add({.kind = Element::Kind::capacitor,
       .a = a,
       .b = b,
       .value = between(0.1, 2),
       .start = chance(1, 3) ? 0 : between(-1, 2)});
  return network_.elements.size() - 1;
}

std::size_t Builder::inductor(std::size_t a, std::size_t b) {
  add({.kind = Element::Kind::inductor,
       .a = a,
       .b = b,
       .value = between(0.1, 2),
       .start = chance(1, 2) ? 0 : between(-1, 1)});
  return network_.elements.size() - 1;
}

void Builder::source(std::size_t a, std::size_t b, bool is_voltage, const Wave& wave) {
  add({.kind = is_voltage ? Element::Kind::voltage : Element::Kind::current, .a = a, .b = b, .wave = wave});
}

void Builder::diode(std::size_t a, std::size_t b) {
  const Spelling spelling = is_mixed_ ? static_cast<Spelling>(draw_.below(kSpellings)) : spelling_;
  add({.kind = Element::Kind::diode, .a = a, .b = b, .ron = ron_, .goff = goff_, .spelling = spelling});
}

void Builder::thyristor(std::size_t a, std::size_t b, const Control& fire) {
  diode(a, b);
  network_.elements.back().spelling = Spelling::boolean;
  network_.elements.back().is_thyristor = true;
  network_.elements.back().control = fire;
}

void Builder::contact(std::size_t a, std::size_t b, const Control& control) {
  add({.kind = Element::Kind::open_close, .a = a, .b = b, .ron = ron_, .goff = goff_, .control = control});
}

Wave Builder::alternating() {
  Wave wave;
  constexpr Wave::Kind kKinds[] = {Wave::Kind::sine, Wave::Kind::sine, Wave::Kind::square,
                                   Wave::Kind::square_by_sine};
  wave.kind = kKinds[draw_.below(4)];
  wave.mean = chance(1, 2) ? 0 : between(-0.8, 0.8);
  wave.amplitude = between(1, 4);
  wave.rate = between(1, 5);
  wave.phase = wave.kind == Wave::Kind::square ? 0 : between(0.1, 3);
  wave.period = between(1, 3);
  wave.duty = between(0.2, 0.8);
  return wave;
}

Wave Builder::constant(Real low, Real high) {
  return {.kind = Wave::Kind::constant, .mean = between(low, high)};
}

Control Builder::any_control() {
  Control control;
  const std::vector<std::size_t> states = network_.states();
  control.kind = static_cast<Control::Kind>(draw_.below(states.empty() ? 4 : 6));
  control.on = between(0.2, 0.8 * network_.stop);
  control.off = control.on + between(0.2, 1.5);
  control.period = between(0.5, 2);
  control.duty = between(0.2, 0.8);
  control.is_inverted = chance(1, 3);
  control.has_boolean = chance(1, 2);
  if (!states.empty()) {
    control.state = states[draw_.below(states.size())];
  }
  if (control.kind == Control::Kind::threshold) {
    control.on = between(-0.5, 1);
  } else if (control.kind == Control::Kind::hysteresis) {
    control.on = between(-0.5, 0.5);
    control.off = control.on + between(0.2, 0.6);
  }
  return control;
}

}  // namespace saltus::test::circuits
