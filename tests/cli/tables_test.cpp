// saltus convert, compare and plot; --format mat and npz.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
  return text;
}

TEST(TableCommands, FormatsAreTheSameCurves) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const ProcessResult run = saltus({"run", "decay.mo", "--format", "mat,npz", "-o", "r"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("trajectory.csv, events.csv, trajectory.mat, trajectory.npz"));
  EXPECT_FALSE(saltus.exists("r/summary.json"));
  for (const char* file : {"r/trajectory.csv", "r/trajectory.mat", "r/trajectory.npz"}) {
    const ProcessResult result = saltus({"compare", "r", file, "--tolerance", "1e-9"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "3 columns are the same\n");
    EXPECT_EQ(saltus({"convert", file, "c.csv"}).exit_code, 0);
    // MAT has neither segments nor modes.
    const std::string all = saltus.read("r/trajectory.csv");
    const bool is_mat = std::string(file).ends_with(".mat");
    EXPECT_EQ(saltus.read("c.csv"), is_mat ? without(without(all, ",segment,mode"), ",0,main") : all);
  }
}

TEST(TableCommands, CompareTellsDifferences) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  ASSERT_EQ(saltus({"run", "decay.mo", "-o", "a", "--quiet"}).exit_code, 0);
  ASSERT_EQ(saltus({"run", "decay.mo", "-o", "b", "--quiet", "--set", "k=1.1"}).exit_code, 0);
  const ProcessResult result = saltus({"compare", "a", "b"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("3 of 3 columns differ"));
  EXPECT_EQ(saltus({"compare", "a", "b", "--tolerance", "0.3", "--quiet"}).out, "");
  EXPECT_EQ(saltus({"compare", "a", "b", "--columns", "twice", "--tolerance", "0.3"}).exit_code, 0);
  const ProcessResult wrong = saltus({"compare", "a", "none.csv", "--tolerance", "2"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--tolerance takes a number between 0 and 1, not '2'"));
  EXPECT_THAT(wrong.err, HasSubstr("none.csv"));
  EXPECT_THAT(saltus({"compare", "a"}).err, HasSubstr("two results are required"));
  EXPECT_THAT(saltus({"convert", "a", "b.xls"}).err, HasSubstr("[unknown-result-format]"));
}

TEST(TableCommands, Plot) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  ASSERT_EQ(saltus({"run", "decay.mo", "-o", "a", "--quiet"}).exit_code, 0);
  EXPECT_EQ(saltus({"plot", "a", "x[1]", "twice", "--events", "-o", "p/decay.svg"}).exit_code, 0);
  EXPECT_THAT(saltus.read("p/decay.svg"), HasSubstr("<polyline"));
  EXPECT_THAT(saltus.read("p/decay.svg"), HasSubstr(">x[1]</text>"));
  const ProcessResult wrong = saltus({"plot", "a", "twicee"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'twice'"));
}

TEST(TableCommands, SweepsHaveNumbersInOtherFormats) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  EXPECT_EQ(saltus({"sweep", "decay.mo", "--vary", "k={1,2}", "--format", "mat,npz"}).exit_code, 0);
  EXPECT_TRUE(saltus.exists("decay_sweep/sweep.npz"));
  EXPECT_EQ(saltus({"plot", "decay_sweep/sweep.mat", "twice"}).exit_code, 0);
}

}  // namespace
}  // namespace saltus::test
