// saltus fit: files, exit codes, messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRate = R"(model Rate
  parameter Real k = 1, a = 1, b = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*a*b*x;
end Rate;
)";

// x = 2·exp(-0.5·t), and every second value 0.001 too high or too low.
std::string decay_data() {
  std::ostringstream text;
  text.precision(17);
  text << "time,x\n";
  for (int i = 0; i <= 20; ++i) {
    text << 0.2 * i << "," << 2.0 * std::exp(-0.1 * i) + (i % 2 == 0 ? 0.001 : -0.001) << "\n";
  }
  return text.str();
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(FitCommand, WritesItsFiles) {
  const Program saltus;
  saltus.write("rate.mo", kRate);
  saltus.write("d.csv", decay_data());
  const ProcessResult result =
      saltus({"fit", "rate.mo", "--data", "d.csv", "--params", "k,x=1.5:0:10", "--sigma", "x=0.001"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("Rate: converged"));
  EXPECT_THAT(result.out, HasSubstr("results in rate_fit: fit.html, fit.csv, fit.json"));
  const auto json = nlohmann::json::parse(text_of(saltus.file("rate_fit/fit.json")));
  EXPECT_EQ(json["status"], "converged");
  EXPECT_NEAR(json["parameters"]["k"]["value"].get<double>(), 0.5, 1e-3);
  EXPECT_NEAR(json["parameters"]["x"]["value"].get<double>(), 2.0, 2e-3);
  const auto& k = json["parameters"]["k"];
  EXPECT_GT(k["standard_error"].get<double>(), 0.0);
  EXPECT_LT(k["low"].get<double>(), k["value"].get<double>());
  EXPECT_LT(k["value"].get<double>(), k["high"].get<double>());
  EXPECT_EQ(json["correlation"].size(), 2U);
  EXPECT_EQ(json["correlation"][0][0], 1.0);
  EXPECT_NEAR(json["cost"].get<double>(), 10.0, 2.0);
  EXPECT_GT(json["statistics"]["runs"].get<int>(), 0);
  EXPECT_GT(json["statistics"]["iterations"].get<int>(), 0);
  EXPECT_TRUE(json["unidentifiable"].empty());
  EXPECT_EQ(json["seed"], 1);
  const std::string table = text_of(saltus.file("rate_fit/fit.csv"));
  EXPECT_THAT(table, HasSubstr("file,time,variable,data,model,residual\nd.csv,0,x,"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 22);
  EXPECT_THAT(text_of(saltus.file("rate_fit/fit.html")), HasSubstr("<svg"));
}

TEST(FitCommand, ParametersThatTheDataDoNotDetermineAreNamed) {
  const Program saltus;
  saltus.write("rate.mo", kRate);
  saltus.write("d.csv", decay_data());
  const ProcessResult result = saltus(
      {"fit", "rate.mo", "--data", "d.csv", "--params", "a=1,b=0.3,x=2", "-o", "out", "--format", "json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("[fit-unidentifiable]"));
  EXPECT_THAT(result.out, HasSubstr("not determined: the data do not change when 'a' by"));
  const auto json = nlohmann::json::parse(text_of(saltus.file("out/fit.json")));
  EXPECT_EQ(json["status"], "unidentifiable");
  ASSERT_EQ(json["unidentifiable"].size(), 1U);
  EXPECT_EQ(json["unidentifiable"][0]["parameters"], nlohmann::json({"a", "b"}));
  EXPECT_TRUE(json["parameters"]["a"]["standard_error"].is_null());
  EXPECT_FALSE(saltus.exists("out/fit.csv"));
}

TEST(FitCommand, EndsWithOneWhereItDoesNotConverge) {
  const Program saltus;
  saltus.write("rate.mo", kRate);
  saltus.write("d.csv", decay_data());
  const ProcessResult limited =
      saltus({"fit", "rate.mo", "--data", "d.csv", "--params", "k=5", "--max-iterations", "1"});
  EXPECT_EQ(limited.exit_code, 1);
  EXPECT_THAT(limited.err, HasSubstr("[fit-not-converged]"));
  saltus.write("breaks.mo", kBreaks);
  saltus.write("late.csv", "time,x\n1.9,1\n");
  const ProcessResult failed = saltus({"fit", "breaks.mo", "--data", "late.csv", "--params", "x"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("[fit-failed]"));
  EXPECT_THAT(failed.err, HasSubstr("the model cannot be run with these values"));
  const auto json = nlohmann::json::parse(text_of(saltus.file("breaks_fit/fit.json")));
  EXPECT_EQ(json["status"], "failed");
}

TEST(FitCommand, WrongInputIsToldAtOnce) {
  const Program saltus;
  saltus.write("rate.mo", kRate);
  saltus.write("d.csv", decay_data());
  saltus.write("text.csv", "time,x\n0,one\n");
  saltus.write("y.csv", "time,y\n0,1\n");
  const auto expect_refused = [&](std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), {"fit", "rate.mo"});
    const ProcessResult result = saltus(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_FALSE(saltus.exists("rate_fit"));
  };
  expect_refused({"--data", "text.csv", "--params", "k"}, "text.csv:2: 'one' of 'x' is not a finite number");
  expect_refused({"--data", "y.csv", "--params", "k"}, "y.csv:1: the model has no variable 'y'");
  expect_refused({"--data", "none.csv", "--params", "k"}, "[file-not-found]");
  expect_refused({"--data", "d.csv"}, "[wrong-fit]");
  expect_refused({"--params", "k"}, "there are no data");
  expect_refused({"--data", "d.csv", "--params", "k", "--loss", "square"},
                 "--loss takes none, huber or cauchy");
  expect_refused({"--data", "d.csv", "--params", "kk"}, "[unknown-sensitivity]");
  expect_refused({"--data", "d.csv", "--params", "k", "--columns", "x"}, "[unknown-option]");
}

TEST(FitCommand, SeveralFilesStartsAndLosses) {
  const Program saltus;
  saltus.write("rate.mo", kRate);
  saltus.write("d.csv", decay_data());
  saltus.write("e.csv", "time,x\n0,2\n1,1.21306\n");
  const ProcessResult result =
      saltus({"fit",         "rate.mo",  "--data",    "d.csv",    "--data",  "e.csv",  "--params",
              "k=3:0.01:10", "--params", "x=1:0.1:9", "--starts", "4",       "--seed", "7",
              "--threads",   "2",        "--loss",    "huber",    "--sigma", "x=0.001"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("starts     4 (seed 7)"));
  const auto json = nlohmann::json::parse(text_of(saltus.file("rate_fit/fit.json")));
  EXPECT_EQ(json["starts"].size(), 4U);
  EXPECT_EQ(json["data"]["files"].size(), 2U);
  EXPECT_EQ(json["data"]["values"], 23);
  EXPECT_EQ(json["loss"], "huber");
}

}  // namespace
}  // namespace saltus::test
