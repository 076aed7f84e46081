// saltus run: results, options, precedence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      fields.push_back(cell);
    }
    rows.push_back(fields);
  }
  return rows;
}

TEST(Run, WritesTheResultsFolderAndASummary) {
  const Program saltus;
  const ProcessResult result = saltus({"run", saltus.write("decay.mo", kDecay)});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("Decay: success, time 0 to 2"));
  EXPECT_THAT(result.out, HasSubstr("dopri5"));
  EXPECT_THAT(result.out, HasSubstr("decay_results"));
  const auto rows = read_csv(saltus.read("decay_results/trajectory.csv"));
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"time", "segment", "mode", "x[1]", "x[2]", "twice"}));
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const double t = 0.5 * static_cast<double>(k - 1);
    EXPECT_EQ(std::stod(rows[k][0]), t);
    EXPECT_EQ(rows[k][1], "0");
    EXPECT_EQ(rows[k][2], "main");
    EXPECT_NEAR(std::stod(rows[k][3]), std::exp(-t), 1e-7);
    EXPECT_NEAR(std::stod(rows[k][4]), std::exp(-2 * t), 1e-7);
    EXPECT_EQ(std::stod(rows[k][5]), 2 * std::stod(rows[k][3]));
  }
  EXPECT_EQ(saltus.read("decay_results/events.csv"), "time,segment,kind,from,to,guard,detail\n");
  const auto summary = saltus.json("decay_results/summary.json");
  EXPECT_EQ(summary["schema"], 1);
  EXPECT_EQ(summary["model"], "Decay");
  EXPECT_EQ(summary["status"], "success");
  EXPECT_EQ(summary["end"], 2.0);
  EXPECT_EQ(summary["final"]["x[1]"].get<double>(), std::stod(rows[5][3]));  // same bits through both files
  EXPECT_EQ(summary["parameters"]["k"], 1.0);
  EXPECT_EQ(summary["statistics"]["method"], "dopri5");
  EXPECT_EQ(summary["modes"][0]["d"], 2);
  EXPECT_EQ(summary["modes"][0]["a"], 1);
  EXPECT_GT(summary["statistics"]["accepted_steps"], 3);
  EXPECT_THAT(saltus.read("decay_results/report.html"), HasSubstr("<canvas"));
}

TEST(Run, TwoRunsGiveTheSameBytes) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  ASSERT_EQ(saltus({"run", "decay.mo", "-o", "a"}).exit_code, 0);
  ASSERT_EQ(saltus({"run", "decay.mo", "-o", "b"}).exit_code, 0);
  EXPECT_EQ(saltus.read("a/trajectory.csv"), saltus.read("b/trajectory.csv"));
  const std::regex wall("\"wall_seconds\": ?[0-9.e+-]+");
  for (const char* name : {"summary.json", "report.html"}) {
    EXPECT_EQ(std::regex_replace(saltus.read(std::string("a/") + name), wall, ""),
              std::regex_replace(saltus.read(std::string("b/") + name), wall, ""));
  }
}

TEST(Run, OptionsOverrideTheAnnotation) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const ProcessResult result = saltus({"run", "decay.mo", "--stop", "1", "--interval", "0.25", "--start=-1",
                                       "--set", "k=2", "--set", "x[1]=3", "-o", "out", "--quiet"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  const auto rows = read_csv(saltus.read("out/trajectory.csv"));
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[1][0], "-1");
  EXPECT_EQ(rows[1][3], "3");
  EXPECT_NEAR(std::stod(rows[9][3]), 3 * std::exp(-4.0), 1e-6);
}

TEST(Run, AStructuralParameterElaboratesAnew) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const ProcessResult result = saltus({"run", "decay.mo", "--set", "n=4", "--set", "x[4]=2", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rows = read_csv(saltus.read("out/trajectory.csv"));
  ASSERT_EQ(rows[0].size(), 8U);
  EXPECT_EQ(rows[0][6], "x[4]");
  EXPECT_NEAR(std::stod(rows[2][6]), 2 * std::exp(-2.0), 1e-6);
}

TEST(Run, BackwardsInTime) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const ProcessResult result = saltus({"run", "decay.mo", "--start", "0", "--stop", "-1", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rows = read_csv(saltus.read("out/trajectory.csv"));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[2][0], "-0.5");
  EXPECT_NEAR(std::stod(rows[3][3]), std::exp(1.0), 1e-6);
}

TEST(Run, FixedStepsOfEveryMethod) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  for (const char* method : {"dopri5", "rk4", "kutta3"}) {
    const ProcessResult result =
        saltus({"run", "decay.mo", "--method", method, "--step", "0.01", "-o", "out"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto summary = saltus.json("out/summary.json");
    EXPECT_EQ(summary["statistics"]["method"], method);
    EXPECT_EQ(summary["statistics"]["accepted_steps"], 200);
    EXPECT_NEAR(summary["final"]["x[1]"].get<double>(), std::exp(-2.0), 1e-6);
  }
}

TEST(Run, AnnotationOptionsApplyAndTheCommandLineWins) {
  const Program saltus;
  std::string text = kDecay;
  text.replace(text.find("annotation("), 11, "annotation(__saltus(method = \"rk4\", step = 0.5), ");
  saltus.write("decay.mo", text);
  ASSERT_EQ(saltus({"run", "decay.mo", "-o", "out"}).exit_code, 0);
  EXPECT_EQ(saltus.json("out/summary.json")["statistics"]["method"], "rk4");
  EXPECT_EQ(saltus.json("out/summary.json")["statistics"]["accepted_steps"], 4);
  ASSERT_EQ(saltus({"run", "decay.mo", "-o", "out", "--step", "0.25"}).exit_code, 0);
  EXPECT_EQ(saltus.json("out/summary.json")["statistics"]["accepted_steps"], 8);
}

TEST(Run, FormatChoosesTheFiles) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  ASSERT_EQ(saltus({"run", "decay.mo", "-o", "out", "--format", "json"}).exit_code, 0);
  EXPECT_TRUE(saltus.exists("out/summary.json"));
  EXPECT_FALSE(saltus.exists("out/trajectory.csv"));
  EXPECT_FALSE(saltus.exists("out/report.html"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(saltus.file("out")), {}), 1);
}

TEST(Run, ToleranceDecidesTheWork) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const auto steps = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "decay.mo", "-o", "out"});
    const ProcessResult result = saltus(more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return saltus.json("out/summary.json")["statistics"]["accepted_steps"].get<int>();
  };
  const int loose = steps({"--tolerance", "1e-4"});
  EXPECT_LT(loose, steps({"--tolerance", "1e-10"}));
  EXPECT_LT(loose, steps({"--tolerance", "1e-4", "--atol", "1e-12", "--rtol", "1e-10"}));
  EXPECT_LT(loose, steps({"--tolerance", "1e-4", "--max-step", "0.01"}));
  EXPECT_LT(loose, steps({"--rtol", "0", "--atol", "1e-4", "--atol", "x[1]=1e-10"}));
}

TEST(Run, MemoryDoesNotGrowWithTheRows) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const ProcessResult few = saltus({"run", "decay.mo", "--interval", "0.5"});
  const ProcessResult many = saltus({"run", "decay.mo", "--interval", "5e-6"});
  EXPECT_EQ(many.exit_code, 0) << many.err;
  EXPECT_EQ(saltus.json("decay_results/summary.json")["statistics"]["output_rows"], 400001);
  // The rows alone would take 13 MB as numbers; the report keeps a bounded sample of them.
  EXPECT_LT(many.peak_kilobytes, few.peak_kilobytes + 4000);
  EXPECT_LT(std::filesystem::file_size(saltus.file("decay_results/report.html")), 500'000U);
}

}  // namespace
}  // namespace saltus::test
