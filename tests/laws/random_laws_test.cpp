// The generator of valves and friction: the same texts everywhere, references that are known, and runs of the library that agree with them.
#include "support/oracle/laws/random_laws.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "support/oracle/laws/compare_laws.hpp"

namespace saltus::test::laws {
namespace {

/// FNV-1a, so that a compiler that draws in another order is noticed.
std::uint32_t hash_of(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return hash;
}

TEST(RandomLaws, AreTheSameForTheSameSeed) {
  std::uint32_t all = 0;
  for (int i = 0; i < kFamilies; ++i) {
    const auto family = static_cast<Family>(i);
    EXPECT_NE(random_laws(family, 5).text, random_laws(family, 6).text);
    all = all * 31 + hash_of(random_laws(family, 7).text);
  }
  EXPECT_EQ(all, 367489334U);
}

// ḋ = -0.4·√d from 0.25 is zero from 2.5 on; one way and both ways.
TEST(LawSystem, LevelsMeetWhenTheyShould) {
  for (const LawKind kind : {LawKind::root_one_way, LawKind::root_both_ways}) {
    const LawSystem system{
        .start = {1.25, 1.0},
        .elements = {{.kind = kind, .argument = {{0, 1}, {1, -1}}, .effect = {{0, -0.2}, {1, 0.2}}}},
        .stop = 5};
    const auto rows = solve_regularised(system, {1.0, 2.0, 2.5, 5.0}, 1e-8, 1e-11);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_NEAR(rows[0][0] - rows[0][1], 0.09, 1e-7);
    EXPECT_NEAR(rows[1][0] - rows[1][1], 0.01, 1e-7);
    EXPECT_NEAR(rows[2][0] - rows[2][1], 0.0, 1e-7);
    EXPECT_NEAR(rows[3][0], 1.125, 1e-9);
  }
}

// A block that is thrown with 1 m/s against friction of 0.5 m/s² stops after 2 s and 1 m.
TEST(LawSystem, ABlockStopsWhereItShould) {
  const LawSystem system{.start = {0.0, 1.0},
                         .elements = {{.kind = LawKind::linear, .argument = {{1, 1}}, .effect = {{0, 1}}},
                                      {.kind = LawKind::sign, .argument = {{1, 1}}, .effect = {{1, -0.5}}}},
                         .stop = 4};
  const auto rows = solve_regularised(system, {1.0, 2.0, 4.0}, 1e-7, 1e-12);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_NEAR(rows[0][0], 0.75, 1e-6);
  EXPECT_NEAR(rows[2][0], 1.0, 1e-6);
  EXPECT_NEAR(rows[2][1], 0.0, 1e-6);
}

TEST(RandomLaws, AgreeWithRegularisedSolutions) {
  constexpr std::uint32_t kFirst = 1002;
  const std::vector<std::string> methods = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};
  std::size_t n_compared = 0;
  std::size_t n_events = 0;
  for (int i = 0; i < kFamilies; ++i) {
    const std::uint32_t n_seeds =
        is_hydraulic(static_cast<Family>(i)) ? 20 : 8;  // references of friction take longer
    for (std::uint32_t seed = kFirst; seed < kFirst + n_seeds; ++seed) {
      const LawModel model = random_laws(static_cast<Family>(i), seed);
      for (const LawCheck& check : compare(model, {methods[seed % methods.size()]})) {
        const bool is_fine =
            check.verdict == LawCheck::Verdict::agrees || check.verdict == LawCheck::Verdict::aside;
        EXPECT_TRUE(is_fine) << to_string(static_cast<Family>(i)) << ":" << seed << " " << check.method << " "
                             << to_string(check.verdict) << ": " << check.what << "\n"
                             << model.text;
        n_compared += check.verdict == LawCheck::Verdict::agrees ? 1 : 0;
        n_events += check.n_events;
      }
    }
  }
  EXPECT_GE(n_compared, 100U);
  EXPECT_GE(n_events, 1500U);
}

// Levels that leave zero while others rest, two laws over one difference, pressures with roundings of their own: what leaves zero is on its
// surface and on the side to which it moves, and rows within a step do not end the run behind it.
TEST(RandomLaws, WhatLeavesZeroHasValues) {
  const std::vector<std::pair<Family, std::uint32_t>> models = {
      {Family::pumped, 410017},    {Family::pumped, 610002},    {Family::pumped, 610095},
      {Family::pressures, 610008}, {Family::pressures, 610079},
  };
  for (const auto& [family, seed] : models) {
    for (const LawCheck& check : compare(random_laws(family, seed), {"auto", "radau5", "sdirk4", "bdf"})) {
      EXPECT_EQ(check.verdict, LawCheck::Verdict::agrees)
          << to_string(family) << ":" << seed << " " << check.method << " " << check.what;
    }
  }
}

// Springs without dampers keep the errors of all steps, of which bdf takes thousands.
TEST(RandomLaws, BoundsKnowHowManyStepsWereTaken) {
  for (const LawCheck& check : compare(random_laws(Family::belt, 410001), {"bdf"})) {
    EXPECT_EQ(check.verdict, LawCheck::Verdict::agrees) << check.what;
  }
}

}  // namespace
}  // namespace saltus::test::laws
