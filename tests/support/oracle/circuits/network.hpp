/// Networks of resistors, capacitors, inductors, sources, ideal diodes and switches: what the random generator makes, the writer spells
/// and the oracle solves.
///
/// Notation     Node 0 is the ground. An element leads from node a to node b: v = p_a - p_b, i flows from a to b.
///              Diode: conducting v = Ron·i, i ≥ 0; blocking i = Goff·v, v ≤ 0. Ron = Goff = 0 is the ideal one. A switch has the same two
///              laws and a control instead of the signs. A thyristor blocks whatever its voltage until its control fires.
///              Values are near 1; `Units` say how the model text scales them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace saltus::test::circuits {

using Real = double;

/// A source as a function of time.
struct Wave {
  enum class Kind {
    constant,
    sine,           ///< mean + amplitude·sin(rate·t + phase)
    square,         ///< mean ± amplitude, by mod(t + phase, period) < duty·period
    square_by_sine  ///< mean ± amplitude, by sin(rate·t + phase) > 0
  };
  Kind kind = Kind::constant;
  Real mean = 0;
  Real amplitude = 0;
  Real rate = 1;
  Real phase = 0;
  Real period = 1;
  Real duty = 0.5;
};

/// How a diode is written.
enum class Spelling {
  boolean,     ///< off = s < 0; v = if off then s else 0; i = if off then 0 else s
  relation,    ///< v = if s < 0 then s else 0; i = if s < 0 then 0 else s
  minimum,     ///< 0 = min(i, -v), 0 = max(-i, v)
  difference,  ///< v = if s < 0 then s else 0; i = s - v
};
inline constexpr int kSpellings = 4;
[[nodiscard]] const char* to_string(Spelling spelling);

/// What closes a switch.
struct Control {
  enum class Kind {
    after,       ///< time > on
    window,      ///< time > on and time < off
    latch,       ///< when time > on, closed from then on
    modulated,   ///< mod(time, period) < duty·period
    threshold,   ///< a state above `on`
    hysteresis,  ///< closed below `on`, opened above `off`: when, elsewhen
  };
  Kind kind = Kind::after;
  Real on = 0;
  Real off = 0;
  Real period = 1;
  Real duty = 0.5;
  std::size_t state = 0;     ///< an element: capacitor or inductor
  bool is_inverted = false;  ///< open where it would be closed
  bool has_boolean = true;   ///< a Boolean of its own, or the relation in place
};

struct Element {
  enum class Kind { resistor, capacitor, inductor, voltage, current, diode, open_close };
  Kind kind = Kind::resistor;
  std::size_t a = 0;
  std::size_t b = 0;
  Real value = 1;  ///< R, C or L
  Real start = 0;  ///< of the voltage of a capacitor, the current of an inductor
  Wave wave{};
  Real ron = 0;
  Real goff = 0;
  Spelling spelling = Spelling::boolean;
  bool is_thyristor = false;  ///< a diode that begins to conduct only while its control is true
  Control control{};
  int variant = 0;  ///< of the writer
};

struct Units {
  Real time = 1;
  Real voltage = 1;
  Real impedance = 1;
  bool has_nominal = false;
};

struct Network {
  std::string name{};
  std::size_t n_nodes = 0;  ///< without the ground; nodes are 1 … n_nodes
  std::vector<Element> elements{};
  Real stop = 4;
  Units units{};
  std::size_t shuffle = 0;    ///< order of the equations
  bool has_counters = false;  ///< clauses that count the changes of Booleans

  [[nodiscard]] std::vector<std::size_t> of_kind(Element::Kind kind) const;
  /// Capacitors and inductors, in the order of the elements.
  [[nodiscard]] std::vector<std::size_t> states() const;
  /// R1, C2, D1, … numbered by kind.
  [[nodiscard]] std::string name_of(std::size_t element) const;
};

}  // namespace saltus::test::circuits
