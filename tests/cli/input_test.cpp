// Inputs and tables from files, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPlant =
    "model Plant\n input Real u;\n input Real k[2];\n Real x(start = 0, fixed = true);\nequation\n"
    " der(x) = u + k[1] + k[2];\nend Plant;\n";

TEST(InputFile, DrivesTheModel) {
  const Program saltus;
  saltus.write("plant.mo", kPlant);
  saltus.write("wind.csv", "time,u,\"k[2]\"\r\n0,1,0\r\n2,1,0\r\n2,3,1\r\n4,3,1\r\n");
  const ProcessResult result = saltus({"run", "plant.mo", "--stop", "4", "--input", "wind.csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("x    = 10"));
  EXPECT_THAT(result.err, HasSubstr("the input k[1] has no equation and keeps its start value"));
  EXPECT_THAT(result.err, Not(HasSubstr("held outside")));
  EXPECT_THAT(saltus.read("plant_results/events.csv"), HasSubstr("\n2,"));
}

TEST(InputFile, TheRuleIsAnOption) {
  const Program saltus;
  saltus.write("plant.mo", kPlant);
  saltus.write("wind.csv", "u,time\n0,0\n4,2\n");
  const auto x_with = [&](const std::string& rule) {
    const ProcessResult result =
        saltus({"run", "plant.mo", "--stop", "3", "--input", "wind.csv", "--input-rule", rule});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("the run is from 0 to 3, the table from 0 to 2"), HasSubstr("[input-held]")));
    return result.out;
  };
  EXPECT_THAT(x_with("linear"), HasSubstr("x    = 8"));
  EXPECT_THAT(x_with("u=hold"), HasSubstr("x    = 4"));
  EXPECT_THAT(x_with("cubic"), HasSubstr("x    = 8"));
}

TEST(InputFile, WhatIsWrongHasItsLine) {
  const Program saltus;
  saltus.write("plant.mo", kPlant);
  const auto problem_of = [&](const std::string& text) {
    saltus.write("wind.csv", text);
    const ProcessResult result = saltus({"run", "plant.mo", "--input", "wind.csv"});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_FALSE(saltus.exists("plant_results")) << text;
    return result.err;
  };
  EXPECT_THAT(problem_of(""),
              AllOf(HasSubstr("wind.csv:1: the file has no rows"), HasSubstr("[wrong-input-file]")));
  EXPECT_THAT(problem_of("t,u\n0,1\n"), HasSubstr("wind.csv:1: no column is named 'time'"));
  EXPECT_THAT(problem_of("time,u,u\n0,1,1\n"), HasSubstr("two columns are named 'u'"));
  EXPECT_THAT(problem_of("time,u\n"), HasSubstr("no values"));
  EXPECT_THAT(problem_of("time,u\n0,1\n1,\n"), HasSubstr("wind.csv:3: 'u' has no value"));
  EXPECT_THAT(problem_of("time,u\n0,1\n1,2,3\n"), HasSubstr("wind.csv:3: the row has 3 cells"));
  EXPECT_THAT(problem_of("time,u\n0,1\n1,much\n"),
              HasSubstr("wind.csv:3: 'much' of 'u' is not a finite number"));
  EXPECT_THAT(problem_of("time,u\n0,1\n1,nan\n"), HasSubstr("'nan' of 'u'"));
  EXPECT_THAT(problem_of("time,u\n0,1\n-1,2\n"),
              AllOf(HasSubstr("must ascend"), HasSubstr("[wrong-input-table]")));
  EXPECT_THAT(problem_of("time,u\n0,1\n\"1,2\n"), HasSubstr("does not end"));
  EXPECT_THAT(problem_of("time,v\n0,1\n"), AllOf(HasSubstr("no input 'v'"), HasSubstr("[unknown-input]")));
  EXPECT_THAT(problem_of("time,x\n0,1\n"), HasSubstr("no input 'x'"));
  const ProcessResult missing = saltus({"run", "plant.mo", "--input", "none.csv", "--input-rule", "round"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("there is no file 'none.csv'"), HasSubstr("--input-rule takes")));
}

TEST(InputFile, AModelNamesNone) {
  const Program saltus;
  saltus.write("plant.mo",
               "model Plant\n input Real u;\n Real x = u;\n annotation(__saltus('input' = "
               "\"secret.csv\"));\nend Plant;\n");
  saltus.write("secret.csv", "time,u\n0,1\n");
  const ProcessResult result = saltus({"run", "plant.mo"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("cannot be given in a model"), HasSubstr("[option-of-the-command-line]")));
}

constexpr const char* kCurve =
    "model Pump\n parameter String file = \"data/curve.csv\";\n Real x = time, y, z;\nequation\n"
    " y = interpolate(file, x);\n z = interpolate(file, x, column = \"power\", rule = \"hold\");\nend "
    "Pump;\n";

TEST(TableFile, IsReadBesideTheModel) {
  const Program saltus;
  std::filesystem::create_directories(std::filesystem::path(saltus.folder()) / "models/data");
  saltus.write("models/pump.mo", kCurve);
  saltus.write("models/data/curve.csv", "flow,head,power\n0,10,1\n2,6,5\n4,0,7\n");
  for (const char* const command : {"check", "analyze"}) {
    EXPECT_EQ(saltus({command, "models/pump.mo"}).exit_code, 0) << command;
  }
  const ProcessResult result = saltus({"run", "models/pump.mo", "--stop", "3"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("y = 3"), HasSubstr("z = 5")));
}

TEST(TableFile, NotOutsideOfItsFolders) {
  const Program saltus;
  std::filesystem::create_directories(std::filesystem::path(saltus.folder()) / "models/data");
  std::filesystem::create_directories(std::filesystem::path(saltus.folder()) / "other");
  saltus.write("models/pump.mo", kCurve);
  saltus.write("other/curve.csv", "flow,head,power\n0,10,1\n4,0,7\n");
  // By a link, and by a name.
  std::filesystem::create_symlink("../../other/curve.csv",
                                  std::filesystem::path(saltus.folder()) / "models/data/curve.csv");
  const ProcessResult refused = saltus({"run", "models/pump.mo", "--stop", "2"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("lies outside of the folder of the model"),
                                 HasSubstr("--data-folder"), HasSubstr("[table-file]")));
  const ProcessResult allowed = saltus({"run", "models/pump.mo", "--stop", "2", "--data-folder", "other"});
  EXPECT_EQ(allowed.exit_code, 0) << allowed.err;
  EXPECT_THAT(allowed.out, HasSubstr("y = 5"));
  std::string by_name = kCurve;
  by_name.replace(by_name.find("data/curve.csv"), 14, "../other/curve.csv");
  saltus.write("models/pump.mo", by_name);
  EXPECT_EQ(saltus({"check", "models/pump.mo"}).exit_code, 2);
}

TEST(TableFile, WhatIsWrongHasItsLine) {
  const Program saltus;
  std::filesystem::create_directories(std::filesystem::path(saltus.folder()) / "data");
  saltus.write("pump.mo", kCurve);
  const auto problem_of = [&](const std::string& text) {
    saltus.write("data/curve.csv", text);
    const ProcessResult result = saltus({"check", "pump.mo"});
    EXPECT_EQ(result.exit_code, 2) << text;
    return result.err;
  };
  EXPECT_THAT(problem_of(""), HasSubstr("rows of at least two numbers"));
  EXPECT_THAT(problem_of("flow,head,power\n0,1,2\n1,2\n"),
              HasSubstr("data/curve.csv:3: the row has 2 cells, not 3"));
  EXPECT_THAT(problem_of("flow,head,power\n0,1,2\n1,x,2\n"),
              HasSubstr("data/curve.csv:3: 'x' is not a finite number"));
  EXPECT_THAT(problem_of("flow,head,effort\n0,1,2\n1,2,3\n"), HasSubstr("no column 'power'"));
  EXPECT_THAT(problem_of("flow,head,power\n1,1,2\n0,2,3\n"), HasSubstr("must ascend"));
}

}  // namespace
}  // namespace saltus::test
