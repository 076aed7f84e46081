// Shapes of textbooks.
#include "support/oracle/circuits/builder.hpp"

namespace saltus::test::circuits {
namespace {

/// A resistor, sometimes with an inductor in series that another resistor bridges.
void impedance(Builder& builder, std::size_t a, std::size_t b) {
  if (!builder.chance(1, 3)) {
    builder.resistor(a, b);
    return;
  }
  const std::size_t middle = builder.node();
  builder.resistor(a, middle);
  builder.inductor(middle, b);
  builder.resistor(middle, b, 1, 8);
}

/// A resistor to ground, sometimes beside a capacitor behind another.
void load(Builder& builder, std::size_t a, std::size_t b) {
  builder.resistor(a, b, 0.5, 5);
  if (builder.chance(2, 3)) {
    const std::size_t middle = builder.node();
    builder.resistor(a, middle, 0.1, 1);
    builder.capacitor(middle, b);
  }
}

}  // namespace

void add_halfwave(Builder& builder) {
  const std::size_t in = builder.node();
  const std::size_t anode = builder.node();
  const std::size_t cathode = builder.node();
  builder.source(in, 0, true, builder.alternating());
  impedance(builder, in, anode);
  builder.diode(anode, cathode);
  load(builder, cathode, 0);
  if (builder.chance(1, 3)) {
    builder.diode(0, anode);
  }
  if (builder.chance(1, 3)) {
    builder.diode(0, cathode);
  }
}

void add_bridge(Builder& builder) {
  const std::size_t in = builder.node();
  const std::size_t left = builder.node();
  const std::size_t right = builder.node();
  const std::size_t top = builder.node();
  builder.source(in, right, true, builder.alternating());
  impedance(builder, in, left);
  builder.diode(left, top);
  builder.diode(right, top);
  builder.diode(0, left);
  builder.diode(0, right);
  load(builder, top, 0);
  if (builder.is_ideal() || builder.chance(1, 3)) {
    builder.resistor(right, 0, 20, 200);
  }
}

void add_clipper(Builder& builder) {
  const std::size_t in = builder.node();
  const std::size_t out = builder.node();
  builder.source(in, 0, true, builder.alternating());
  impedance(builder, in, out);
  load(builder, out, 0);
  const std::size_t n = 1 + builder.below(4);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t end = builder.node();
    std::size_t begin = out;
    if (builder.chance(1, 2)) {
      begin = builder.node();
      builder.resistor(out, begin, 0.1, 1);
    }
    if (builder.chance(1, 2)) {
      builder.diode(begin, end);
      builder.source(end, 0, true, builder.constant(0.2, 1.5));
    } else {
      builder.diode(end, begin);
      builder.source(end, 0, true, builder.constant(-1.5, -0.2));
    }
  }
}

void add_ladder(Builder& builder, std::size_t least, std::size_t most) {
  std::size_t at = builder.node();
  builder.source(at, 0, true, builder.alternating());
  const std::size_t n_sections = least + builder.below(most - least + 1);
  for (std::size_t k = 0; k < n_sections; ++k) {
    const std::size_t middle = builder.node();
    const std::size_t next = builder.node();
    builder.resistor(at, middle, 0.2, 1.5);
    if (builder.chance(1, 4)) {
      builder.diode(next, middle);
    } else {
      builder.diode(middle, next);
    }
    builder.resistor(next, 0, 2, 10);
    if (builder.chance(2, 3)) {
      builder.capacitor(next, 0);
    }
    if (builder.chance(1, 5)) {
      builder.diode(0, middle);
    }
    at = next;
  }
}

void add_star(Builder& builder, std::size_t n_branches) {
  const std::size_t in = builder.node();
  const std::size_t middle = builder.node();
  builder.source(in, 0, true, builder.alternating());
  builder.resistor(in, middle, 0.1, 0.5);
  for (std::size_t k = 0; k < n_branches; ++k) {
    const std::size_t begin = builder.node();
    const std::size_t end = builder.node();
    builder.resistor(middle, begin, 0.5, 5);
    if (builder.chance(1, 2)) {
      builder.diode(begin, end);
    } else {
      builder.diode(end, begin);
    }
    builder.resistor(end, 0, 1, 5);
    if (builder.chance(1, 4)) {
      builder.capacitor(end, 0);
    }
    if (builder.chance(1, 2)) {
      builder.source(end, 0, false, builder.constant(-0.3, 0.3));
    }
  }
}

void add_thyristors(Builder& builder) {
  Wave wave = builder.alternating();
  wave.kind = Wave::Kind::sine;
  Control fire;
  fire.kind = builder.chance(3, 4) ? Control::Kind::modulated : Control::Kind::window;
  fire.period = builder.between(0.6, 2.5);
  fire.duty = builder.between(0.1, 0.6);
  fire.on = builder.between(0.3, 2);
  fire.off = fire.on + builder.between(0.3, 2);
  fire.has_boolean = builder.chance(1, 2);
  const std::size_t in = builder.node();
  const std::size_t left = builder.node();
  const std::size_t top = builder.node();
  if (builder.chance(1, 2)) {  // half a wave, perhaps with a freewheeling diode
    builder.source(in, 0, true, wave);
    impedance(builder, in, left);
    builder.thyristor(left, top, fire);
    load(builder, top, 0);
    if (builder.chance(1, 2)) {
      builder.diode(0, top);
    }
    return;
  }
  const std::size_t right = builder.node();
  builder.source(in, right, true, wave);
  impedance(builder, in, left);
  builder.thyristor(left, top, fire);
  builder.thyristor(right, top, fire);
  if (builder.chance(1, 2)) {
    builder.diode(0, left);
    builder.diode(0, right);
  } else {
    builder.thyristor(0, left, fire);
    builder.thyristor(0, right, fire);
  }
  load(builder, top, 0);
  builder.resistor(left, 0, 20, 200);
  builder.resistor(right, 0, 20, 200);
}

void add_converter(Builder& builder) {
  Control control;
  control.kind = Control::Kind::modulated;
  control.period = builder.between(0.3, 1);
  control.duty = builder.between(0.2, 0.8);
  control.has_boolean = builder.chance(2, 3);
  const std::size_t in = builder.node();
  const std::size_t middle = builder.node();
  const std::size_t out = builder.node();
  builder.source(in, 0, true, builder.constant(1, 5));
  switch (builder.below(3)) {
    case 0:  // buck
      builder.contact(in, middle, control);
      builder.diode(0, middle);
      builder.inductor(middle, out);
      break;
    case 1:  // boost
      builder.inductor(in, middle);
      builder.contact(middle, 0, control);
      builder.diode(middle, out);
      break;
    default:  // buck-boost
      builder.contact(in, middle, control);
      builder.inductor(middle, 0);
      builder.diode(out, middle);
  }
  const std::size_t coil = builder.network().states().front();
  builder.network().elements[coil].start = 0;
  const std::size_t last = builder.capacitor(out, 0);
  builder.network().elements[last].start = builder.between(0.2, 2);
  builder.resistor(out, 0, 0.5, 6);
  if (builder.is_ideal()) {
    builder.resistor(middle, 0, 5, 100);
  }
}

}  // namespace saltus::test::circuits
