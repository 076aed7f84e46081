// Coefficients are data, and the data satisfy the order conditions: every rooted tree up to the order of the method,
// and at least one tree of the next order violated (the order is not understated).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "integrate/explicit/tables.hpp"
#include "support/rooted_trees.hpp"

namespace saltus::integrate {
namespace {

constexpr double kTolerance = 1e-14;

std::vector<std::vector<double>> square(const Tableau& table, const DenseTable* dense = nullptr) {
  const int n_extra = dense == nullptr ? 0 : dense->n_extra();
  const int n_step = dense == nullptr ? table.n_stages() : table.n_step_stages();
  const auto n = static_cast<std::size_t>(n_step + n_extra);
  std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
  for (int stage = 1; stage < table.n_stages(); ++stage) {
    const auto row = table.row(stage);
    std::copy(row.begin(), row.end(), a[static_cast<std::size_t>(stage)].begin());
  }
  if (n_step > table.n_stages()) {
    std::copy(table.b.begin(), table.b.end(), a[static_cast<std::size_t>(table.n_stages())].begin());
  }
  for (int extra = 0; extra < n_extra; ++extra) {
    const auto row = table.extra_row(*dense, extra);
    std::copy(row.begin(), row.end(), a[static_cast<std::size_t>(n_step + extra)].begin());
  }
  return a;
}

// Largest defect of Σ b_i Φ_i(τ) = 1/γ(τ) over the trees of one order, relative to the terms of the sum.
double defect(std::span<const double> b, const std::vector<std::vector<double>>& a, int order) {
  const auto trees = test::rooted_trees(order);
  const auto weights = test::stage_weights(trees, a);
  double largest = 0.0;
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    if (trees[tree].order != order) {
      continue;
    }
    double sum = 0.0;
    double size = 1.0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      sum += b[i] * weights[tree][i];
      size += std::abs(b[i] * weights[tree][i]);
    }
    largest = std::max(largest, std::abs(sum - 1.0 / trees[tree].density) / size);
  }
  return largest;
}

class Tables : public testing::TestWithParam<const Tableau*> {};

TEST_P(Tables, RowsSumToTheNodes) {
  const Tableau& table = *GetParam();
  ASSERT_EQ(table.a.size(), static_cast<std::size_t>(table.n_stages() * (table.n_stages() - 1) / 2));
  for (int stage = 0; stage < table.n_stages(); ++stage) {
    double sum = 0.0;
    for (const double value : table.row(stage)) {
      sum += value;
    }
    EXPECT_NEAR(sum, table.c[static_cast<std::size_t>(stage)], kTolerance) << "stage " << stage;
  }
}

TEST_P(Tables, SolutionHasItsOrderAndNoMore) {
  const Tableau& table = *GetParam();
  for (int order = 1; order <= table.order; ++order) {
    EXPECT_LT(defect(table.b, square(table), order), kTolerance) << "order " << order;
  }
  EXPECT_GT(defect(table.b, square(table), table.order + 1), 1e-6);
}

TEST_P(Tables, EmbeddedSolutionHasItsOrderAndNoMore) {
  const Tableau& table = *GetParam();
  if (table.embedded_order == 0) {
    EXPECT_TRUE(table.b_embedded.empty());
    return;
  }
  ASSERT_EQ(table.b_embedded.size(), table.b.size());
  for (int order = 1; order <= table.embedded_order; ++order) {
    EXPECT_LT(defect(table.b_embedded, square(table), order), kTolerance) << "order " << order;
  }
  EXPECT_GT(defect(table.b_embedded, square(table), table.embedded_order + 1), 1e-6);
}

TEST_P(Tables, FirstSameAsLastMeansThatTheLastRowIsTheSolution) {
  const Tableau& table = *GetParam();
  if (!table.first_same_as_last) {
    return;
  }
  const auto row = table.row(table.n_stages() - 1);
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_EQ(row[i], table.b[i]);
  }
  EXPECT_EQ(table.b.back(), 0.0);
  EXPECT_EQ(table.c.back(), 1.0);
}

// The condition Σ b_i(θ) Φ_i(τ) = θᵐ/γ(τ) holds for all θ iff it holds power by power.
TEST_P(Tables, DenseOutputsHaveTheirOrderForAllTheta) {
  const Tableau& table = *GetParam();
  for (const DenseTable& dense : table.dense) {
    const auto a = square(table, &dense);
    ASSERT_EQ(dense.polynomial.size(), a.size() * static_cast<std::size_t>(dense.degree));
    const auto trees = test::rooted_trees(dense.order + 1);
    const auto weights = test::stage_weights(trees, a);
    double beyond = 0.0;
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
      for (int power = 1; power <= dense.degree; ++power) {
        double sum = 0.0;
        double size = 1.0;
        for (std::size_t i = 0; i < a.size(); ++i) {
          const double term = dense.polynomial[i * static_cast<std::size_t>(dense.degree) +
                                               static_cast<std::size_t>(power) - 1] *
                              weights[tree][i];
          sum += term;
          size += std::abs(term);
        }
        const double wanted = power == trees[tree].order ? 1.0 / trees[tree].density : 0.0;
        if (trees[tree].order <= dense.order) {
          EXPECT_LT(std::abs(sum - wanted) / size, kTolerance)
              << "order " << trees[tree].order << " power " << power;
        } else {
          beyond = std::max(beyond, std::abs(sum - wanted) / size);
        }
      }
    }
    EXPECT_GT(beyond, 1e-6);
  }
}

TEST_P(Tables, DenseOutputsMeetTheEndsWithValueAndSlope) {
  const Tableau& table = *GetParam();
  for (const DenseTable& dense : table.dense) {
    const auto degree = static_cast<std::size_t>(dense.degree);
    const auto last = static_cast<std::size_t>(table.n_step_stages()) - 1;
    for (std::size_t i = 0; i * degree < dense.polynomial.size(); ++i) {
      double value = 0.0;
      double slope = 0.0;
      double size = 1.0;  // of what the rounding errors belong to
      for (std::size_t power = 1; power <= degree; ++power) {
        const double coefficient = dense.polynomial[i * degree + power - 1];
        value += coefficient;
        slope += static_cast<double>(power) * coefficient;
        size += static_cast<double>(power) * std::abs(coefficient);
      }
      EXPECT_NEAR(value, i < table.b.size() ? table.b[i] : 0.0, kTolerance * size);
      EXPECT_NEAR(slope, i == last ? 1.0 : 0.0, kTolerance * size);
      EXPECT_EQ(dense.polynomial[i * degree], i == 0 ? 1.0 : 0.0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllMethods, Tables,
                         testing::ValuesIn(explicit_methods().begin(), explicit_methods().end()),
                         [](const auto& method) { return std::string(method.param->name); });

TEST(RootedTrees, AreAsManyAsKnown) {
  const std::vector<std::size_t> known = {1, 1, 2, 4, 9, 20, 48, 115};  // OEIS A000081
  const auto trees = test::rooted_trees(8);
  for (int order = 1; order <= 8; ++order) {
    const auto count =
        std::count_if(trees.begin(), trees.end(), [order](const auto& t) { return t.order == order; });
    EXPECT_EQ(static_cast<std::size_t>(count), known[static_cast<std::size_t>(order) - 1]);
  }
}

// The scale of Stepper::second_error: principal error of the extension of order 4 in the middle over that of b̂.
TEST(Dopri5Extension, ErrorInMiddleOfOrderFourFollowsFromTheTrees) {
  const Tableau& table = dopri5_table();
  const DenseTable& dense = table.dense.front();
  ASSERT_EQ(dense.order, 4);
  const auto trees = test::rooted_trees(5);
  const auto weights = test::stage_weights(trees, square(table));
  const auto degree = static_cast<std::size_t>(dense.degree);
  double in_middle = 0.0;
  double embedded = 0.0;
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    if (trees[tree].order != 5) {
      continue;
    }
    double middle = -std::pow(0.5, 5) / trees[tree].density;
    double end = -1.0 / trees[tree].density;
    for (std::size_t i = 0; i < table.b.size(); ++i) {
      double b = 0.0;
      for (std::size_t power = degree; power-- > 0;) {
        b = (b + dense.polynomial[i * degree + power]) * 0.5;
      }
      middle += b * weights[tree][i];
      end += table.b_embedded[i] * weights[tree][i];
    }
    in_middle += std::pow(middle / trees[tree].symmetry, 2);
    embedded += std::pow(end / trees[tree].symmetry, 2);
  }
  EXPECT_NEAR(dense.error_in_middle, std::sqrt(in_middle / embedded), 1e-12);
}

// The largest principal error of the extension of order 5 on [0, 1] is the one at θ = 1: the claim of dopri5.md.
TEST(Dopri5Extension, OfOrderFiveIsNowhereWorseThanTheStepItself) {
  const Tableau& table = dopri5_table();
  const DenseTable& dense = table.dense.back();
  ASSERT_EQ(dense.order, 5);
  const auto trees = test::rooted_trees(6);
  const auto weights = test::stage_weights(trees, square(table, &dense));
  const auto degree = static_cast<std::size_t>(dense.degree);
  const auto error_at = [&](double theta) {
    double sum = 0.0;
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
      if (trees[tree].order != 6) {
        continue;
      }
      double value = -std::pow(theta, 6) / trees[tree].density;
      for (std::size_t i = 0; i * degree < dense.polynomial.size(); ++i) {
        double b = 0.0;
        for (std::size_t power = degree; power-- > 0;) {
          b = (b + dense.polynomial[i * degree + power]) * theta;
        }
        value += b * weights[tree][i];
      }
      value /= trees[tree].symmetry;
      sum += value * value;
    }
    return std::sqrt(sum);
  };
  for (int i = 0; i <= 100; ++i) {
    EXPECT_LE(error_at(0.01 * i), 1.0000001 * error_at(1.0)) << "theta " << 0.01 * i;
  }
}

}  // namespace
}  // namespace saltus::integrate
