// What goes wrong outside of the program's control: exit codes and messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct WrongUse {
  const char* name;
  std::vector<std::string> arguments;
  const char* message;
};

class WrongUseTest : public ::testing::TestWithParam<WrongUse> {};

TEST_P(WrongUseTest, ExitCodeTwoAndAMessage) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  saltus.write("decay.txt", kDecay);
  saltus.write("wrong.mo", "model Wrong\n  Real x;\nequation\n  der(x) = y;\nend Wrong;\n");
  const ProcessResult result = saltus(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_THAT(result.err, Not(HasSubstr("there is no file '1'")));  // a value, not the model
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(saltus.exists("decay_results"));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WrongUseTest,
    ::testing::Values(
        WrongUse{"no_model", {"run"}, "MODEL is required"},
        WrongUse{"check_no_model", {"check"}, "MODEL is required"},
        WrongUse{"unknown_option",
                 {"run", "--tolernace", "1", "decay.mo"},
                 "error: there is no option '--tolernace' [unknown-option]\n  hint: did you mean "
                 "'--tolerance'?\n"},
        WrongUse{"unknown_option_with_equals_sign",
                 {"run", "decay.mo", "--stopp=1"},
                 "there is no option '--stopp' [unknown-option]\n  hint: did you mean '--stop'?"},
        WrongUse{"unknown_short_option",
                 {"run", "decay.mo", "-x", "1"},
                 "there is no option '-x' [unknown-option]"},
        WrongUse{"unknown_option_of_check", {"check", "decay.mo", "--colour", "never"}, "'--color'?"},
        WrongUse{"unknown_option_before_the_command",
                 {"--quiet", "run", "decay.mo"},
                 "there is no option '--quiet'"},
        WrongUse{"one_too_many", {"run", "decay.mo", "a", "b"}, "argument 'a' is one too many"},
        WrongUse{"unknown_command", {"walk", "decay.mo"}, "there is no command 'walk'"},
        WrongUse{"misspelt_command", {"rnu", "decay.mo"}, "did you mean 'run'?"},
        WrongUse{"missing_value", {"run", "decay.mo", "--stop"}, "--stop needs a value"},
        WrongUse{"not_a_number", {"run", "decay.mo", "--stop", "soon"}, "--stop takes a number, not 'soon'"},
        WrongUse{"infinite", {"run", "decay.mo", "--stop", "inf"}, "--stop takes a number"},
        WrongUse{
            "not_a_number_either", {"run", "decay.mo", "--stop", "nan"}, "--stop takes a number, not 'nan'"},
        WrongUse{"number_and_more", {"run", "decay.mo", "--start", "1s"}, "--start takes a number, not '1s'"},
        WrongUse{
            "negative_interval", {"run", "decay.mo", "--interval", "-1"}, "--interval must be a positive"},
        WrongUse{"zero_interval", {"run", "decay.mo", "--interval", "0"}, "--interval must be a positive"},
        WrongUse{
            "negative_tolerance", {"run", "decay.mo", "--tolerance", "-1"}, "--tolerance must be a positive"},
        WrongUse{"wordy_tolerance", {"run", "decay.mo", "--tolerance", "abc"}, "--tolerance takes a number"},
        WrongUse{
            "tiny_step", {"run", "decay.mo", "--step", "1e-30"}, "--step 1e-30 takes more than 1e+08 steps"},
        WrongUse{"too_many_rows", {"run", "decay.mo", "--interval", "1e-12"}, "too-many-rows"},
        WrongUse{"grid_too_fine", {"run", "decay.mo", "--interval", "1e-20"}, "cannot be told apart"},
        WrongUse{"zero_tolerance", {"run", "decay.mo", "--tolerance", "0"}, "tolerance must be a positive"},
        WrongUse{"unknown_word",
                 {"run", "decay.mo", "--color", "blue"},
                 "takes one of always, auto, never, not 'blue'"},
        WrongUse{"unknown_method", {"run", "decay.mo", "--method", "euler9"}, "methods: auto, dopri5"},
        WrongUse{"needs_step", {"run", "decay.mo", "--method", "rk4"}, "--step"},
        WrongUse{"conflict", {"run", "decay.mo", "--step", "1", "--max-step", "2"}, "conflicting-options"},
        WrongUse{
            "later_option", {"run", "decay.mo", "--structure", "all"}, "--structure is not supported yet"},
        WrongUse{"set_without_value", {"run", "decay.mo", "--set", "k"}, "--set takes NAME=VALUE"},
        WrongUse{"set_word", {"run", "decay.mo", "--set", "k=abc"}, "cannot be set to"},
        WrongUse{"set_unknown", {"run", "decay.mo", "--set", "kk=1"}, "did you mean 'k'?"},
        WrongUse{"set_constant", {"run", "decay.mo", "--set", "one=2"}, "declared constant"},
        WrongUse{"set_half_integer", {"run", "decay.mo", "--set", "n=1.5"}, "Integer"},
        WrongUse{"two_at_once_first",
                 {"run", "decay.mo", "--interval", "-1", "--max-step", "-2"},
                 "--interval must"},
        WrongUse{"two_at_once_second",
                 {"run", "decay.mo", "--interval", "-1", "--max-step", "-2"},
                 "--max-step must"},
        WrongUse{"unknown_format", {"run", "decay.mo", "--format", "csv,xml"}, "not 'xml'"},
        WrongUse{"missing_file", {"run", "none.mo"}, "there is no file 'none.mo'"},
        WrongUse{"folder", {"run", "."}, "is a folder"},
        WrongUse{"wrong_ending", {"run", "decay.txt"}, "neither a .mo nor a .saltus file"},
        WrongUse{"wrong_model", {"run", "wrong.mo"}, "wrong.mo:4:12: error"},
        WrongUse{"check_wrong_model", {"check", "wrong.mo"}, "wrong.mo:4:12: error"},
        WrongUse{"help_unknown", {"help", "fly"}, "there is no command 'fly'"},
        WrongUse{"help_misspelt", {"help", "chek"}, "did you mean 'check'?"},
        WrongUse{"example_misspelt", {"examples", "lorentz"}, "did you mean 'lorenz'?"},
        WrongUse{"example_unknown", {"examples", "none"}, "there is no example 'none'"},
        WrongUse{
            "analyze_format", {"analyze", "decay.mo", "--format", "xml"}, "--format takes text or json"}),
    [](const auto& chosen) { return chosen.param.name; });

// The codes in standard error, in their order.
std::vector<std::string> codes(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.rfind('[');
    if (line.find("error: ") != std::string::npos && open != std::string::npos) {
      list.push_back(line.substr(open + 1, line.size() - open - 2));
    }
  }
  return list;
}

TEST(Failures, EverythingWrongWithTheArgumentsIsToldInOneRun) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const ProcessResult result =
      saltus({"run",        "decay.mo", "--tolernace", "1",     "--color", "red",         "--format",
              "xml,pdf",    "--stop",   "soon",        "--set", "x",       "--structure", "all",
              "--interval", "0",        "--method",    "foo",   "--set",   "nope=1"});
  EXPECT_EQ(result.exit_code, 2);
  // Words in the order given, then values, then what only the model can tell.
  EXPECT_THAT(codes(result.err), ::testing::UnorderedElementsAre(
                                     "wrong-usage", "unknown-option", "unknown-format", "unknown-format",
                                     "wrong-option-value", "wrong-option-value", "option-not-supported",
                                     "wrong-option-value", "unknown-method", "unknown-set-name"))
      << result.err;
  EXPECT_FALSE(saltus.exists("decay_results"));
}

TEST(Failures, UnknownWordsAreNamedInTheOrderGiven) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const std::string err = saltus({"run", "decay.mo", "--zzz", "--aaa", "--mmm=3"}).err;
  EXPECT_LT(err.find("'--zzz'"), err.find("'--aaa'"));
  EXPECT_LT(err.find("'--aaa'"), err.find("'--mmm'"));
}

TEST(Failures, WrongOptionsAndAWrongModelAreToldTogether) {
  const Program saltus;
  saltus.write("wrong.mo", "model Wrong\n  Real x;\nequation\n  der(x) = y;\nend Wrong;\n");
  const ProcessResult result = saltus({"run", "wrong.mo", "--stop", "soon"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(codes(result.err), ::testing::ElementsAre("wrong-option-value", "unknown-name"));
}

TEST(Failures, TheLastOfRepeatedOptionsCounts) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const ProcessResult result = saltus({"run", "decay.mo", "--stop", "1", "--stop", "0.5", "-o", "a", "-o",
                                       "b", "--format", "csv", "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(saltus.exists("a"));
  EXPECT_FALSE(saltus.exists("b/trajectory.csv"));
  EXPECT_EQ(saltus.json("b/summary.json")["end"], 0.5);
}

TEST(Failures, ErrorsAsJson) {
  const Program saltus;
  saltus.write("wrong.mo", "model Wrong\n  Real x;\nequation\n  der(x) = y;\nend Wrong;\n");
  const ProcessResult result = saltus({"check", "wrong.mo", "--diagnostics", "json"});
  EXPECT_EQ(result.exit_code, 2);
  const auto list = nlohmann::json::parse(result.err);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["code"], "unknown-name");
  EXPECT_EQ(list[0]["line"], 4);
  EXPECT_EQ(list[0]["column"], 12);
}

TEST(Failures, ColoursOnlyWhenAskedFor) {
  const Program saltus;
  EXPECT_THAT(saltus({"check", "none.mo"}).err, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(saltus({"check", "none.mo", "--color", "always"}).err, HasSubstr("\x1b["));
}

TEST(Failures, AFileInTheWayOfTheFolder) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  saltus.write("out", "a file");
  const ProcessResult result = saltus({"run", "decay.mo", "-o", "out"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("cannot create the folder 'out'"));
  EXPECT_EQ(saltus.read("out"), "a file");
}

TEST(Failures, AFolderThatCannotBeWrittenTo) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const ProcessResult result = saltus({"run", "decay.mo", "-o", "/proc/saltus_results"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("/proc/saltus_results"));
}

TEST(Failures, AFullStandardOutput) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  ProcessOptions options;
  options.standard_output = "/dev/full";
  const ProcessResult result = saltus({"run", "decay.mo"}, options);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("cannot write to standard output"));
  EXPECT_THAT(result.err, HasSubstr("cannot-write-output"));
}

TEST(Failures, AFileThatMayNotGrow) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {std::min<rlim_t>(65536, before.rlim_max), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const ProcessResult result = saltus({"run", "decay.mo", "-o", "out", "--interval", "1e-4"});
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("File too large"));
  EXPECT_THAT(saltus.read("out/summary.json"), HasSubstr("output_failed"));
}

// Needs the right to mount; skipped without it. OutputFile's own test covers a full device everywhere.
TEST(Failures, AFullDisk) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const std::string small = saltus.file("small");
  std::filesystem::create_directory(small);
  if (::mount("none", small.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "no right to mount a small disk";
  }
  const ProcessResult result = saltus({"run", "decay.mo", "-o", "small/out", "--interval", "1e-4"});
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(small + "/out")) {
    left.push_back(entry.path().filename());
  }
  ::umount(small.c_str());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("No space left"));
  EXPECT_THAT(result.err, HasSubstr("disk is full"));
  EXPECT_THAT(left, Not(::testing::Contains("trajectory.csv")));
}

TEST(Failures, AValueThatIsNotFiniteNamesEquationAndTime) {
  const Program saltus;
  saltus.write("breaks.mo", kBreaks);
  const ProcessResult result = saltus({"run", "breaks.mo"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("x"));
  EXPECT_THAT(result.err, HasSubstr("not_finite"));
  EXPECT_THAT(result.out, HasSubstr("failed (not_finite)"));
  const auto summary = saltus.json("breaks_results/summary.json");
  EXPECT_EQ(summary["status"], "failed");
  EXPECT_EQ(summary["reason"], "not_finite");
  EXPECT_NEAR(summary["end"].get<double>(), 1.0, 1e-6);
  EXPECT_NEAR(summary["final"]["x"].get<double>(), 2.0 / 3.0, 1e-5);
  EXPECT_THAT(saltus.read("breaks_results/trajectory.csv"), HasSubstr("\n0.996,"));
}

TEST(Failures, StepLimit) {
  const Program saltus;
  saltus.write("long.mo", kLong);
  const ProcessResult result = saltus({"run", "long.mo", "--max-steps", "1e3"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("step_limit"));
  const auto summary = saltus.json("long_results/summary.json");
  EXPECT_EQ(summary["status"], "stopped");
  EXPECT_EQ(summary["reason"], "step_limit");
}

TEST(Failures, TimeLimit) {
  const Program saltus;
  saltus.write("long.mo", kLong);
  const ProcessResult result = saltus({"run", "long.mo", "--max-time", "0.2"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(saltus.json("long_results/summary.json")["reason"], "time_limit");
}

// All rows lie in a few steps: the limit must hold between rows, and the last row is where the run ended.
TEST(Failures, TimeLimitWithinAStepOfManyRows) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const ProcessResult result =
      saltus({"run", "decay.mo", "--interval", "1e-8", "--max-time", "0.1", "--format", "csv,json"});
  EXPECT_EQ(result.exit_code, 1);
  const auto summary = saltus.json("decay_results/summary.json");
  EXPECT_EQ(summary["reason"], "time_limit");
  EXPECT_LT(summary["statistics"]["wall_seconds"].get<double>(), 1.0);
  const std::string csv = saltus.read("decay_results/trajectory.csv");
  const std::string last = csv.substr(csv.rfind('\n', csv.size() - 2) + 1);
  EXPECT_EQ(std::stod(last), summary["end"].get<double>());
  EXPECT_NEAR(summary["final"]["x[1]"].get<double>(), std::exp(-summary["end"].get<double>()), 1e-7);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n') - 1, summary["statistics"]["output_rows"]);
  EXPECT_NEAR(summary["statistics"]["output_rows"].get<double>(), 1 + summary["end"].get<double>() / 1e-8,
              1.0);
}

TEST(Failures, InterruptWithinAStepOfManyRows) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  ProcessOptions options;
  options.when = [&] { return saltus.exists("decay_results"); };
  const ProcessResult result =
      saltus({"run", "decay.mo", "--interval", "1e-8", "--max-time", "20", "--format", "csv,json"}, options);
  EXPECT_EQ(result.exit_code, 1) << result.signal;
  EXPECT_EQ(saltus.json("decay_results/summary.json")["reason"], "interrupted");
}

TEST(Failures, ProgressOnlyWhenAskedForWithoutATerminalAndErasedBeforeMessages) {
  const Program saltus;
  saltus.write("long.mo", kLong);
  EXPECT_THAT(saltus({"run", "long.mo", "--max-time", "0.5"}).err, Not(HasSubstr("steps\r")));
  const ProcessResult result = saltus({"run", "long.mo", "--max-time", "0.5", "--progress", "on"});
  EXPECT_THAT(result.err, HasSubstr(" of 1e+12 "));
  EXPECT_THAT(result.err, HasSubstr("\r\x1b[Kerror:"));
}

TEST(Failures, InterruptWritesWhatThereIs) {
  const Program saltus;
  saltus.write("long.mo", kLong);
  ProcessOptions options;
  options.when = [&] { return saltus.exists("long_results"); };  // the run has begun
  const ProcessResult result = saltus({"run", "long.mo"}, options);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 1) << result.signal;
  const auto summary = saltus.json("long_results/summary.json");
  EXPECT_EQ(summary["status"], "stopped");
  EXPECT_EQ(summary["reason"], "interrupted");
  EXPECT_TRUE(saltus.exists("long_results/trajectory.csv"));
}

TEST(Failures, AKilledRunLeavesNoFileThatLooksWhole) {
  const Program saltus;
  saltus.write("long.mo", kLong);
  ProcessOptions options;
  options.when = [&] { return saltus.exists("long_results"); };
  options.signal = SIGKILL;
  const ProcessResult result = saltus({"run", "long.mo"}, options);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_FALSE(saltus.exists("long_results/trajectory.csv"));
  EXPECT_FALSE(saltus.exists("long_results/summary.json"));
}

}  // namespace
}  // namespace saltus::test
