// Tubes around curves, and pictures of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "saltus/result_table.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ResultTable curve(const std::function<double(double)>& f, std::size_t n, double stop = 10.0) {
  ResultTable table;
  table.source = "curve";
  table.columns.push_back({"x", "", "", {}});
  for (std::size_t i = 0; i <= n; ++i) {
    const double t = stop * static_cast<double>(i) / static_cast<double>(n);
    table.times.push_back(t);
    table.columns[0].values.push_back(f(t));
  }
  return table;
}

// A jump from 0 to 1 at a time, with both of its rows.
ResultTable jump(double at) {
  ResultTable table;
  table.source = "jump";
  table.times = {0.0, at, at, 10.0};
  table.columns.push_back({"x", "", "", {0.0, 0.0, 1.0, 1.0}});
  return table;
}

bool are_same(const ResultTable& a, const ResultTable& b, double tolerance) {
  const Result<Comparison> there = compare(a, b, {.tolerance = tolerance});
  const Result<Comparison> back = compare(b, a, {.tolerance = tolerance});
  EXPECT_TRUE(there && back);
  EXPECT_EQ(there->is_same(), back->is_same());
  return there->is_same();
}

double wave(double t) {
  return std::sin(t);
}

TEST(Comparisons, GridsMayDiffer) {
  EXPECT_TRUE(are_same(curve(wave, 1000), curve(wave, 777), 1e-3));
  EXPECT_TRUE(are_same(curve(wave, 1000), curve(wave, 1000), 1e-12));
}

TEST(Comparisons, ValuesMustBeWithinTheTolerance) {
  EXPECT_TRUE(are_same(curve(wave, 1000), curve([](double t) { return wave(t) + 0.0019; }, 1000), 1e-3));
  const ResultTable other = curve([](double t) { return wave(t) + (t > 7 && t < 7.5 ? 0.1 : 0.0); }, 1000);
  const Result<Comparison> found = compare(curve(wave, 1000), other, {.tolerance = 2e-3});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_same());
  EXPECT_NEAR(found->columns[0].deviation, 0.05, 0.02);
  EXPECT_GE(found->columns[0].time, 7.0);
  EXPECT_LE(found->columns[0].time, 7.5);
  EXPECT_THAT(render_text(*found), HasSubstr("1 of 1 columns differ"));
}

TEST(Comparisons, JumpsMayBeALittleEarlierOrLater) {
  EXPECT_TRUE(are_same(jump(5.0), jump(5.01), 2e-3));
  EXPECT_FALSE(are_same(jump(5.0), jump(5.03), 2e-3));
}

// In one of them alone: seen in both orders.
TEST(Comparisons, APulseThatIsMissingIsSeen) {
  ResultTable pulse = curve([](double) { return 1.0; }, 10);
  pulse.columns[0].values[0] = 0.0;
  ResultTable without = pulse;
  pulse.times.insert(pulse.times.begin() + 5, {4.2, 4.2, 4.21, 4.21});
  pulse.columns[0].values.insert(pulse.columns[0].values.begin() + 5, {1.0, 3.0, 3.0, 1.0});
  EXPECT_FALSE(are_same(pulse, without, 2e-3));
}

TEST(Comparisons, ConstantsAndZeros) {
  EXPECT_TRUE(
      are_same(curve([](double) { return 1e6; }, 10), curve([](double) { return 1e6 + 0.5; }, 20), 1e-3));
  EXPECT_FALSE(
      are_same(curve([](double) { return 1e6; }, 10), curve([](double) { return 1e6 + 5.0; }, 20), 1e-3));
  EXPECT_TRUE(are_same(curve([](double) { return 0.0; }, 10), curve([](double) { return 1e-12; }, 10), 1e-3));
}

TEST(Comparisons, ValuesThatAreMissing) {
  const auto until = [](double stop) {
    return [stop](double t) { return t < stop ? wave(t) : std::nan(""); };
  };
  EXPECT_TRUE(are_same(curve(until(5), 1000), curve(until(5.005), 1000), 2e-3));
  EXPECT_FALSE(are_same(curve(until(5), 1000), curve(until(6), 1000), 2e-3));
  EXPECT_TRUE(are_same(curve(until(-1), 10), curve(until(-1), 10), 2e-3));
  EXPECT_FALSE(are_same(curve(until(-1), 10), curve(until(5), 10), 2e-3));
}

TEST(Comparisons, EndsColumnsAndTheWayBack) {
  const Result<Comparison> shorter = compare(curve(wave, 100), curve(wave, 100, 9.0));
  EXPECT_THAT(shorter->problem, HasSubstr("they end at 10 and at 9"));
  ResultTable more = curve(wave, 100);
  more.columns.push_back({"y", "", "", more.columns[0].values});
  EXPECT_TRUE(compare(curve(wave, 100), more)->is_same());
  const Result<Comparison> fewer = compare(more, curve(wave, 100));
  EXPECT_FALSE(fewer->is_same());
  EXPECT_THAT(render_text(*fewer), HasSubstr("y: curve does not have it"));
  EXPECT_TRUE(compare(more, curve(wave, 100), {.columns = {"x"}})->is_same());
  more.columns[1].name = "a[1,2]";
  EXPECT_EQ(compare(more, more, {.columns = {"x, a[1,2]"}})->columns.size(), 2U);
  EXPECT_EQ(compare(more, more, {.columns = {"'a[1,2]'"}})->columns.size(), 1U);
  EXPECT_EQ(compare(more, more, {.columns = {"a*", "*"}})->columns.size(), 2U);
  const Result<Comparison> unknown = compare(more, more, {.columns = {"z"}});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(render_text(unknown.error()), HasSubstr("curve has no column 'z' [unknown-result-column]"));
  EXPECT_TRUE(are_same(curve(wave, 1000, -10.0), curve(wave, 999, -10.0), 1e-3));
  EXPECT_FALSE(
      are_same(curve(wave, 1000, -10.0), curve([](double t) { return wave(t + 0.1); }, 999, -10.0), 1e-3));
  EXPECT_FALSE(compare(ResultTable(), more));
}

TEST(Plots, CurvesJumpsAndEvents) {
  const Result<std::string> plain = plot_svg(jump(5.0), {.columns = {"x"}});
  ASSERT_TRUE(plain);
  EXPECT_THAT(*plain, HasSubstr("class=\"jump\""));
  EXPECT_THAT(*plain, Not(HasSubstr("class=\"event\"")));
  const Result<std::string> marked =
      plot_svg(jump(5.0), {.columns = {"*"}, .events = true, .title = "a < b & c"});
  ASSERT_TRUE(marked);
  EXPECT_THAT(*marked, HasSubstr("class=\"event\""));
  EXPECT_THAT(*marked, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(*marked, Not(HasSubstr("nan")));
}

TEST(Plots, LongCurvesAreThinnedAndKeepTheirPeaks) {
  const auto peak = [](double t) { return t == 5.0 ? 100.0 : 0.0; };
  const Result<std::string> picture = plot_svg(curve(peak, 1000000), {.columns = {"x"}});
  ASSERT_TRUE(picture);
  EXPECT_LT(picture->size(), 200000U);
  // The same place, whether it is one of ten rows or of a million.
  const Result<std::string> small = plot_svg(curve(peak, 10), {.columns = {"x"}});
  EXPECT_NE(picture->find(" 348.00,45.85 "), std::string::npos);
  EXPECT_NE(small->find(" 348.00,45.85 "), std::string::npos);
}

TEST(Plots, WhatCannotBeDrawn) {
  EXPECT_FALSE(plot_svg(jump(5.0), {}));
  const Result<std::string> unknown = plot_svg(jump(5.0), {.columns = {"y"}});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(render_text(unknown.error()), HasSubstr("has no column 'y'"));
  EXPECT_FALSE(plot_svg(ResultTable(), {.columns = {"*"}}));
  EXPECT_TRUE(plot_svg(curve([](double) { return std::nan(""); }, 3), {.columns = {"x"}}));
}

}  // namespace
}  // namespace saltus
