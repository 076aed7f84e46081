#include "program/vm/interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>

#include "program/vm/interval_rounding.hpp"

namespace saltus::program {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
using Wide = long double;

struct UnaryCase {
  std::string name;
  Interval (*over)(const Interval&);
  Wide (*at)(Wide);
  double scale;
};

struct BinaryCase {
  std::string name;
  Interval (*over)(const Interval&, const Interval&);
  Wide (*at)(Wide, Wide);
};

// Values in long double are far more exact than an interval is wide, so they stand for the true ones.
const UnaryCase kUnary[] = {
    {"negate", negate, [](Wide x) { return -x; }, 10},
    {"sqrt", sqrt, [](Wide x) { return std::sqrt(x); }, 10},
    {"exp", exp, [](Wide x) { return std::exp(x); }, 10},
    {"log", log, [](Wide x) { return std::log(x); }, 10},
    {"log10", log10, [](Wide x) { return std::log10(x); }, 10},
    {"sin", sin, [](Wide x) { return std::sin(x); }, 10},
    {"cos", cos, [](Wide x) { return std::cos(x); }, 10},
    {"tan", tan, [](Wide x) { return std::tan(x); }, 3},
    {"asin", asin, [](Wide x) { return std::asin(x); }, 1},
    {"acos", acos, [](Wide x) { return std::acos(x); }, 1},
    {"atan", atan, [](Wide x) { return std::atan(x); }, 10},
    {"sinh", sinh, [](Wide x) { return std::sinh(x); }, 10},
    {"cosh", cosh, [](Wide x) { return std::cosh(x); }, 10},
    {"tanh", tanh, [](Wide x) { return std::tanh(x); }, 3},
    {"abs", abs, [](Wide x) { return std::abs(x); }, 10},
    {"floor", floor, [](Wide x) { return std::floor(x); }, 10},
    {"ceil", ceil, [](Wide x) { return std::ceil(x); }, 10},
    {"truncate", truncate, [](Wide x) { return std::trunc(x); }, 10},
    {"cube", [](const Interval& a) { return power_integer(a, 3); }, [](Wide x) { return x * x * x; }, 10},
    {"fourth", [](const Interval& a) { return power_integer(a, 4); }, [](Wide x) { return x * x * x * x; },
     10},
    {"inverse square", [](const Interval& a) { return power_integer(a, -2); },
     [](Wide x) { return 1 / (x * x); }, 10},
};

const BinaryCase kBinary[] = {
    {"add", add, [](Wide x, Wide y) { return x + y; }},
    {"subtract", subtract, [](Wide x, Wide y) { return x - y; }},
    {"multiply", multiply, [](Wide x, Wide y) { return x * y; }},
    {"divide", divide, [](Wide x, Wide y) { return x / y; }},
    {"power", power, [](Wide x, Wide y) { return std::pow(x, y); }},
    {"atan2", atan2, [](Wide x, Wide y) { return std::atan2(x, y); }},
    {"minimum", minimum, [](Wide x, Wide y) { return std::min(x, y); }},
    {"maximum", maximum, [](Wide x, Wide y) { return std::max(x, y); }},
};

class Boxes {
 public:
  explicit Boxes(unsigned seed) : random_(seed) {}
  // Widths from zero over a few spacings to the whole range.
  Interval interval(double scale) {
    const double centre = scale * uniform_(random_);
    const double width = std::pow(10.0, -17.0 + 18.0 * std::abs(uniform_(random_)));
    const double upper = random_() % 5 == 0 ? centre : centre + scale * width * 0.1;
    return {centre, upper};
  }
  double inside(const Interval& a) {
    switch (random_() % 4) {
      case 0: return a.lower;
      case 1: return a.upper;
      default:
        return std::clamp(a.lower + std::abs(uniform_(random_)) * (a.upper - a.lower), a.lower, a.upper);
    }
  }

 private:
  std::mt19937 random_;
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

TEST(Interval, FunctionsEncloseTheirValues) {
  Boxes boxes(11);
  for (const UnaryCase& c : kUnary) {
    for (int i = 0; i < 3000; ++i) {
      const Interval a = boxes.interval(c.scale);
      const Interval value = c.over(a);
      for (int k = 0; k < 5; ++k) {
        const double x = boxes.inside(a);
        const Wide exact = c.at(x);
        if (!std::isnan(exact)) {
          ASSERT_TRUE(Wide(value.lower) <= exact && exact <= Wide(value.upper))
              << c.name << " at " << x << " of [" << a.lower << ", " << a.upper << "]";
        }
      }
    }
  }
}

TEST(Interval, OperationsEncloseTheirValues) {
  Boxes boxes(12);
  for (const BinaryCase& c : kBinary) {
    for (int i = 0; i < 5000; ++i) {
      const Interval a = boxes.interval(4.0);
      const Interval b = boxes.interval(4.0);
      const Interval value = c.over(a, b);
      for (int k = 0; k < 5; ++k) {
        const double x = boxes.inside(a);
        const double y = boxes.inside(b);
        const Wide exact = c.at(x, y);
        if (!std::isnan(exact)) {
          ASSERT_TRUE(Wide(value.lower) <= exact && exact <= Wide(value.upper))
              << c.name << " at " << x << ", " << y;
        }
      }
    }
  }
}

// An enclosure that is always the whole line would pass the tests above.
TEST(Interval, NarrowOperandsGiveNarrowResults) {
  const Interval a{0.7, std::nextafter(0.7, 1.0)};
  for (const UnaryCase& c : kUnary) {
    const Interval value = c.over(a);
    EXPECT_LT(value.upper - value.lower, 1e-13) << c.name;
  }
  for (const BinaryCase& c : kBinary) {
    const Interval value = c.over(a, {0.3, 0.3});
    EXPECT_LT(value.upper - value.lower, 1e-14) << c.name;
  }
}

TEST(Interval, ExactResultsStayPoints) {
  EXPECT_EQ(add({1.0, 1.0}, {2.0, 2.0}), (Interval{3.0, 3.0}));
  EXPECT_EQ(multiply({1.5, 1.5}, {-3.0, -3.0}), (Interval{-4.5, -4.5}));
  EXPECT_EQ(divide({3.0, 3.0}, {4.0, 4.0}), (Interval{0.75, 0.75}));
  EXPECT_EQ(sqrt({9.0, 9.0}), (Interval{3.0, 3.0}));
  const Interval third = divide({1.0, 1.0}, {3.0, 3.0});
  EXPECT_LT(third.lower, third.upper);
}

TEST(Interval, ExtremaAndPolesInside) {
  EXPECT_EQ(sin({1.0, 2.0}).upper, 1.0);
  EXPECT_EQ(sin({4.0, 5.0}).lower, -1.0);
  EXPECT_EQ(cos({-0.1, 0.1}).upper, 1.0);
  EXPECT_EQ(cos({0.0, 100.0}), (Interval{-1.0, 1.0}));
  EXPECT_EQ(tan({1.5, 1.6}), entire_interval());
  EXPECT_EQ(sin({0x1p40, 0x1p40}), (Interval{-1.0, 1.0}));
  EXPECT_EQ(power_integer({-2.0, 1.0}, 2).lower, 0.0);
  EXPECT_EQ(divide({1.0, 2.0}, {-1.0, 1.0}), entire_interval());
  EXPECT_EQ(divide({1.0, 2.0}, {0.0, 4.0}), (Interval{0.25, kInf}));
  EXPECT_EQ(divide({1.0, 2.0}, {-4.0, 0.0}), (Interval{-kInf, -0.25}));
}

TEST(Interval, UndefinedUnboundedAndEmpty) {
  EXPECT_TRUE(sqrt({-2.0, -1.0}).empty());
  EXPECT_EQ(sqrt({-2.0, 4.0}), (Interval{0.0, 2.0}));
  EXPECT_TRUE(log({-2.0, -1.0}).empty());
  EXPECT_EQ(log({0.0, 1.0}).lower, -kInf);
  EXPECT_TRUE(point_interval(std::nan("")).empty());
  EXPECT_TRUE(add(empty_interval(), {1.0, 2.0}).empty());
  EXPECT_EQ(add({1e308, 1e308}, {1e308, 1e308}).upper, kInf);
  EXPECT_EQ(add({1e308, 1e308}, {1e308, 1e308}).lower, std::numeric_limits<double>::max());
  EXPECT_EQ(multiply({0.0, 0.0}, entire_interval()), (Interval{0.0, 0.0}));
}

TEST(Interval, TruthValuesAndChoice) {
  EXPECT_EQ(less({1.0, 2.0}, {3.0, 4.0}), (Interval{1.0, 1.0}));
  EXPECT_EQ(less({3.0, 4.0}, {1.0, 3.0}), (Interval{0.0, 0.0}));
  EXPECT_EQ(less({1.0, 3.0}, {2.0, 4.0}), (Interval{0.0, 1.0}));
  EXPECT_EQ(less_equal({1.0, 2.0}, {2.0, 4.0}), (Interval{1.0, 1.0}));
  EXPECT_EQ(equal({1.0, 1.0}, {1.0, 1.0}), (Interval{1.0, 1.0}));
  const Interval a{1.0, 2.0};
  const Interval b{5.0, 6.0};
  EXPECT_EQ(select({1.0, 1.0}, a, b), a);
  EXPECT_EQ(select({0.0, 0.0}, a, b), b);
  EXPECT_EQ(select({0.0, 1.0}, a, b), (Interval{1.0, 6.0}));
  EXPECT_EQ(select({0.0, 1.0}, empty_interval(), b), b);
  EXPECT_TRUE(select({1.0, 1.0}, empty_interval(), b).empty());
}

// Whole programs: boxes of inputs, values at points inside them.
TEST(Interval, BlendedTruthValues) {
  const Interval quarter{0.25, 0.25};
  EXPECT_EQ(select(quarter, {2.0, 2.0}, {10.0, 10.0}), (Interval{8.0, 8.0}));
  EXPECT_EQ(logical_and(quarter, quarter), (Interval{0.0625, 0.0625}));
  EXPECT_EQ(logical_or(quarter, {0.5, 0.5}), (Interval{0.625, 0.625}));
  EXPECT_EQ(logical_not(quarter), (Interval{0.75, 0.75}));
  EXPECT_EQ(logical_and({0.0, 1.0}, quarter), (Interval{0.0, 0.25}));
}

TEST(Interval, NeighboursAreThoseOfTheLibrary) {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value :
       {0.0, 1.0, 0.1, 1e300, 1e-310, smallest, largest, infinity, 2.2250738585072014e-308}) {
    for (const double v : {value, -value}) {
      EXPECT_EQ(above(v), std::nextafter(v, infinity)) << v;
      EXPECT_EQ(below(v), std::nextafter(v, -infinity)) << v;
    }
  }
  EXPECT_TRUE(std::isnan(above(std::numeric_limits<double>::quiet_NaN())));
}

// Every combination of signs and zeros, against the extremes of all four products and quotients.
TEST(Interval, ProductsAndQuotientsOfAllSigns) {
  const double ends[] = {-3.0, -0.5, 0.0, 0.25, 7.0};
  for (const double al : ends) {
    for (const double au : ends) {
      for (const double bl : ends) {
        for (const double bu : ends) {
          if (al > au || bl > bu) {
            continue;
          }
          const double products[] = {al * bl, al * bu, au * bl, au * bu};
          EXPECT_EQ(multiply({al, au}, {bl, bu}), (Interval{*std::min_element(products, products + 4),
                                                            *std::max_element(products, products + 4)}));
          if (bl <= 0.0 && bu >= 0.0) {
            continue;
          }
          const Interval quotient = divide({al, au}, {bl, bu});
          const double quotients[] = {al / bl, al / bu, au / bl, au / bu};
          for (const double q : quotients) {
            EXPECT_TRUE(quotient.contains(q));
          }
          EXPECT_NEAR(quotient.lower, *std::min_element(quotients, quotients + 4), 1e-14);
          EXPECT_NEAR(quotient.upper, *std::max_element(quotients, quotients + 4), 1e-14);
        }
      }
    }
  }
}

}  // namespace
}  // namespace saltus::program
