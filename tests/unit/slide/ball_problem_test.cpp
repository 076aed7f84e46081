// Weights in intervals and balls (slide/decide/ball_problem.hpp).
#include "slide/decide/ball_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace saltus::slide {
namespace {

using Set = BallProblem::Set;

std::vector<double> forces(const std::vector<double>& matrix, const std::vector<double>& vector,
                           const std::vector<double>& s) {
  std::vector<double> result = vector;
  for (std::size_t i = 0; i < s.size(); ++i) {
    for (std::size_t j = 0; j < s.size(); ++j) {
      result[i] += matrix[i * s.size() + j] * s[j];
    }
  }
  return result;
}

// F = 0 inside, outwards on the boundary, straight from the definition of the normal cone.
void expect_solution(const std::vector<Set>& sets, const std::vector<double>& s,
                     const std::vector<double>& force, double scale, unsigned seed) {
  for (const Set& set : sets) {
    double length = 0.0;
    double along = 0.0;
    double size = 0.0;
    for (std::size_t i = set.first; i < set.first + set.size; ++i) {
      length += s[i] * s[i];
      along += s[i] * force[i];
      size += force[i] * force[i];
    }
    length = std::sqrt(length);
    size = std::sqrt(size);
    EXPECT_LE(length, 1.0 + 1e-12) << "seed " << seed;
    if (length < 1.0 - 1e-9) {
      EXPECT_LE(size, 1e-9 * scale) << "seed " << seed;
    } else {
      EXPECT_NEAR(along, size, 1e-9 * scale) << "seed " << seed;
    }
  }
}

TEST(BallProblem, OfOneBallIsADiscAndNoBox) {
  const std::vector<double> matrix = {-2.0, 0.0, 0.0, -2.0};
  const std::vector<Set> sets = {{0, 2, BallProblem::Kind::ball}};
  BallProblem problem;
  std::vector<double> s = {0.0, 0.0};
  // Held: w = f/2, |w| = 0.99.
  ASSERT_TRUE(problem.solve(matrix, std::vector<double>{1.4 * 0.99, 1.43 * 0.99}, sets, s));
  EXPECT_NEAR(s[0], 0.7 * 0.99, 1e-14);
  // A force that a box would hold: it leaves in its direction.
  s = {0.0, 0.0};
  ASSERT_TRUE(problem.solve(matrix, std::vector<double>{1.8, 1.8}, sets, s));
  EXPECT_NEAR(s[0], std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(s[1], std::sqrt(0.5), 1e-12);
}

// With masses that differ between the directions v leaves along d with (c I - M) d = q, not along the force.
TEST(BallProblem, LeavesWhereTheAccelerationPoints) {
  const std::vector<double> matrix = {-1.0, 0.0, 0.0, -4.0};
  const std::vector<double> vector = {2.0, 5.0};
  BallProblem problem;
  std::vector<double> s = {0.1, 0.0};
  ASSERT_TRUE(problem.solve(matrix, vector, std::vector<Set>{{0, 2, BallProblem::Kind::ball}}, s));
  const std::vector<double> force = forces(matrix, vector, s);
  EXPECT_NEAR(force[0] * s[1] - force[1] * s[0], 0.0, 1e-11);
  EXPECT_GT(force[0] * s[0] + force[1] * s[1], 0.0);
}

TEST(BallProblem, RandomProblemsAreSolved) {
  constexpr unsigned kSeeds = 2000;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<Set> sets;
    std::size_t n = 0;
    const std::size_t n_sets = 1 + seed % 4;
    for (std::size_t k = 0; k < n_sets; ++k) {
      const std::size_t size = 1 + random() % 3;
      sets.push_back({n, size, size > 1 ? BallProblem::Kind::ball : BallProblem::Kind::interval});
      n += size;
    }
    // -M = AᵀA, of a rank that may be less than n, and a part that is not symmetric.
    const std::size_t rank = 1 + random() % n;
    std::vector<double> factor(rank * n);
    for (double& entry : factor) {
      entry = normal(random);
    }
    std::vector<double> matrix(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < rank; ++k) {
          matrix[i * n + j] -= factor[k * n + i] * factor[k * n + j];
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double turn = 0.3 * normal(random);
        matrix[i * n + j] += turn;
        matrix[j * n + i] -= turn;
      }
    }
    std::vector<double> vector(n);
    double scale = 0.0;
    for (double& entry : vector) {
      entry = 2.0 * normal(random);
      scale = std::max(scale, std::abs(entry));
    }
    for (const double entry : matrix) {
      scale = std::max(scale, std::abs(entry));
    }
    BallProblem problem;
    std::vector<double> s(n, 0.0);
    ASSERT_TRUE(problem.solve(matrix, vector, sets, s)) << "seed " << seed;
    expect_solution(sets, s, forces(matrix, vector, s), scale * static_cast<double>(n), seed);
  }
}

}  // namespace
}  // namespace saltus::slide
