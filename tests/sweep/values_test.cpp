// What --vary, --samples and --random mean: values of grids, random numbers, mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "api/sweep/plan.hpp"
#include "saltus/sweep.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> values_of(const std::string& text) {
  const Result<Variation> read = read_variation(text);
  EXPECT_TRUE(read) << render_text(read.error());
  return read ? read->values : std::vector<double>();
}

std::string error_of(const std::string& text) {
  const Result<Variation> read = read_variation(text);
  return read ? "" : read.error().items()[0].message;
}

TEST(Variations, StepsMeetDecimalNumbersAndTheLastValue) {
  EXPECT_THAT(values_of("a=0:0.1:1"), ElementsAre(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1));
  EXPECT_THAT(values_of("a = 1 : -0.25 : 0"), ElementsAre(1, 0.75, 0.5, 0.25, 0));
  EXPECT_THAT(values_of("a=0:0.01:0.04"), ElementsAre(0, 0.01, 0.02, 0.03, 0.04));
  EXPECT_THAT(values_of("a=0:0.4:1"), ElementsAre(0, 0.4, 0.8));
  EXPECT_THAT(values_of("a=3:1:3"), ElementsAre(3));
  EXPECT_EQ(values_of("a=0:1e-6:1").size(), 1000001U);
  EXPECT_EQ(values_of("a=-1e308:1e307:1e308").size(), 21U);
}

TEST(Variations, ListsAndPoints) {
  EXPECT_THAT(values_of("a={1, -2e3,4}"), ElementsAre(1, -2000, 4));
  EXPECT_THAT(values_of("on={true,false}"), ElementsAre(1, 0));
  EXPECT_THAT(values_of("a=linear(0,1,5)"), ElementsAre(0, 0.25, 0.5, 0.75, 1));
  const std::vector<double> decades = values_of("a=log(1e-3,1,4)");
  ASSERT_EQ(decades.size(), 4U);
  EXPECT_EQ(decades.front(), 1e-3);
  EXPECT_NEAR(decades[1], 1e-2, 1e-17);
  EXPECT_EQ(decades.back(), 1.0);
  EXPECT_THAT(values_of("a=log(-100,-1,3)"), ElementsAre(-100, ::testing::DoubleEq(-10), -1));
}

TEST(Variations, NamesMayHaveBracketsAndQuotes) {
  EXPECT_EQ(read_variation("m[1,2]={1}")->name, "m[1,2]");
  EXPECT_EQ(read_variation("'a=b'={1}")->name, "a=b");
}

TEST(Variations, MistakesAreNamed) {
  EXPECT_THAT(error_of("a"), HasSubstr("--vary 'a': it is NAME=VALUES"));
  EXPECT_THAT(error_of("=1:1:2"), HasSubstr("NAME=VALUES"));
  EXPECT_THAT(error_of("a=1:2"), HasSubstr("'1:2' has 2 numbers, not 3"));
  EXPECT_THAT(error_of("a=0:0:1"), HasSubstr("no steps of 0 lead from 0 to 1"));
  EXPECT_THAT(error_of("a=0:-1:1"), HasSubstr("no steps of -1 lead from 0 to 1"));
  EXPECT_THAT(error_of("a=0:1e-12:1"), HasSubstr("more than 100000000 steps"));
  EXPECT_THAT(error_of("a=0:x:1"), HasSubstr("'x' is not a finite number"));
  EXPECT_THAT(error_of("a=0:inf:1"), HasSubstr("'inf' is not a finite number"));
  EXPECT_THAT(error_of("a={1,,2}"), HasSubstr("'' is not a number"));
  EXPECT_THAT(error_of("a={}"), HasSubstr("'' is not a number"));
  EXPECT_THAT(error_of("a=log(0,1,3)"), HasSubstr("no logarithmic scale from 0 to 1"));
  EXPECT_THAT(error_of("a=log(1,2,1)"), HasSubstr("is not a whole number from 2"));
  EXPECT_THAT(error_of("a=log(1,2,2.5)"), HasSubstr("is not a whole number from 2"));
  EXPECT_THAT(error_of("a=lin(1,2,3)"), HasSubstr("'lin' is none of linear, log and normal"));
  EXPECT_THAT(error_of("a=2..1"), HasSubstr("2 is not less than 1"));
  EXPECT_THAT(error_of("a=log(-1..1)"), HasSubstr("has another sign"));
  EXPECT_THAT(error_of("a=normal(1,0)"), HasSubstr("the standard deviation 0 is not positive"));
  EXPECT_THAT(error_of("a=0..1..2"), HasSubstr("has 3 numbers, not 2"));
}

std::vector<double> run_values(const api::SweepPlan& plan, std::size_t run) {
  std::vector<double> values(plan.names().size());
  plan.values(run, values);
  return values;
}

TEST(SweepPlans, TheLastNameOfAGridChangesFastest) {
  SweepOptions options;
  options.vary = {*read_variation("a={1,2}"), *read_variation("b={3,4,5}")};
  const Result<api::SweepPlan> plan = api::SweepPlan::make(options);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->size(), 6U);
  EXPECT_THAT(run_values(*plan, 0), ElementsAre(1, 3));
  EXPECT_THAT(run_values(*plan, 1), ElementsAre(1, 4));
  EXPECT_THAT(run_values(*plan, 3), ElementsAre(2, 3));
  EXPECT_THAT(run_values(*plan, 5), ElementsAre(2, 5));
}

SweepOptions random_options(std::int64_t n, std::uint64_t seed) {
  SweepOptions options;
  options.vary = {*read_variation("u=2..4"), *read_variation("l=log(1e-4..1)"),
                  *read_variation("g=normal(5,2)")};
  options.n_random = n;
  options.seed = seed;
  return options;
}

TEST(SweepPlans, RandomRunsHaveTheirDistributions) {
  const std::int64_t n = 100000;
  const SweepOptions options = random_options(n, 7);
  const Result<api::SweepPlan> plan = api::SweepPlan::make(options);
  ASSERT_TRUE(plan);
  std::vector<double> mean(3), square(3);
  for (std::size_t k = 0; k < plan->size(); ++k) {
    const std::vector<double> values = run_values(*plan, k);
    EXPECT_TRUE(values[0] >= 2.0 && values[0] <= 4.0 && values[1] >= 1e-4 && values[1] <= 1.0);
    const double numbers[] = {values[0], std::log(values[1]), values[2]};
    for (std::size_t i = 0; i < 3; ++i) {
      mean[i] += numbers[i] / static_cast<double>(n);
      square[i] += numbers[i] * numbers[i] / static_cast<double>(n);
    }
  }
  // Four standard errors.
  const double width = -std::log(1e-4);
  const double deviations[] = {2.0 / std::sqrt(12.0), width / std::sqrt(12.0), 2.0};
  const double means[] = {3.0, -width / 2.0, 5.0};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(mean[i], means[i], 4.0 * deviations[i] / std::sqrt(static_cast<double>(n))) << i;
    EXPECT_NEAR(std::sqrt(square[i] - mean[i] * mean[i]), deviations[i], 0.01 * deviations[i]) << i;
  }
}

TEST(SweepPlans, ARandomRunDependsOnSeedAndNumberAlone) {
  const SweepOptions few = random_options(10, 3);
  const SweepOptions many = random_options(1000, 3);
  const SweepOptions other = random_options(10, 4);
  const Result<api::SweepPlan> a = api::SweepPlan::make(few);
  const Result<api::SweepPlan> b = api::SweepPlan::make(many);
  const Result<api::SweepPlan> c = api::SweepPlan::make(other);
  for (const std::size_t k : {0U, 9U, 4U}) {
    EXPECT_EQ(run_values(*a, k), run_values(*b, k));
    EXPECT_NE(run_values(*a, k), run_values(*c, k));
  }
  // The first numbers of SplitMix64 with seed 1234567, as published with it.
  SweepOptions known;
  known.vary = {*read_variation("u=0..1")};
  known.n_random = 1;
  known.seed = 1234567;
  const Result<api::SweepPlan> plan = api::SweepPlan::make(known);
  EXPECT_EQ(run_values(*plan, 0)[0], static_cast<double>(6457827717110365317ULL >> 11U) * 0x1p-53);
}

std::string plan_error(const SweepOptions& options) {
  const Result<api::SweepPlan> plan = api::SweepPlan::make(options);
  return plan ? "" : render_text(plan.error());
}

TEST(SweepPlans, ContradictionsAreRefused) {
  EXPECT_THAT(plan_error({}), HasSubstr("nothing is varied"));
  SweepOptions options;
  options.vary = {*read_variation("a=0..1")};
  EXPECT_THAT(plan_error(options), HasSubstr("'a' has a range, and no number of random runs is given"));
  options.n_random = 3;
  EXPECT_EQ(plan_error(options), "");
  options.vary.push_back(*read_variation("a={1}"));
  EXPECT_THAT(plan_error(options), HasSubstr("'a' is named twice"));
  EXPECT_THAT(plan_error(options), HasSubstr("'a' has values, and random runs draw from ranges"));
  options.vary.pop_back();
  options.samples = SweepSamples{"s.csv", {"b"}, {1.0}};
  EXPECT_THAT(plan_error(options), HasSubstr("--samples is given beside --vary"));
  SweepOptions large;
  large.vary = {*read_variation("a=linear(0,1,100000)"), *read_variation("b=linear(0,1,100000)")};
  EXPECT_THAT(plan_error(large), HasSubstr("more than 100000000 runs"));
  SweepOptions set;
  set.vary = {*read_variation("a={1}")};
  set.simulation.set = {{"a", 1.0}};
  EXPECT_THAT(plan_error(set), HasSubstr("'a' is varied and set"));
}

TEST(SweepSampleFiles, RowsAreRuns) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("s.csv")) << "a,\"m[1,2]\",on\n1,2,true\n3,4.5,false\n";
  const Result<SweepSamples> samples = read_sweep_samples(folder.file("s.csv"));
  ASSERT_TRUE(samples);
  EXPECT_THAT(samples->names, ElementsAre("a", "m[1,2]", "on"));
  EXPECT_THAT(samples->values, ElementsAre(1, 2, 1, 3, 4.5, 0));
  std::ofstream(folder.file("w.csv")) << "a,a\n1,2\n3\nx,5\n";
  const Result<SweepSamples> wrong = read_sweep_samples(folder.file("w.csv"));
  ASSERT_FALSE(wrong);
  const std::string text = render_text(wrong.error());
  EXPECT_THAT(text, HasSubstr("w.csv:1: two columns are named 'a'"));
  EXPECT_THAT(text, HasSubstr("w.csv:3: the row has 1 cells, and there are 2 columns"));
  EXPECT_THAT(text, HasSubstr("w.csv:4: 'x' of 'a' is not a finite number"));
  std::ofstream(folder.file("e.csv")) << "a\n";
  EXPECT_THAT(render_text(read_sweep_samples(folder.file("e.csv")).error()),
              HasSubstr("there are no values below the names [wrong-sample-file]"));
  EXPECT_FALSE(read_sweep_samples(folder.file("none.csv")));
}

}  // namespace
}  // namespace saltus
