// Brute force over the combinations of ideal diodes, beside values found by hand.
#include "support/oracle/circuits/circuit_oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace saltus::test::circuits {
namespace {

using Kind = Element::Kind;
using Outcome = CircuitRun::Outcome;

Element element(Kind kind, std::size_t a, std::size_t b, Real value, Real start = 0) {
  return {.kind = kind, .a = a, .b = b, .value = value, .start = start};
}
Element diode(std::size_t a, std::size_t b, Real ron = 0, Real goff = 0) {
  return {.kind = Kind::diode, .a = a, .b = b, .ron = ron, .goff = goff};
}
Element sine(std::size_t a, std::size_t b, Real amplitude, Real rate, Real phase = 0) {
  return {.kind = Kind::voltage,
          .a = a,
          .b = b,
          .wave = {.kind = Wave::Kind::sine, .amplitude = amplitude, .rate = rate, .phase = phase}};
}
Element constant(std::size_t a, std::size_t b, Real value) {
  return {.kind = Kind::voltage, .a = a, .b = b, .wave = {.kind = Wave::Kind::constant, .mean = value}};
}

Real voltage(const Network& network, const CircuitRun& run, std::size_t element, Real t) {
  const CircuitPiece& piece = run.piece_at(t, true);
  return voltage_row(network, piece.combination->y, element).dot(CircuitRun::w_at(piece, t));
}
Real current(const Network& network, const CircuitRun& run, std::size_t element, Real t) {
  const CircuitPiece& piece = run.piece_at(t, true);
  return current_row(network, piece.combination->y, element).dot(CircuitRun::w_at(piece, t));
}

std::vector<Real> times_of(const CircuitRun& run) {
  std::vector<Real> times;
  for (const CircuitInstant& instant : run.instants) {
    times.push_back(instant.time);
  }
  return times;
}

void expect_times(const CircuitRun& run, const std::vector<Real>& expected) {
  ASSERT_EQ(run.outcome, Outcome::complete) << run.why;
  const std::vector<Real> times = times_of(run);
  ASSERT_EQ(times.size(), expected.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(times[i], expected[i], 1e-11) << i;
  }
}

TEST(CircuitOracle, AHalfWaveConductsWhereTheSourceIsPositive) {
  const Network network{.n_nodes = 2,
                        .elements = {sine(1, 0, 3, 2, 0.5), diode(1, 2), element(Kind::resistor, 2, 0, 2)},
                        .stop = 4};
  const CircuitRun run = solve(network);
  const Real pi = std::numbers::pi;
  expect_times(run, {(pi - 0.5) / 2, (2 * pi - 0.5) / 2});
  EXPECT_NEAR(current(network, run, 2, 0.2), 1.5 * std::sin(0.9), 1e-13);
  EXPECT_NEAR(current(network, run, 2, 2), 0, 1e-13);
  EXPECT_NEAR(voltage(network, run, 1, 2), 3 * std::sin(4.5), 1e-13);
}

TEST(CircuitOracle, ADiodeBlocksWhereItsCurrentEnds) {
  // u = 2 sin(t + 1) over R = 1 and the diode to C = 1 from v = 0: v' = u - v while u > v.
  // v = sin(t + 1) - cos(t + 1) + k e^(-t), k = cos 1 - sin 1; the end is where u = v.
  const Network network{.n_nodes = 3,
                        .elements = {sine(1, 0, 2, 1, 1), element(Kind::resistor, 1, 2, 1), diode(2, 3),
                                     element(Kind::capacitor, 3, 0, 1)},
                        .stop = 4};
  const auto v = [](Real t) {
    return std::sin(t + 1) - std::cos(t + 1) + (std::cos(1.0) - std::sin(1.0)) * std::exp(-t);
  };
  Real low = 0.5;
  Real high = 3;
  for (int i = 0; i < 60; ++i) {
    const Real middle = (low + high) / 2;
    (2 * std::sin(middle + 1) > v(middle) ? low : high) = middle;
  }
  const CircuitRun run = solve(network);
  expect_times(run, {low});
  EXPECT_NEAR(voltage(network, run, 3, 0.7), v(0.7), 1e-12);
  EXPECT_NEAR(voltage(network, run, 3, 4), v(low), 1e-12);
}

TEST(CircuitOracle, ABridgeGivesTheAbsoluteValue) {
  // u = 2 sin t behind 1 into a load of 3: 3/4·|u|.
  const Network network{.n_nodes = 4,
                        .elements = {sine(1, 3, 2, 1, 0.5), element(Kind::resistor, 1, 2, 1), diode(2, 4),
                                     diode(3, 4), diode(0, 2), diode(0, 3), element(Kind::resistor, 4, 0, 3),
                                     element(Kind::resistor, 3, 0, 100)},
                        .stop = 6.5};
  const CircuitRun run = solve(network);
  ASSERT_EQ(run.outcome, Outcome::complete) << run.why;
  for (const Real t : {0.3, 2.0, 3.0, 4.5, 6.2}) {
    EXPECT_NEAR(voltage(network, run, 6, t), 1.5 * std::abs(std::sin(t + 0.5)), 0.02) << t;
  }
  // The other way the diodes of the lower half have it without the leak: exactly 3/4.
  EXPECT_NEAR(voltage(network, run, 6, 2), 1.5 * std::sin(2.5), 1e-12);
}

TEST(CircuitOracle, APeakRectifierChangesItsIndex) {
  // v = u = 2 sin t while C u' + u/R > 0 (C = R = 1: up to 3π/4), then v = √2 e^(-(t - 3π/4)) until u meets it again.
  const Network network{
      .n_nodes = 2,
      .elements = {sine(1, 0, 2, 1, 0.5), diode(1, 2), element(Kind::capacitor, 2, 0, 1, 2 * std::sin(0.5)),
                   element(Kind::resistor, 2, 0, 1)},
      .stop = 5};
  const Real end = 0.75 * std::numbers::pi - 0.5;
  const CircuitRun run = solve(network);
  expect_times(run, {end});
  EXPECT_TRUE(run.changes_index);
  EXPECT_NEAR(voltage(network, run, 2, 1), 2 * std::sin(1.5), 1e-12);
  EXPECT_NEAR(voltage(network, run, 2, 4), std::numbers::sqrt2 * std::exp(end - 4), 1e-11);
  EXPECT_NEAR(current(network, run, 1, 1), 2 * std::cos(1.5) + 2 * std::sin(1.5), 1e-12);
}

TEST(CircuitOracle, ABuckConverterHasItsPublishedValues) {
  // 24 V, 100 µH, 47 µF, 20 Ω, 50 kHz, duty 0.4; time in milliseconds. The values are those of an independent computation.
  Element contact{.kind = Kind::open_close, .a = 1, .b = 2, .ron = 1e-5, .goff = 1e-5};
  contact.control = {.kind = Control::Kind::modulated, .period = 0.02, .duty = 0.4};
  const Network network{
      .n_nodes = 3,
      .elements = {constant(1, 0, 24), contact, diode(0, 2, 1e-5, 1e-5), element(Kind::inductor, 2, 3, 0.1),
                   element(Kind::capacitor, 3, 0, 0.047), element(Kind::resistor, 3, 0, 20)},
      .stop = 0.9999999};
  const CircuitRun run = solve(network);
  ASSERT_EQ(run.outcome, Outcome::complete) << run.why;
  std::size_t n = 0;
  for (const CircuitInstant& instant : run.instants) {
    n += instant.before.conducting != instant.after.conducting ? 1 : 0;
  }
  EXPECT_NEAR(voltage(network, run, 4, 0.9999999), 11.39279, 1e-5);
  EXPECT_NEAR(current(network, run, 3, 0.9999999), 1.214e-5, 2e-7);
  EXPECT_EQ(n, 100U);
}

TEST(CircuitOracle, AThyristorWaitsUntilItIsFired) {
  // u = sin t, fired in (1, 1.5) and never again: conducts from 1 to π, then blocks for good.
  Element thyristor = diode(1, 2);
  thyristor.is_thyristor = true;
  thyristor.control = {.kind = Control::Kind::window, .on = 1, .off = 1.5};
  const Network network{.n_nodes = 2,
                        .elements = {sine(1, 0, 1, 1, 0), thyristor, element(Kind::resistor, 2, 0, 2)},
                        .stop = 8};
  const CircuitRun run = solve(network);
  expect_times(run, {1, 1.5, std::numbers::pi});
  EXPECT_NEAR(current(network, run, 1, 0.9), 0, 1e-13);
  EXPECT_NEAR(voltage(network, run, 1, 0.9), std::sin(0.9), 1e-13);
  EXPECT_NEAR(current(network, run, 1, 2), std::sin(2.0) / 2, 1e-13);
  EXPECT_NEAR(voltage(network, run, 1, 7), std::sin(7.0), 1e-13);
}

TEST(CircuitOracle, JoinedCapacitorsKeepTheirCharge) {
  // 4 V on 1 F and 0 V on 3 F, joined at 1: 1 V; the leaks do nothing within 1e-4.
  Element contact{.kind = Kind::open_close, .a = 1, .b = 2};
  contact.control = {.kind = Control::Kind::after, .on = 1};
  const Network network{
      .n_nodes = 2,
      .elements = {element(Kind::capacitor, 1, 0, 1, 4), element(Kind::capacitor, 2, 0, 3, 0), contact,
                   element(Kind::resistor, 1, 0, 1e5), element(Kind::resistor, 2, 0, 1e5)},
      .stop = 2};
  const CircuitRun run = solve(network);
  expect_times(run, {1});
  EXPECT_TRUE(run.has_jumps);
  EXPECT_NEAR(voltage(network, run, 0, 0.9), 4, 1e-4);
  EXPECT_NEAR(voltage(network, run, 0, 1.1), 1, 1e-4);
  EXPECT_NEAR(voltage(network, run, 1, 1.1), 1, 1e-4);
}

TEST(CircuitOracle, ADiodeBlocksANegativeImpulse) {
  // The switch joins 1 F with 4 V to diodes towards 1 V on 1 F and towards 6 V on 1 F: the charge goes to the first alone.
  Element contact{.kind = Kind::open_close, .a = 1, .b = 2};
  contact.control = {.kind = Control::Kind::after, .on = 1};
  const Network network{
      .n_nodes = 4,
      .elements = {element(Kind::capacitor, 1, 0, 1, 4), element(Kind::capacitor, 3, 0, 1, 1),
                   element(Kind::capacitor, 4, 0, 1, 6), contact, diode(2, 3), diode(2, 4),
                   element(Kind::resistor, 2, 0, 1e5), element(Kind::resistor, 1, 0, 1e5),
                   element(Kind::resistor, 3, 0, 1e5), element(Kind::resistor, 4, 0, 1e5)},
      .stop = 2};
  const CircuitRun run = solve(network);
  ASSERT_EQ(run.outcome, Outcome::complete) << run.why;
  EXPECT_NEAR(voltage(network, run, 0, 1.5), 2.5, 1e-4);
  EXPECT_NEAR(voltage(network, run, 1, 1.5), 2.5, 1e-4);
  EXPECT_NEAR(voltage(network, run, 2, 1.5), 6, 1e-4);
}

TEST(CircuitOracle, WhatIsOpenIsSaid) {
  const Network two_ways{
      .n_nodes = 2,
      .elements = {sine(1, 0, 1, 1, 1), element(Kind::resistor, 1, 2, 1), diode(2, 0), diode(2, 0)},
      .stop = 1};
  EXPECT_NE(solve(two_ways).outcome, Outcome::complete);
  const Network jump{
      .n_nodes = 1,
      .elements = {element(Kind::capacitor, 1, 0, 1, 2), diode(1, 0), element(Kind::resistor, 1, 0, 1)},
      .stop = 1};
  EXPECT_NE(solve(jump).outcome, Outcome::complete);
}

}  // namespace
}  // namespace saltus::test::circuits
