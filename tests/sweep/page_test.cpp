// sweep.html: maps, parallel axes and bundles have the numbers of the table and of the trajectories.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "api/sweep/sweep_page.hpp"
#include "saltus/saltus.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// x ends as a + 10·b; with a = 4 it does not come to its end.
constexpr const char* kSum = R"(model Sum
  parameter Real a = 1; parameter Real b = 1; parameter Real c = 0;
  Real x(start = 0, fixed = true);
equation
  der(x) = a + 10*b + 100*c;
  assert(a < 3.5 or time < 0.5, "a < b");
end Sum;
)";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++n;
  }
  return n;
}

SweepResult swept(SweepOptions options, const std::vector<std::string>& vary) {
  for (const std::string& text : vary) {
    options.vary.push_back(*read_variation(text));
  }
  options.columns = {"x"};
  return *sweep(*Model::from_text("sum.mo", kSum), options);
}

TEST(SweepPages, AGridOfTwoNamesHasEveryRun) {
  const std::string maps = api::parameter_maps(swept({}, {"a=1:1:4", "b={0,1,2}"}));
  EXPECT_EQ(count(maps, "<svg"), 1U);
  EXPECT_EQ(count(maps, "<title>"), 12U);
  EXPECT_THAT(maps, HasSubstr("<title>a = 3, b = 2: 23</title>"));
  EXPECT_THAT(maps, HasSubstr("<title>a = 4, b = 2:  not ok</title>"));
  EXPECT_EQ(count(maps, "class=\"f\""), 3U);
  // The ends of the scale are the least and the largest value.
  EXPECT_THAT(maps, HasSubstr(">23</text>"));
  EXPECT_THAT(maps, HasSubstr("fill=\"" + api::colour_of(0.0) + "\"><title>a = 1, b = 0: 1</title>"));
  EXPECT_THAT(maps, HasSubstr("fill=\"" + api::colour_of(1.0) + "\"><title>a = 3, b = 2: 23</title>"));
}

TEST(SweepPages, OtherNamesAreMeans) {
  const std::string maps = api::parameter_maps(swept({}, {"a={1,2}", "b={0,1}", "c={0,1}"}));
  EXPECT_EQ(count(maps, "<svg"), 3U);
  EXPECT_THAT(maps, HasSubstr("<title>a = 2, b = 1: 62, mean of 2 runs</title>"));
  EXPECT_THAT(maps, HasSubstr("<title>b = 1, c = 1: 111.5, mean of 2 runs</title>"));
}

TEST(SweepPages, ManyValuesShareCells) {
  SweepOptions options;
  options.n_random = 3000;
  const SweepResult result = swept(options, {"a=1..3", "b=log(1e-3..1e3)"});
  const std::string maps = api::parameter_maps(result);
  EXPECT_LE(count(maps, "<title>"), 24U * 24U);
  EXPECT_GT(count(maps, "<title>"), 500U);
  EXPECT_THAT(maps, HasSubstr("b from 0.00100158 to 0.00178092: "));
}

TEST(SweepPages, OneNameHasPoints) {
  const std::string page = api::sweep_page(swept({}, {"a=1:1:4"}), "");
  EXPECT_EQ(count(page, "<circle class=\"p\""), 3U);
  EXPECT_THAT(page, HasSubstr("assertion failed"));
  EXPECT_THAT(page, HasSubstr("a &lt; b"));
  EXPECT_THAT(page, Not(HasSubstr("a < b")));
  EXPECT_EQ(count(page, "<path class=\"r"), 4U);
  EXPECT_EQ(count(page, "<path class=\"r b\""), 1U);
  EXPECT_THAT(page, HasSubstr("4 runs: 3 success, 1 failed"));
}

TEST(SweepPages, EqualValuesAndNoneAtAllHaveAPage) {
  EXPECT_THAT(api::sweep_page(swept({}, {"c={0}"}), ""), Not(HasSubstr("nan")));
  EXPECT_THAT(api::sweep_page(swept({}, {"a={4}", "b={1}"}), ""), Not(HasSubstr("nan")));
  EXPECT_THAT(api::sweep_page(swept({}, {"a={4,5}"}), ""), Not(HasSubstr("nan")));
}

// Programs may give what a file may not; such runs are refused.
TEST(SweepPages, NumbersThatAreNoneHaveNoPlace) {
  SweepOptions options;
  options.samples = SweepSamples{"", {"a", "b"}, {1.0, std::nan(""), std::nan(""), 2.0, 1.0, 2.0}};
  const std::string maps = api::parameter_maps(swept(options, {}));
  EXPECT_EQ(count(maps, "<title>"), 1U);
  EXPECT_THAT(maps, HasSubstr("<title>a = 1, b = 2: 21</title>"));
  options.samples = SweepSamples{"", {"a"}, {std::nan(""), 1.0}};
  const std::string page = api::sweep_page(swept(options, {}), "");
  EXPECT_EQ(count(page, "<circle class=\"p\""), 1U);
  EXPECT_THAT(page, Not(HasSubstr("\"nan\"")));
}

TEST(SweepPages, Quantiles) {
  EXPECT_EQ(api::quantile({7.0}, 0.95), 7.0);
  EXPECT_EQ(api::quantile({1.0, 2.0, 4.0}, 0.5), 2.0);
  EXPECT_EQ(api::quantile({1.0, 2.0, 4.0}, 0.75), 3.0);
  EXPECT_EQ(api::quantile({1.0, 2.0, 4.0}, 1.0), 4.0);
}

TEST(SweepPages, BundlesHaveTheQuantilesOfTheTrajectories) {
  const test::TemporaryFolder folder;
  SweepOptions options;
  options.trajectories = {"x"};
  options.trajectory_folder = folder.file("runs");
  const SweepResult result = swept(options, {"a={0,1,2,3,4}"});
  const std::string page = api::sweep_page(result, options.trajectory_folder);
  EXPECT_THAT(page, HasSubstr("x over time"));
  EXPECT_EQ(count(page, "<path class=\"c\""), 5U);
  EXPECT_EQ(count(page, "<path class=\"q\""), 2U);
  // At the end there are four runs, x from 10 to 13: the median is 11.5, in the middle of the curves of 11 and 12.
  const auto end_of = [&](std::size_t at) {
    const std::size_t end = page.find('"', page.find("d=\"", at) + 3);
    return std::stod(page.substr(page.rfind(' ', end) + 1));
  };
  std::vector<double> curves;
  for (std::size_t at = page.find("<path class=\"c\""); at != std::string::npos;
       at = page.find("<path class=\"c\"", at + 1)) {
    curves.push_back(end_of(at));
  }
  EXPECT_NEAR(end_of(page.find("<path class=\"m\"")), 0.5 * (curves[1] + curves[2]), 0.011);
  std::filesystem::remove_all(folder.file("runs/run_2"));
  EXPECT_THAT(api::sweep_page(result, options.trajectory_folder), HasSubstr("1 trajectories cannot be read"));
}

}  // namespace
}  // namespace saltus
