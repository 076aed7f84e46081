// Data files, options, and what is wrong with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "saltus/fit.hpp"
#include "seeded_data.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using test::kBallText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DataFile : public ::testing::Test {
 protected:
  Result<FitData> read(const std::string& text) {
    std::ofstream(folder_.file("d.csv"), std::ios::binary) << text;
    return read_fit_data(folder_.file("d.csv"));
  }
  std::string problem_of(const std::string& text) {
    const Result<FitData> data = read(text);
    return data ? "none" : render_text(data.error());
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(DataFile, HasTimesNamesAndGaps) {
  const FitData data = read("h,time,\"A[1,2]\"\n1,0,\n\n,0.5,2e-3\n").value();
  EXPECT_THAT(data.times, ElementsAre(0.0, 0.5));
  EXPECT_THAT(data.lines, ElementsAre(2, 4));
  ASSERT_EQ(data.columns.size(), 2U);
  EXPECT_EQ(data.columns[1].name, "A[1,2]");
  EXPECT_EQ(data.columns[0].values[0], 1.0);
  EXPECT_TRUE(std::isnan(data.columns[0].values[1]));
  EXPECT_TRUE(std::isnan(data.columns[1].values[0]));
  EXPECT_EQ(data.columns[1].values[1], 2e-3);
}

TEST_F(DataFile, ProblemsHaveFileLineAndName) {
  EXPECT_THAT(problem_of("time,x\n0,1\n1,one\n"), HasSubstr("d.csv:3: 'one' of 'x' is not a finite number"));
  EXPECT_THAT(problem_of("time,x\n0,1\n1,nan\n"), HasSubstr("d.csv:3: 'nan' of 'x' is not a finite number"));
  EXPECT_THAT(problem_of("time,x\n1,1\n0,1\n"), HasSubstr("d.csv:3: 'time' 0 is before 1 of line 2"));
  EXPECT_THAT(problem_of("time,x\n1,1\n\n1,1\n"), HasSubstr("d.csv:4: 'time' 1 is the same as 1 of line 2"));
  EXPECT_THAT(problem_of("time,x\n,1\n"), HasSubstr("d.csv:2: 'time' has no value"));
  EXPECT_THAT(problem_of("t,x\n0,1\n"), HasSubstr("d.csv:1: no column is named 'time'"));
  EXPECT_THAT(problem_of("time,x,x\n0,1,2\n"), HasSubstr("d.csv:1: two columns are named 'x'"));
  EXPECT_THAT(problem_of("time,\n0,1\n"), HasSubstr("d.csv:1: column 2 has no name"));
  EXPECT_THAT(problem_of("time\n0\n"), HasSubstr("d.csv:1: there is no column besides 'time'"));
  EXPECT_THAT(problem_of("time,x\n0\n"), HasSubstr("d.csv:2: the row has 1 cells, and there are 2 columns"));
  EXPECT_THAT(problem_of("time,x\n"), HasSubstr("d.csv:1: there are no values below the names"));
  EXPECT_THAT(problem_of(""), HasSubstr("the file has no rows"));
  EXPECT_THAT(problem_of("time,x\n0,\"1\n"), HasSubstr("[wrong-data-file]"));
}

// What a fit of the ball says of data and options.
std::string problem_of(const FitData& data, FitOptions options, const std::string& text = kBallText) {
  const Model model = Model::from_text("m.mo", text).value();
  if (options.parameters.empty()) {
    options.parameters = {{"e"}};
  }
  const Result<FitResult> result = fit(model, {data}, options);
  return result ? render_text(result->diagnostics) : render_text(result.error());
}

const FitData kData{.source = "d.csv", .times = {0.1, 0.2}, .lines = {2, 3}, .columns = {{"h", {0.9, 0.8}}}};

FitData with_times(std::vector<double> times) {
  FitData data = kData;
  data.times = std::move(times);
  return data;
}

TEST(FitSetup, NamesWhatIsWrongWithData) {
  FitData data = kData;
  data.columns[0].name = "hh";
  EXPECT_THAT(problem_of(data, {}), HasSubstr("d.csv:1: the model has no variable 'hh'"));
  EXPECT_THAT(problem_of(data, {}), HasSubstr("did you mean 'h'?"));
  EXPECT_THAT(problem_of(with_times({-0.1, 0.2}), {}),
              HasSubstr("d.csv:2: 'time' -0.1 is before the start 0"));
  EXPECT_THAT(problem_of(with_times({0.2, 0.2}), {}),
              HasSubstr("d.csv:3: 'time' 0.2 does not come after 0.2"));
  EXPECT_THAT(problem_of(kData, {.simulation = {.stop = 0.15}}),
              HasSubstr("d.csv:3: 'time' 0.2 is after the stop 0.15"));
  data = kData;
  data.columns[0].values = {std::nan(""), std::nan("")};
  EXPECT_THAT(problem_of(data, {}), HasSubstr("the data have no values"));
  data.columns[0].values = {1.0};
  EXPECT_THAT(problem_of(data, {}), HasSubstr("'h' has 1 values, and there are 2 times"));
  EXPECT_THAT(problem_of(kData, {.parameters = {{"k"}}},
                         "model M parameter Real k = 1; Boolean h = time > k; end M;"),
              HasSubstr("d.csv:1: 'h' is not a Real variable"));
}

TEST(FitSetup, NamesWhatIsWrongWithParameters) {
  EXPECT_THAT(problem_of(kData, {.parameters = {{"ee"}}}), HasSubstr("no parameter or variable 'ee'"));
  EXPECT_THAT(problem_of(kData, {.parameters = {{"e"}, {"e"}}}), HasSubstr("'e' is named twice"));
  EXPECT_THAT(problem_of(kData, {.parameters = {{"e", 2.0, 0.0, 1.0}}}),
              HasSubstr("the guess 2 of 'e' is not within its bounds 0 and 1"));
  EXPECT_THAT(problem_of(kData, {.parameters = {{"e", 0.5, 1.0, 0.0}}}), HasSubstr("the lower bound first"));
  EXPECT_THAT(problem_of(kData, {.starts = 2}), HasSubstr("'e' has not both"));
  EXPECT_THAT(problem_of(kData, {.sigma = {{"v", 1.0}}}),
              HasSubstr("sigma of 'v': no data have such a column"));
  EXPECT_THAT(problem_of(kData, {.sigma = {{"h", 0.0}}}), HasSubstr("must be a positive number"));
  EXPECT_THAT(problem_of(kData, {.loss_scale = -1.0}), HasSubstr("the scale of a loss must be"));
  EXPECT_THAT(problem_of(kData, {.simulation = {.set = {{"q", 1.0}}}}), HasSubstr("[unknown-set-name]"));
  const Model model = Model::from_text("m.mo", kBallText).value();
  EXPECT_THAT(render_text(fit(model, {kData}, {}).error()), HasSubstr("there is nothing to be fitted"));
  EXPECT_THAT(render_text(fit(model, {}, {.parameters = {{"e"}}}).error()), HasSubstr("there are no data"));
}

TEST(FitSetup, WarnsOfUnitsThatAreGuessed) {
  EXPECT_THAT(problem_of(kData, {.loss = Loss::huber}), HasSubstr("[fit-unscaled]"));
  FitData data = kData;
  data.columns.push_back({"v", {-1.0, -2.0}});
  EXPECT_THAT(problem_of(data, {.sigma = {{"v", 1.0}}}), HasSubstr("'h' has none"));
}

TEST(FitOptionTexts, ParametersHaveGuessesAndBounds) {
  FitOptions options;
  EXPECT_TRUE(set_fit_option(options, "params", "a, A[1,2]=3,c=1:0:2 ,d=:-1:, f=::5").empty());
  ASSERT_EQ(options.parameters.size(), 5U);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(options.parameters[0].name, "a");
  EXPECT_FALSE(options.parameters[0].guess);
  EXPECT_EQ(options.parameters[1].name, "A[1,2]");
  EXPECT_EQ(options.parameters[1].guess, 3.0);
  EXPECT_EQ(options.parameters[2].lower, 0.0);
  EXPECT_EQ(options.parameters[2].upper, 2.0);
  EXPECT_FALSE(options.parameters[3].guess);
  EXPECT_EQ(options.parameters[3].lower, -1.0);
  EXPECT_EQ(options.parameters[3].upper, kInfinity);
  EXPECT_EQ(options.parameters[4].lower, -kInfinity);
  for (const char* const wrong : {"a=1:2", "=1", "a=one", "a=1:2:3:4", "a,,b", "a=1:x:3"}) {
    EXPECT_THAT(render_text(set_fit_option(options, "params", wrong)), HasSubstr("--params takes NAME"))
        << wrong;
  }
}

TEST(FitOptionTexts, AreReadByTheirNames) {
  FitOptions options;
  EXPECT_TRUE(set_fit_option(options, "sigma", "h = 0.5").empty());
  EXPECT_EQ(options.sigma[0].name, "h");
  EXPECT_EQ(options.sigma[0].value, 0.5);
  EXPECT_TRUE(set_fit_option(options, "loss", "cauchy").empty());
  EXPECT_EQ(options.loss, Loss::cauchy);
  EXPECT_TRUE(set_fit_option(options, "loss-scale", "3").empty());
  EXPECT_EQ(options.loss_scale, 3.0);
  EXPECT_TRUE(set_fit_option(options, "starts", "5").empty());
  EXPECT_TRUE(set_fit_option(options, "seed", "9").empty());
  EXPECT_TRUE(set_fit_option(options, "threads", "2").empty());
  EXPECT_TRUE(set_fit_option(options, "max-iterations", "7").empty());
  EXPECT_EQ(options.starts + options.threads + options.max_iterations, 14);
  EXPECT_EQ(options.seed, 9U);
  EXPECT_TRUE(set_fit_option(options, "tolerance", "1e-8").empty());
  EXPECT_EQ(options.simulation.tolerance, 1e-8);
  for (const auto& [name, value] : std::vector<std::pair<const char*, const char*>>{{"sigma", "h"},
                                                                                    {"sigma", "h=-1"},
                                                                                    {"sigma", "=1"},
                                                                                    {"loss", "square"},
                                                                                    {"loss-scale", "0"},
                                                                                    {"starts", "0"},
                                                                                    {"seed", "-1"},
                                                                                    {"threads", "x"},
                                                                                    {"max-iterations", "-1"},
                                                                                    {"speed", "1"}}) {
    EXPECT_TRUE(set_fit_option(options, name, value).has_errors()) << name << " " << value;
  }
}

}  // namespace
}  // namespace saltus
