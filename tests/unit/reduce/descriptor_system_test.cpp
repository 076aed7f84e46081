#include "reduce/linear/descriptor_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "linalg/generalized_inverse.hpp"
#include "linalg/rank_decision.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

// Two tanks: x₁' = -x₁ + u, x₂' = -2x₂: no input reaches the second, no output sees the first.
TEST(DescriptorSystem, OfAnOde) {
  const auto found = analyse_descriptor(
      {DenseMatrix::identity(2), {{-1, 0}, {0, -2}}, DenseMatrix{{1}, {0}}, DenseMatrix{{0, 1}}});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_regular);
  EXPECT_FALSE(found->inputs.finite);
  ASSERT_EQ(found->inputs.missed.size(), 1U);
  EXPECT_NEAR(found->inputs.missed[0].real(), -2.0, 1e-12);
  ASSERT_EQ(found->outputs.missed.size(), 1U);
  EXPECT_NEAR(found->outputs.missed[0].real(), -1.0, 1e-12);
  // An ODE has index 0 as it is: the feedback is zero.
  ASSERT_TRUE(found->state_feedback && found->output_feedback);
  EXPECT_EQ(found->state_feedback->largest_entry(), 0.0);
}

// x₁' = x₂, 0 = x₁ + u of index 2: reached for every λ, at infinity too; with u = σ·x₂ of index 1.
TEST(DescriptorSystem, FeedbackLowersTheIndex) {
  const DescriptorSystem system{
      {{1, 0}, {0, 0}}, {{0, 1}, {1, 0}}, DenseMatrix{{0}, {1}}, DenseMatrix{{0, 1}}};
  EXPECT_EQ(linalg::pair_index(system.e, system.a), 2);
  const auto found = analyse_descriptor(system);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->inputs.finite);
  EXPECT_TRUE(found->inputs.complete);
  EXPECT_TRUE(found->outputs.finite);
  EXPECT_TRUE(found->outputs.complete);
  ASSERT_TRUE(found->state_feedback && found->output_feedback);
  EXPECT_EQ(linalg::pair_index(system.e, system.a + system.b * *found->state_feedback), 1);
  EXPECT_EQ(linalg::pair_index(system.e, system.a + system.b * *found->output_feedback * system.c), 1);
  // Where the input acts on the differential equation alone there is none.
  const auto other = analyse_descriptor({system.e, system.a, DenseMatrix{{1}, {0}}, system.c});
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->state_feedback);
  EXPECT_FALSE(other->inputs.complete);
}

// A singular pencil can become regular.
TEST(DescriptorSystem, OfASingularPencil) {
  const DescriptorSystem system{
      {{1, 0}, {0, 0}}, {{-1, 0}, {0, 0}}, DenseMatrix{{0}, {1}}, DenseMatrix{{0, 1}}};
  const auto found = analyse_descriptor(system);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_regular);
  ASSERT_TRUE(found->state_feedback);
  EXPECT_EQ(linalg::pair_index(system.e, system.a + system.b * *found->state_feedback), 1);
  const auto nothing = analyse_descriptor({system.e, system.a, DenseMatrix(2, 0), DenseMatrix(0, 2)});
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->inputs.everywhere);
  EXPECT_FALSE(nothing->inputs.finite);
  EXPECT_FALSE(nothing->state_feedback);
}

class Drawer {
 public:
  explicit Drawer(unsigned seed) : random_(seed) {}
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  DenseMatrix integers(Index m, Index n, int zeros) {
    DenseMatrix result(m, n);
    for (double& entry : result.entries()) {
      entry = number(0, zeros) == 0 ? number(-2, 2) : 0;
    }
    return result;
  }

 private:
  std::mt19937 random_;
};

Index rank_at(const DenseMatrix& e, const DenseMatrix& a, const DenseMatrix& b, double lambda) {
  return linalg::decide_rank(beside(lambda * e - a, b)).rank;
}

// Random systems against what defines them: ranks at λ that are drawn and at the modes that are found; and every feedback is tried.
TEST(DescriptorSystem, RandomOnesAgreeWithTheDefinitions) {
  Drawer draw(41);
  int n_feedback = 0;
  int n_without = 0;
  int n_missed = 0;
  for (int i = 0; i < 400; ++i) {
    const Index n = draw.number(1, 5);
    DenseMatrix e = draw.integers(n, n, 1);
    for (Index j = draw.number(0, static_cast<int>(n)); j < n; ++j) {
      for (Index k = 0; k < n; ++k) {
        e(j, k) = 0.0;
      }
    }
    const DescriptorSystem system{e, draw.integers(n, n, 1), draw.integers(n, draw.number(0, 2), 1),
                                  draw.integers(draw.number(0, 2), n, 1)};
    const auto found = analyse_descriptor(system);
    if (!found) {
      continue;  // a rank that is not clear
    }
    for (const double lambda : {0.371, -1.913, 7.77}) {
      EXPECT_EQ(rank_at(e, system.a, system.b, lambda) == n, !found->inputs.everywhere) << i;
      EXPECT_EQ(rank_at(e.transposed(), system.a.transposed(), system.c.transposed(), lambda) == n,
                !found->outputs.everywhere)
          << i;
    }
    for (const std::complex<double>& mode : found->inputs.missed) {
      if (mode.imag() == 0.0 && std::abs(mode.real() - std::round(mode.real())) < 1e-9) {
        EXPECT_LT(rank_at(e, system.a, system.b, std::round(mode.real())), n) << i;
        ++n_missed;
      }
    }
    for (int lambda = -6; lambda <= 6 && !found->inputs.everywhere; ++lambda) {
      const bool is_missed =
          std::any_of(found->inputs.missed.begin(), found->inputs.missed.end(),
                      [&](const auto& mode) { return std::abs(mode - double(lambda)) < 1e-6; });
      EXPECT_EQ(rank_at(e, system.a, system.b, lambda) < n, is_missed) << i << " " << lambda;
    }
    if (found->state_feedback) {
      ++n_feedback;
      const auto index = linalg::pair_index(e, system.a + system.b * *found->state_feedback);
      EXPECT_TRUE(index && *index <= 1) << i;
    } else {
      ++n_without;
      // No feedback of 30 drawn ones does it.
      for (int k = 0; k < 30; ++k) {
        const auto index =
            linalg::pair_index(e, system.a + system.b * draw.integers(system.b.columns(), n, 0));
        EXPECT_FALSE(index && *index <= 1) << i;
      }
    }
    if (found->output_feedback) {
      const auto index = linalg::pair_index(e, system.a + system.b * *found->output_feedback * system.c);
      EXPECT_TRUE(index && *index <= 1) << i;
    } else {
      for (int k = 0; k < 30; ++k) {
        const auto index = linalg::pair_index(
            e, system.a + system.b * draw.integers(system.b.columns(), system.c.rows(), 0) * system.c);
        EXPECT_FALSE(index && *index <= 1) << i;
      }
    }
  }
  EXPECT_GT(n_feedback, 100);
  EXPECT_GT(n_without, 50);
  EXPECT_GT(n_missed, 20);
}

TEST(DescriptorSystem, ASmallNumberIsNotAZero) {
  EXPECT_FALSE(
      analyse_descriptor({{{1, 1}, {1, 1 + 1e-13}}, {{1, 0}, {0, 1}}, DenseMatrix(2, 0), DenseMatrix(0, 2)}));
}

}  // namespace
}  // namespace saltus::reduce
