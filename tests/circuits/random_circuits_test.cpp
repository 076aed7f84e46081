// The generator of circuits: the same texts everywhere, networks that brute force decides, and runs of the library that agree with it.
#include "support/oracle/circuits/random_circuit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/oracle/circuits/circuit_oracle.hpp"
#include "support/oracle/circuits/compare_circuit.hpp"
#include "support/oracle/circuits/write_network.hpp"

namespace saltus::test::circuits {
namespace {

constexpr std::uint32_t kSeeds = 24;

/// FNV-1a, so that a compiler that draws in another order is noticed.
std::uint32_t hash_of(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return hash;
}

TEST(RandomCircuits, AreTheSameForTheSameSeed) {
  std::uint32_t all = 0;
  for (int i = 0; i < kFamilies; ++i) {
    const auto family = static_cast<Family>(i);
    EXPECT_NE(write(random_circuit(family, 5)).text, write(random_circuit(family, 6)).text);
    all = all * 31 + hash_of(write(random_circuit(family, 7)).text);
  }
  EXPECT_EQ(all, 358784162U);
}

TEST(RandomCircuits, AreDecidedByBruteForce) {
  for (int i = 0; i < kFamilies; ++i) {
    const auto family = static_cast<Family>(i);
    std::size_t n_decided = 0;
    std::size_t n_instants = 0;
    for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
      const CircuitRun run = solve(random_circuit(family, seed));
      n_decided += run.outcome == CircuitRun::Outcome::complete ? 1 : 0;
      n_instants += run.instants.size();
    }
    EXPECT_GE(n_decided, 2 * kSeeds / 3) << to_string(family);
    EXPECT_GE(n_instants, 4 * kSeeds) << to_string(family);
  }
}

TEST(RandomCircuits, AreTheSameByPivoting) {
  std::size_t n_compared = 0;
  for (std::uint32_t seed = 1; seed <= 2 * kSeeds; ++seed) {
    const Network network = random_circuit(Family::network, seed);
    const CircuitRun all = solve(network);
    const CircuitRun pivots = solve(network, 0);
    // Singular combinations end the pivoting of ideal diodes.
    if (all.outcome != CircuitRun::Outcome::complete || pivots.outcome != CircuitRun::Outcome::complete) {
      continue;
    }
    ASSERT_EQ(all.instants.size(), pivots.instants.size()) << write(network).text;
    for (std::size_t k = 0; k < all.instants.size(); ++k) {
      EXPECT_NEAR(all.instants[k].time, pivots.instants[k].time, 1e-9);
    }
    EXPECT_LT((all.pieces.back().w.back() - pivots.pieces.back().w.back()).cwiseAbs().maxCoeff(), 1e-9);
    n_compared += all.instants.size();
  }
  EXPECT_GE(n_compared, 150U);
}

/// Part of a family in which the library agrees with brute force today; docs/campaign.md has the others.
struct Part {
  Family family;
  Spelling spelling;
  bool is_ideal;
};
constexpr Part kParts[] = {
    {Family::halfwave, Spelling::boolean, true},     {Family::halfwave, Spelling::boolean, false},
    {Family::halfwave, Spelling::relation, true},    {Family::halfwave, Spelling::relation, false},
    {Family::halfwave, Spelling::minimum, true},     {Family::halfwave, Spelling::difference, true},
    {Family::halfwave, Spelling::difference, false}, {Family::bridge, Spelling::boolean, true},
    {Family::bridge, Spelling::relation, false},     {Family::bridge, Spelling::minimum, true},
    {Family::clipper, Spelling::boolean, false},     {Family::clipper, Spelling::relation, false},
    {Family::clipper, Spelling::minimum, true},      {Family::clipper, Spelling::minimum, false},
    {Family::clipper, Spelling::difference, false},  {Family::ladder, Spelling::boolean, true},
    {Family::ladder, Spelling::relation, false},     {Family::jumps, Spelling::boolean, true},
    {Family::jumps, Spelling::relation, true},       {Family::bridge, Spelling::difference, true},
    {Family::ladder, Spelling::difference, false},   {Family::network, Spelling::boolean, false},
    {Family::network, Spelling::relation, true},     {Family::network, Spelling::relation, false},
    {Family::network, Spelling::minimum, true},      {Family::units, Spelling::relation, false},
    {Family::units, Spelling::minimum, true},        {Family::thyristors, Spelling::boolean, false},
    {Family::switched, Spelling::boolean, true},     {Family::switched, Spelling::relation, true},
    {Family::switched, Spelling::difference, true},  {Family::switched, Spelling::relation, false},
};

bool is_part(const Network& network, const Part& part) {
  return std::all_of(network.elements.begin(), network.elements.end(), [&](const Element& element) {
    return element.kind != Element::Kind::diode ||
           ((element.ron == 0) == part.is_ideal && element.spelling == part.spelling);
  });
}

TEST(RandomCircuits, AgreeWithBruteForce) {
  constexpr std::uint32_t kFirst = 1000;
  constexpr std::uint32_t kLast = 1119;
  const std::vector<std::string> methods = {"auto", "radau5", "bdf"};
  std::size_t n_compared = 0;
  std::size_t n_instants = 0;
  for (const Part& part : kParts) {
    for (std::uint32_t seed = kFirst; seed <= kLast; ++seed) {
      const Network network = random_circuit(part.family, seed);
      if (!is_part(network, part)) {
        continue;
      }
      for (const CircuitCheck& check : compare(network, {methods[seed % methods.size()]})) {
        const bool is_fine =
            check.verdict == CircuitCheck::Verdict::agrees || check.verdict == CircuitCheck::Verdict::aside;
        EXPECT_TRUE(is_fine) << check.method << " " << to_string(check.verdict) << ": " << check.what << "\n"
                             << write(network).text;
        n_compared += check.verdict == CircuitCheck::Verdict::agrees ? 1 : 0;
        n_instants += check.n_instants;
      }
    }
  }
  EXPECT_GE(n_compared, 200U);
  EXPECT_GE(n_instants, 2000U);
}

struct Named {
  Family family;
  std::uint32_t seed;
};

void expect_agreement(const std::vector<Named>& networks) {
  for (const Named named : networks) {
    const Network network = random_circuit(named.family, named.seed);
    for (const CircuitCheck& check : compare(network, {"auto", "radau5", "bdf"})) {
      EXPECT_EQ(check.verdict, CircuitCheck::Verdict::agrees)
          << to_string(named.family) << ":" << named.seed << " " << check.method << " " << check.what;
    }
  }
}

// A structure that is looked for after a round may turn a Boolean: that is a change of the next round, with its edges.
TEST(RandomCircuits, BooleansThatAStructureTurnsHaveTheirEdges) {
  expect_agreement({{Family::thyristors, 130008}});
}

// A diode through which capacitors share their charge may block after it: no row has the sides of the impulse.
TEST(RandomCircuits, RowsOfAnInstantHaveNotTheSidesOfItsImpulse) {
  expect_agreement({{Family::jumps, 20001}, {Family::jumps, 130019}});
}

// A diode whose voltage is zero for long, and whose side an error of the states far within their bounds turns; or with which another one
// exchanges its current (units).
TEST(RandomCircuits, ValuesAreThoseOfSomeStatesWithinTheirBounds) {
  expect_agreement({{Family::ladder, 20052}, {Family::many, 20022}, {Family::units, 220010}});
}

// A kink near its surface since the method was an explicit one went behind it by less than the errors of that method, and stayed there.
TEST(RandomCircuits, KinksThatGoBehindTheirSurfaceChangeTheirSide) {
  expect_agreement({{Family::many, 620138}});
}

// Sources of 1 MHz in networks whose states, if there are any, move more slowly: rates of guards by differences over 1e-5 s were noise.
TEST(RandomCircuits, SidesAreFoundWhereSourcesAloneAreFast) {
  expect_agreement(
      {{Family::units, 410008}, {Family::units, 410015}, {Family::units, 410047}, {Family::units, 610040}});
}

// Diodes in parallel ways cross together, and the rate of each depends on the sides of the others: no motion between the sides, but sides.
TEST(RandomCircuits, SidesAloneAreFoundWhereRatesAreNotAffine) {
  expect_agreement({{Family::units, 20007}, {Family::switched, 20064}});
}

// A diode that carries and blocks nothing at the start has the sign of what rounding leaves of it, another one with each of its sides.
TEST(RandomCircuits, RoundingMakesNoLoopAtTheStart) {
  expect_agreement({{Family::network, 20045}, {Family::bridge, 111024}, {Family::units, 130016}});
}

// Diodes that carry nothing and block nothing, and thyristors that turn off at what location has left: sides went to and fro between two
// structures, in some by one method alone; or a relation over what cancels in a block (bridge, units) was beyond a noise that was taken from
// two solutions which are off by the same.
TEST(RandomCircuits, SidesWithinRoundingMakeNoLoop) {
  expect_agreement({{Family::switched, 5001},
                    {Family::switched, 91012},
                    {Family::switched, 91038},
                    {Family::switched, 94007},
                    {Family::thyristors, 20083},
                    {Family::thyristors, 94025},
                    {Family::thyristors, 94029}});
}

}  // namespace
}  // namespace saltus::test::circuits
