// Which paths are traced, and what verification finds.
#include "trace/exploration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/trace/traced_function.hpp"

namespace saltus::trace {
namespace {

using ::testing::HasSubstr;

TEST(Exploration, FewPathsAreAllTraced) {
  Exploration exploration = explorer_of([](const std::vector<Real>& x, std::span<Real> r) {
    double product = 1;
    for (int i = 0; i < 6; ++i) {
      product *= x[static_cast<std::size_t>(i)] > 0.35 ? 2 : 3;
    }
    r[0] = x[0] * product;
  });
  ASSERT_FALSE(exploration.begin());
  EXPECT_EQ(exploration.tree().leaves().size(), 64u);
  EXPECT_TRUE(exploration.residuals().is_complete);
  EXPECT_EQ(exploration.n_runs(), 64u + 2);  // the first is run again, and elsewhere
}

TEST(Exploration, AChainOfComparisonsHasOnePathMore) {
  Exploration exploration = explorer_of([](const std::vector<Real>& x, std::span<Real> r) {
    int n = 0;
    while (n < 100 && x[0] > n) {
      ++n;
    }
    r[0] = x[1] * n;
  });
  ASSERT_FALSE(exploration.begin());
  EXPECT_EQ(exploration.tree().leaves().size(), 101u);
  EXPECT_TRUE(exploration.residuals().is_complete);
}

// Two of 20 comparisons act together; nobody has traced both.
Exploration two_of_twenty() {
  return explorer_of(
      [](const std::vector<Real>& x, std::span<Real> r) {
        double k = 1;
        r[0] = x[0];
        for (std::size_t i = 0; i < 20; ++i) {
          const bool c = x[i] > 5;
          r[0] += c ? x[i] : x[0];
          if (i == 3 || i == 11) {
            k *= c ? 2 : 3;
          }
        }
        r[1] = x[1] * k;
      },
      2, 20);
}

Exploration::Outcomes all_false(const Residuals& residuals) {
  Exploration::Outcomes outcomes;
  for (const KnownDecision& decision : residuals.decisions) {
    outcomes.emplace(decision.less.value(), false);
  }
  return outcomes;
}

TEST(Exploration, WhatActsTogetherIsFoundByVerification) {
  Exploration exploration = two_of_twenty();
  ASSERT_FALSE(exploration.begin());
  Residuals residuals = exploration.residuals();
  EXPECT_FALSE(residuals.is_complete);
  ASSERT_EQ(residuals.decisions.size(), 20u);
  Exploration::Outcomes outcomes = all_false(residuals);
  EXPECT_EQ(exploration.verify(residuals, outcomes).kind, Verdict::Kind::holds);
  // Those that have nothing to do with each other are as was thought, in any combination.
  for (const std::size_t i : {0u, 1u, 5u, 9u, 17u, 19u}) {
    outcomes[residuals.decisions[i].less.value()] = true;
  }
  EXPECT_EQ(exploration.verify(residuals, outcomes).kind, Verdict::Kind::holds);
  const std::size_t n_before = exploration.tree().leaves().size();
  outcomes[residuals.decisions[3].less.value()] = true;
  outcomes[residuals.decisions[11].less.value()] = true;
  EXPECT_EQ(exploration.verify(residuals, outcomes).kind, Verdict::Kind::extended);
  EXPECT_GT(exploration.tree().leaves().size(), n_before);
  // The larger one is right there, and still where the first was.
  residuals = exploration.residuals();
  EXPECT_EQ(exploration.verify(residuals, outcomes).kind, Verdict::Kind::holds);
  EXPECT_EQ(exploration.verify(residuals, all_false(residuals)).kind, Verdict::Kind::holds);
}

TEST(Exploration, WhatFailsWhereARunGoesIsSaid) {
  Exploration exploration = explorer_of(
      [](const std::vector<Real>& x, std::span<Real> r) {
        int n = 0;
        for (std::size_t i = 0; i < 20; ++i) {
          n += x[i] > 5 ? 1 : 0;
        }
        if (n == 20) {
          throw std::runtime_error("all of them");
        }
        r[0] = x[0] * n;
      },
      1, 20);
  ASSERT_FALSE(exploration.begin());
  const Residuals residuals = exploration.residuals();
  Exploration::Outcomes outcomes = all_false(residuals);
  for (auto& [decision, holds] : outcomes) {
    holds = true;
  }
  const Verdict verdict = exploration.verify(residuals, outcomes);
  EXPECT_EQ(verdict.kind, Verdict::Kind::failed);
  EXPECT_THAT(verdict.message, HasSubstr("all of them"));
}

}  // namespace
}  // namespace saltus::trace
