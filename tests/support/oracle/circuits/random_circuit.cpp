#include "support/oracle/circuits/random_circuit.hpp"

#include <algorithm>

#include "support/oracle/circuits/builder.hpp"
#include "support/oracle/circuits/circuit_oracle.hpp"

namespace saltus::test::circuits {

const char* to_string(Family family) {
  switch (family) {
    case Family::halfwave: return "halfwave";
    case Family::bridge: return "bridge";
    case Family::clipper: return "clipper";
    case Family::ladder: return "ladder";
    case Family::converter: return "converter";
    case Family::network: return "network";
    case Family::switched: return "switched";
    case Family::changing: return "changing";
    case Family::jumps: return "jumps";
    case Family::many: return "many";
    case Family::thyristors: return "thyristors";
    case Family::units: return "units";
  }
  return "";
}

namespace {

/// A number is drawn where it is needed.
struct Range {
  std::size_t least = 0;
  std::size_t n = 0;
};
struct Sizes {
  Range nodes;
  Range states;
  Range diodes;
  Range switches;
};

std::size_t draw(Builder& builder, const Range& range) {
  return range.n == 0 ? range.least : range.least + builder.below(range.n);
}

void connect(Builder& builder, const Sizes& sizes) {
  const std::size_t n_nodes = draw(builder, sizes.nodes);
  std::vector<std::size_t> nodes = {0};
  for (std::size_t k = 0; k < n_nodes; ++k) {
    nodes.push_back(builder.node());
    builder.resistor(nodes.back(), nodes[builder.below(nodes.size() - 1)], 0.5, 6);
    if (builder.chance(1, 3)) {
      builder.resistor(nodes.back(), 0, 2, 20);
    }
  }
  const auto pair = [&] {
    const std::size_t a = builder.below(nodes.size());
    const std::size_t b = (a + 1 + builder.below(nodes.size() - 1)) % nodes.size();
    return std::pair(nodes[a], nodes[b]);
  };
  // A voltage behind a resistor, or a current.
  const std::size_t n_sources = 1 + builder.below(2);
  for (std::size_t k = 0; k < n_sources; ++k) {
    const auto [a, b] = pair();
    const Wave wave = k == 0 ? builder.alternating() : builder.constant(-1.5, 1.5);
    if (builder.chance(1, 3)) {
      builder.source(a, b, false, wave);
    } else {
      const std::size_t end = builder.node();
      builder.source(end, b, true, wave);
      builder.resistor(end, a, 0.2, 2);
    }
  }
  const std::size_t n_states = draw(builder, sizes.states);
  for (std::size_t k = 0; k < n_states; ++k) {
    const auto [a, b] = pair();
    if (builder.chance(2, 3)) {
      const std::size_t middle = builder.node();
      builder.capacitor(a, middle);
      builder.resistor(middle, b, 0.1, 1.5);
    } else {
      builder.inductor(a, b);
      builder.resistor(a, b, 1, 8);
    }
  }
  const std::size_t n_diodes = draw(builder, sizes.diodes);
  std::vector<std::pair<std::size_t, std::size_t>> used;
  for (std::size_t k = 0; k < n_diodes; ++k) {
    const auto [a, b] = pair();
    // Two ideal diodes side by side leave open which of them has the current.
    const std::pair ends(std::min(a, b), std::max(a, b));
    const bool is_new = std::find(used.begin(), used.end(), ends) == used.end();
    used.push_back(ends);
    if (is_new && builder.chance(1, 2)) {
      builder.diode(a, b);
    } else {
      const std::size_t middle = builder.node();
      builder.diode(a, middle);
      builder.resistor(middle, b, 0.1, 1.5);
    }
  }
  const std::size_t n_switches = draw(builder, sizes.switches);
  for (std::size_t k = 0; k < n_switches; ++k) {
    const auto [a, b] = pair();
    builder.contact(a, b, builder.any_control());
  }
}

}  // namespace

void add_network(Builder& builder, bool has_switches) {
  connect(builder, {.nodes = {2, 3},
                    .states = {1, 3},
                    .diodes = {1, 6},
                    .switches = {has_switches ? 1U : 0U, has_switches ? 2U : 0U}});
}

void add_many(Builder& builder) {
  switch (builder.below(3)) {
    case 0: add_ladder(builder, 11, 30); break;
    case 1: add_star(builder, 11 + builder.below(30)); break;
    default:
      builder.make_resistive();
      connect(builder, {.nodes = {5, 6}, .states = {1, 4}, .diodes = {11, 15}, .switches = {}});
  }
}

Network random_circuit(Family family, std::uint32_t seed) {
  // Seeds of neighbours are not neighbours of each other.
  Builder builder(seed * 2654435761U + static_cast<std::uint32_t>(family) * 40503U);
  Family shape = family;
  if (family == Family::units) {
    constexpr Family kShapes[] = {Family::halfwave,  Family::bridge,  Family::clipper, Family::ladder,
                                  Family::converter, Family::network, Family::switched};
    shape = kShapes[builder.below(7)];
  }
  switch (shape) {
    case Family::halfwave: add_halfwave(builder); break;
    case Family::bridge: add_bridge(builder); break;
    case Family::clipper: add_clipper(builder); break;
    case Family::ladder: add_ladder(builder, 2, 6); break;
    case Family::converter: add_converter(builder); break;
    case Family::network: add_network(builder, false); break;
    case Family::switched: add_network(builder, true); break;
    case Family::jumps: add_jumps(builder); break;
    case Family::many: add_many(builder); break;
    case Family::thyristors: add_thyristors(builder); break;
    case Family::changing:
    case Family::units: add_changing(builder); break;
  }
  Network& network = builder.network();
  if (family == Family::units) {
    constexpr Real kTimes[] = {1e-3, 1e-6, 0.1};
    constexpr Real kVolts[] = {1, 10, 100};
    constexpr Real kOhms[] = {1, 100, 1000};
    network.units = {.time = kTimes[builder.below(3)],
                     .voltage = kVolts[builder.below(3)],
                     .impedance = kOhms[builder.below(3)],
                     .has_nominal = builder.chance(1, 2)};
  }
  network.name = std::string(to_string(family)) + ":" + std::to_string(seed);
  return network;
}

}  // namespace saltus::test::circuits
