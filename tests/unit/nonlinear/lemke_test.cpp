#include "nonlinear/lemke.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "linalg/dense_lu.hpp"

namespace saltus::nonlinear {
namespace {

struct Problem {
  Index k = 0;
  std::vector<double> matrix;
  std::vector<double> vector;

  [[nodiscard]] double force(const std::vector<double>& s, Index i) const {
    double sum = vector[static_cast<std::size_t>(i)];
    for (Index j = 0; j < k; ++j) {
      sum += matrix[static_cast<std::size_t>(i * k + j)] * s[static_cast<std::size_t>(j)];
    }
    return sum;
  }
  // How far s is from being a solution.
  [[nodiscard]] double violation(const std::vector<double>& s) const {
    double worst = 0.0;
    for (Index i = 0; i < k; ++i) {
      const double f = force(s, i);
      const double si = s[static_cast<std::size_t>(i)];
      worst = std::max(worst, std::abs(si) - 1.0);
      worst = std::max(worst, si == 1.0 ? -f : si == -1.0 ? f : std::abs(f));
    }
    return worst;
  }
};

std::vector<double> solve(const Problem& problem, const std::vector<double>& corner) {
  Lemke lemke(problem.k);
  std::copy(problem.matrix.begin(), problem.matrix.end(), lemke.matrix().begin());
  std::copy(problem.vector.begin(), problem.vector.end(), lemke.vector().begin());
  std::vector<double> s(static_cast<std::size_t>(problem.k));
  EXPECT_EQ(lemke.solve(corner, s), Lemke::Status::solved);
  return s;
}

// Every solution by trying all 3ᵏ patterns of at -1, inside, at +1.
std::vector<std::vector<double>> all_solutions(const Problem& problem) {
  std::vector<std::vector<double>> found;
  Index patterns = 1;
  for (Index i = 0; i < problem.k; ++i) {
    patterns *= 3;
  }
  for (Index pattern = 0; pattern < patterns; ++pattern) {
    std::vector<double> s(static_cast<std::size_t>(problem.k));
    std::vector<Index> inside;
    Index rest = pattern;
    for (Index i = 0; i < problem.k; ++i, rest /= 3) {
      s[static_cast<std::size_t>(i)] = static_cast<double>(rest % 3 - 1);
      if (rest % 3 == 1) {
        inside.push_back(i);
      }
    }
    const auto m = static_cast<Index>(inside.size());
    linalg::DenseLu lu(m);
    std::vector<double> right(inside.size());
    for (Index a = 0; a < m; ++a) {
      right[static_cast<std::size_t>(a)] = -problem.force(s, inside[static_cast<std::size_t>(a)]);
      for (Index b = 0; b < m; ++b) {
        lu.matrix()[static_cast<std::size_t>(a + b * m)] = problem.matrix[static_cast<std::size_t>(
            inside[static_cast<std::size_t>(a)] * problem.k + inside[static_cast<std::size_t>(b)])];
      }
    }
    if (!lu.factorize().ok()) {
      continue;
    }
    lu.solve(right);
    for (Index a = 0; a < m; ++a) {
      s[static_cast<std::size_t>(inside[static_cast<std::size_t>(a)])] = right[static_cast<std::size_t>(a)];
    }
    if (problem.violation(s) <= 1e-10) {
      found.push_back(s);
    }
  }
  return found;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

TEST(Lemke, OneUnknownHasItsFourCases) {
  const auto one = [](double slope, double offset, double corner) {
    return solve({1, {slope}, {offset}}, {corner})[0];
  };
  EXPECT_EQ(one(-1.0, 3.0, -1.0), 1.0);            // pushed up
  EXPECT_EQ(one(-1.0, -3.0, 1.0), -1.0);           // pushed down
  EXPECT_NEAR(one(-1.0, 0.25, 1.0), 0.25, 1e-15);  // slides
  EXPECT_EQ(one(1.0, 0.25, 1.0), 1.0);             // repels: the corner given
  EXPECT_EQ(one(1.0, 0.25, -1.0), -1.0);
}

TEST(Lemke, ForcesThatVanishLeaveTheCorner) {
  EXPECT_EQ(solve({2, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0}}, {1.0, -1.0}), (std::vector<double>{1.0, -1.0}));
}

TEST(Lemke, NumbersThatAreNotFiniteAreRefused) {
  Lemke lemke(1);
  lemke.matrix()[0] = std::numeric_limits<double>::quiet_NaN();
  lemke.vector()[0] = 1.0;
  std::vector<double> s(1);
  EXPECT_EQ(lemke.solve(std::vector<double>{1.0}, s), Lemke::Status::not_finite);
}

TEST(Lemke, RandomProblemsAgreeWithAllPatterns) {
  constexpr unsigned kSeed = 3141592;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int several = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Problem problem;
    problem.k = 1 + trial % 5;
    const auto k = static_cast<std::size_t>(problem.k);
    problem.matrix.resize(k * k);
    problem.vector.resize(k);
    std::vector<double> corner(k);
    for (double& value : problem.matrix) {
      value = uniform(random);
    }
    for (std::size_t i = 0; i < k; ++i) {
      problem.vector[i] = 2.0 * uniform(random);
      corner[i] = uniform(random) < 0.0 ? -1.0 : 1.0;
      if (trial % 2 == 0) {
        problem.matrix[i * k + i] -= static_cast<double>(k);  // diagonally dominant: one solution
      }
    }
    const std::vector<double> s = solve(problem, corner);
    ASSERT_LE(problem.violation(s), 1e-9) << "seed " << kSeed << " trial " << trial;
    const std::vector<std::vector<double>> all = all_solutions(problem);
    double nearest = 1e9;
    for (const std::vector<double>& other : all) {
      nearest = std::min(nearest, distance(s, other));
    }
    ASSERT_LE(nearest, 1e-8) << "seed " << kSeed << " trial " << trial;
    if (trial % 2 == 0) {
      ASSERT_EQ(all.size(), 1U) << "seed " << kSeed << " trial " << trial;
    } else if (all.size() > 1) {
      ++several;
      // A corner that is a solution is the answer.
      if (problem.violation(corner) <= 0.0) {
        ASSERT_EQ(s, corner);
      }
    }
  }
  EXPECT_GT(several, 100);
}

// Small whole numbers make ties and singular matrices: the lexicographic test must bring it through all of them.
TEST(Lemke, DegenerateProblemsEnd) {
  constexpr unsigned kSeed = 271828;
  std::mt19937 random(kSeed);
  std::uniform_int_distribution<int> whole(-1, 1);
  for (int trial = 0; trial < 4000; ++trial) {
    Problem problem;
    problem.k = 1 + trial % 6;
    const auto k = static_cast<std::size_t>(problem.k);
    problem.matrix.resize(k * k);
    problem.vector.resize(k);
    std::vector<double> corner(k);
    for (double& value : problem.matrix) {
      value = whole(random);
    }
    for (std::size_t i = 0; i < k; ++i) {
      problem.vector[i] = whole(random);
      corner[i] = whole(random) < 0 ? -1.0 : 1.0;
    }
    ASSERT_LE(problem.violation(solve(problem, corner)), 1e-9) << "seed " << kSeed << " trial " << trial;
  }
}

TEST(Lemke, ManyBlocksAreDecidedWithFewPivots) {
  // Chain of blocks with friction: F = load - μ s with neighbours coupled through springs on the acceleration.
  constexpr Index kBlocks = 60;
  Problem problem{kBlocks, std::vector<double>(kBlocks * kBlocks, 0.0), std::vector<double>(kBlocks)};
  for (Index i = 0; i < kBlocks; ++i) {
    problem.matrix[static_cast<std::size_t>(i * kBlocks + i)] = -1.0;
    if (i > 0) {
      problem.matrix[static_cast<std::size_t>(i * kBlocks + i - 1)] = 0.3;
      problem.matrix[static_cast<std::size_t>((i - 1) * kBlocks + i)] = 0.3;
    }
    problem.vector[static_cast<std::size_t>(i)] = 1.7 * std::sin(static_cast<double>(i));
  }
  Lemke lemke(kBlocks);
  std::copy(problem.matrix.begin(), problem.matrix.end(), lemke.matrix().begin());
  std::copy(problem.vector.begin(), problem.vector.end(), lemke.vector().begin());
  std::vector<double> s(kBlocks);
  ASSERT_EQ(lemke.solve(std::vector<double>(kBlocks, 1.0), s), Lemke::Status::solved);
  EXPECT_LE(problem.violation(s), 1e-11);
  EXPECT_LE(lemke.n_pivots(), 4 * kBlocks);
}

}  // namespace
}  // namespace saltus::nonlinear
