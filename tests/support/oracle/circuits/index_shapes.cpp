// Ideal elements whose combinations change the index, or make states jump.
#include "support/oracle/circuits/builder.hpp"

namespace saltus::test::circuits {
namespace {

/// By time, at the start open or closed.
Control by_time(Builder& builder, bool is_closed) {
  Control control;
  constexpr Control::Kind kKinds[] = {Control::Kind::after, Control::Kind::window, Control::Kind::latch,
                                      Control::Kind::modulated};
  control.kind = kKinds[builder.below(4)];
  control.on = builder.between(0.4, 2.5);
  control.off = control.on + builder.between(0.3, 1.5);
  control.period = builder.between(0.8, 2);
  control.duty = builder.between(0.3, 0.7);
  control.is_inverted = is_closed != (control.kind == Control::Kind::modulated);
  control.has_boolean = builder.chance(1, 2);
  return control;
}

/// A source behind a resistor and a capacitor.
std::size_t charged(Builder& builder) {
  const std::size_t in = builder.node();
  const std::size_t out = builder.node();
  builder.source(in, 0, true, builder.chance(1, 2) ? builder.alternating() : builder.constant(0.5, 3));
  builder.resistor(in, out);
  builder.capacitor(out, 0);
  return out;
}

/// A capacitor beside a resistor; not below zero.
std::size_t discharged(Builder& builder) {
  const std::size_t out = builder.node();
  builder.resistor(out, 0);
  builder.network().elements[builder.capacitor(out, 0)].start = builder.between(0.1, 2);
  return out;
}

}  // namespace

void add_changing(Builder& builder) {
  builder.make_ideal();
  const std::size_t in = builder.node();
  const std::size_t out = builder.node();
  switch (builder.below(4)) {
    case 0: {  // a capacitor behind a diode at a sine
      Wave wave = builder.alternating();
      wave.kind = Wave::Kind::sine;
      wave.phase = 0.1;
      builder.source(in, 0, true, wave);
      builder.diode(in, out);
      const std::size_t last = builder.capacitor(out, 0);
      builder.network().elements[last].start = builder.between(1, 3);
      builder.resistor(out, 0);
      return;
    }
    case 1: {  // an inductor in series with a diode
      builder.source(in, 0, true, builder.alternating());
      const std::size_t middle = builder.node();
      const std::size_t coil = builder.inductor(in, middle);
      builder.network().elements[coil].start = 0;
      builder.diode(middle, out);
      builder.resistor(out, 0);
      if (builder.chance(1, 2)) {
        builder.capacitor(out, 0);
      }
      return;
    }
    case 2: {  // a freewheeling inductor
      builder.source(in, 0, true, builder.alternating());
      builder.diode(in, out);
      builder.diode(0, out);
      const std::size_t middle = builder.node();
      const std::size_t coil = builder.inductor(out, middle);
      builder.network().elements[coil].start = builder.between(0.1, 1);
      builder.resistor(middle, 0);
      return;
    }
    default: {  // a converter whose current ends
      Control control;
      control.kind = Control::Kind::modulated;
      control.period = builder.between(0.5, 1);
      control.duty = builder.between(0.2, 0.5);
      builder.source(in, 0, true, builder.constant(1, 4));
      const std::size_t middle = builder.node();
      builder.contact(in, middle, control);
      builder.diode(0, middle);
      const std::size_t coil = builder.inductor(middle, out);
      builder.network().elements[coil].start = 0;
      builder.capacitor(out, 0);
      builder.resistor(out, 0, 1, 20);
    }
  }
}

void add_jumps(Builder& builder) {
  builder.make_ideal();
  switch (builder.below(5)) {
    case 0: {  // a switch joins two capacitors
      const std::size_t left = charged(builder);
      const std::size_t right = discharged(builder);
      builder.contact(left, right, by_time(builder, false));
      return;
    }
    case 1: {  // … over a diode, perhaps to a third
      const std::size_t left = charged(builder);
      const std::size_t middle = builder.node();
      builder.contact(left, middle, by_time(builder, false));
      builder.resistor(middle, 0, 5, 50);
      builder.diode(middle, discharged(builder));
      if (builder.chance(1, 2)) {
        builder.diode(middle, discharged(builder));
      }
      return;
    }
    case 2: {  // a diode between a source with edges and a capacitor
      Wave wave = builder.alternating();
      wave.kind = builder.chance(1, 2) ? Wave::Kind::square : Wave::Kind::square_by_sine;
      const std::size_t in = builder.node();
      builder.source(in, 0, true, wave);
      const std::size_t out = discharged(builder);
      builder.network().elements.back().start = wave.mean + wave.amplitude + 0.1;
      builder.diode(in, out);
      return;
    }
    case 3: {  // an opening switch puts two inductors in series
      const std::size_t in = builder.node();
      const std::size_t middle = builder.node();
      const std::size_t out = builder.node();
      builder.source(in, 0, true, builder.chance(1, 2) ? builder.alternating() : builder.constant(0.5, 3));
      const std::size_t front = builder.node();
      builder.resistor(in, front);
      builder.inductor(front, middle);
      builder.inductor(middle, out);
      builder.resistor(out, 0);
      builder.contact(middle, 0, by_time(builder, true));
      return;
    }
    default: {  // a switch cuts an inductor, beside a freewheeling diode or not
      const std::size_t in = builder.node();
      const std::size_t middle = builder.node();
      const std::size_t out = builder.node();
      const bool is_freewheeling = builder.chance(2, 3);
      // A negative source would be shorted by switch and diode.
      builder.source(in, 0, true, is_freewheeling ? builder.constant(0.5, 3) : builder.alternating());
      builder.contact(in, middle, by_time(builder, builder.chance(1, 2)));
      builder.network().elements[builder.inductor(middle, out)].start = 0;
      builder.resistor(out, 0);
      if (is_freewheeling) {
        builder.diode(0, middle);
      }
    }
  }
}

}  // namespace saltus::test::circuits
