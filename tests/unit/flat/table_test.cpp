// Piecewise polynomials through points: values, smoothness, knots, and points that make no table.
#include "flat/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace saltus::flat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double value(const Pieces& pieces, double x, std::size_t column = 0, int derivative = 0) {
  const double segment = segment_at(*pieces.knots, x);
  const double d = x - number_of_segment(*pieces.origins, segment);
  const std::vector<SharedNumbers>& coefficients = pieces.coefficients[column];
  double sum = 0.0;
  for (std::size_t i = coefficients.size(); i-- > 0;) {
    double factor = 1.0;
    for (int k = 0; k < derivative; ++k) {
      factor *= static_cast<double>(i) - k;
    }
    if (factor != 0.0) {
      sum += factor * number_of_segment(*coefficients[i], segment) *
             std::pow(d, static_cast<double>(i) - derivative);
    }
  }
  return sum;
}

Pieces one(const Numbers& x, Numbers y, Interpolation rule) {
  const std::vector<Numbers> columns{std::move(y)};
  return pieces_of(x, columns, rule);
}

TEST(Table, LinearIsChordsAndATimeGivenTwiceAStep) {
  const Pieces pieces = one({0, 1, 1, 3}, {0, 2, -1, 3}, Interpolation::linear);
  EXPECT_THAT(*pieces.knots, ElementsAre(0, 1, 3));
  EXPECT_EQ(value(pieces, -5.0), 0.0);
  EXPECT_EQ(value(pieces, 0.25), 0.5);
  EXPECT_EQ(value(pieces, std::nextafter(1.0, 0.0)), 2.0 * std::nextafter(1.0, 0.0));
  EXPECT_EQ(value(pieces, 1.0), -1.0);
  EXPECT_EQ(value(pieces, 2.0), 1.0);
  EXPECT_EQ(value(pieces, 99.0), 3.0);
  EXPECT_EQ(pieces.continuity, -1);
  EXPECT_EQ(one({0, 1, 3}, {0, 2, -1}, Interpolation::linear).continuity, 0);
}

TEST(Table, APointOnTheLineIsNoKnot) {
  EXPECT_THAT(*one({0, 1, 2, 3}, {0, 2, 4, 4}, Interpolation::linear).knots, ElementsAre(0, 2));
  EXPECT_THAT(*one({0, 1, 2, 3}, {5, 5, 4, 4}, Interpolation::hold).knots, ElementsAre(2));
  EXPECT_TRUE(one({0, 1}, {5, 5}, Interpolation::linear).knots->empty());
  EXPECT_TRUE(one({7}, {5}, Interpolation::cubic).knots->empty());
  // Columns share their knots: one that bends is enough.
  const std::vector<Numbers> columns{{0, 1, 2}, {0, 1, 0}};
  const Pieces both = pieces_of({0, 1, 2}, columns, Interpolation::linear);
  EXPECT_THAT(*both.knots, ElementsAre(0, 1, 2));
  EXPECT_EQ(value(both, 1.5, 0), 1.5);
  EXPECT_EQ(value(both, 1.5, 1), 0.5);
}

TEST(Table, HoldHasTheValueOfThePointBefore) {
  const Pieces pieces = one({0, 1, 2.5}, {3, -1, 7}, Interpolation::hold);
  EXPECT_THAT(*pieces.knots, ElementsAre(1, 2.5));
  EXPECT_EQ(value(pieces, -1.0), 3.0);
  EXPECT_EQ(value(pieces, 0.999), 3.0);
  EXPECT_EQ(value(pieces, 1.0), -1.0);
  EXPECT_EQ(value(pieces, 2.5), 7.0);
}

// By hand: through (0, 0), (1, 1), (2, 0) the natural spline is 1.5 x - 0.5 x³ on [0, 1].
TEST(Table, CubicIsTheNaturalSpline) {
  const Pieces hat = one({0, 1, 2}, {0, 1, 0}, Interpolation::cubic);
  EXPECT_NEAR(value(hat, 0.5), 0.6875, 1e-15);
  EXPECT_NEAR(value(hat, 1.5), 0.6875, 1e-15);
  const Numbers x{0, 0.5, 2, 2.25, 4, 7};
  const Pieces pieces = one(x, {1, -2, 0.5, 3, 3, -1}, Interpolation::cubic);
  for (std::size_t k = 1; k + 1 < x.size(); ++k) {
    const double before = std::nextafter(x[k], 0.0);
    for (int derivative = 0; derivative <= 2; ++derivative) {
      EXPECT_NEAR(value(pieces, before, 0, derivative), value(pieces, x[k], 0, derivative), 1e-12) << k;
    }
  }
  EXPECT_NEAR(value(pieces, 0.0, 0, 2), 0.0, 1e-13);
  EXPECT_NEAR(value(pieces, std::nextafter(7.0, 0.0), 0, 2), 0.0, 1e-12);
  EXPECT_EQ(pieces.continuity, 2);
  // Where it ends it bends: a surface of its own.
  EXPECT_THAT(*pieces.knots, ElementsAre(0.5, 2, 2.25, 4));
  EXPECT_THAT(*pieces.ends, ElementsAre(0, 7));
  EXPECT_THAT(*pieces.outside[0], ElementsAre(1, 0, -1));
}

// Of a function with f'' = 0 at both ends the spline has an error of order 4.
TEST(Table, CubicHasOrderFour) {
  const auto error = [](int n) {
    Numbers x;
    Numbers y;
    for (int k = 0; k <= n; ++k) {
      x.push_back(std::acos(-1.0) * k / n);
      y.push_back(std::sin(x.back()));
    }
    const Pieces pieces = one(x, y, Interpolation::cubic);
    double largest = 0.0;
    for (double t = 0.0; t < 3.14; t += 0.01) {
      largest = std::max(largest, std::abs(value(pieces, t) - std::sin(t)));
    }
    return largest;
  };
  EXPECT_NEAR(std::log2(error(16) / error(32)), 4.0, 0.1);
}

TEST(Table, WrongPointsAreNamed) {
  EXPECT_EQ(table_problem("x", {0, 1, 1, 2}, Interpolation::linear), "");
  EXPECT_THAT(table_problem("x", {0, 1, 1, 1, 2}, Interpolation::linear), HasSubstr("x = 1 (point 4)"));
  EXPECT_THAT(table_problem("x", {0, 1, 1, 2}, Interpolation::cubic), HasSubstr("given twice"));
  EXPECT_THAT(table_problem("x", {0, 1, 1, 2}, Interpolation::hold), HasSubstr("given twice"));
  EXPECT_THAT(table_problem("time", {0, 2, 1}, Interpolation::hold),
              HasSubstr("time = 1 (point 3) comes after 2"));
  EXPECT_THAT(table_problem("x", {0, std::nan("")}, Interpolation::linear), HasSubstr("not finite"));
  EXPECT_THAT(table_problem("x", {}, Interpolation::linear), HasSubstr("no points"));
}

}  // namespace
}  // namespace saltus::flat
