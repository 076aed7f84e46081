// Limits of time and memory, interrupts in every phase, what terminals get to see, and files that cannot be written: as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "program.hpp"
#include "support/sphere_model.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

double seconds_of(const std::function<void()>& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

TEST(Limits, TimeEndsTheAnalysisOfALargeModel) {
  const Program saltus;
  saltus.write("sphere.mo", sphere_model(60));
  ProcessResult result;
  const double seconds = seconds_of([&] { result = saltus({"run", "sphere.mo", "--max-time", "0.5"}); });
  EXPECT_LT(seconds, 5.0);
  EXPECT_EQ(result.exit_code, 1) << result.signal;
  EXPECT_THAT(result.err, ::testing::ContainsRegex("time.limit"));
  EXPECT_THAT(result.err, HasSubstr("the limit of 0.5 seconds was reached"));
}

TEST(Limits, SignalsEndTheAnalysisOfALargeModel) {
  for (const int signal : {SIGINT, SIGTERM}) {
    for (const char* command : {"run", "check", "analyze"}) {
      const Program saltus;
      saltus.write("sphere.mo", sphere_model(150));
      ProcessOptions options;
      const auto began = std::chrono::steady_clock::now();
      options.when = [&] {
        return std::chrono::steady_clock::now() - began > std::chrono::milliseconds(500);
      };
      options.signal = signal;
      ProcessResult result;
      EXPECT_LT(seconds_of([&] { result = saltus({command, "sphere.mo"}, options); }), 5.0) << command;
      EXPECT_EQ(result.exit_code, 1) << command << ' ' << result.signal;
      EXPECT_THAT(result.err, HasSubstr("interrupted"));
    }
  }
}

// A limit between reading and the first step leaves a summary that says so. How long reading takes is the machine's business, and the analysis
// takes a hundred times as long: the first limit that reading keeps is met in it.
TEST(Limits, ARunThatWasEndedBeforeItBeganHasASummary) {
  const Program saltus;
  saltus.write("sphere.mo", sphere_model(150));
  ProcessResult result;
  for (double limit = 0.5; limit < 100.0 && !saltus.exists("sphere_results/summary.json"); limit *= 2.0) {
    result = saltus({"run", "sphere.mo", "--max-time", std::to_string(limit)});
    ASSERT_EQ(result.exit_code, 1) << limit << result.signal;
  }
  const auto summary = saltus.json("sphere_results/summary.json");
  EXPECT_EQ(summary["status"], "stopped");
  EXPECT_EQ(summary["reason"], "time_limit");
  EXPECT_THAT(result.out, HasSubstr("stopped (time_limit)"));
}

TEST(Limits, ALimitOfMemoryIsAReason) {
  const Program saltus;
  saltus.write("sphere.mo", sphere_model(100));
  const std::string command = std::string("ulimit -d 60000; exec ") + SALTUS_PROGRAM + " run sphere.mo";
  ProcessOptions options;
  options.folder = saltus.folder();
  const ProcessResult result = run_process({"/bin/sh", "-c", command}, options);
  EXPECT_EQ(result.exit_code, 1) << result.signal << result.err;
  EXPECT_THAT(result.err, ::testing::ContainsRegex("out.of.memory"));
}

// Whatever amount there is: a result, or the reason.
TEST(Limits, NoAmountOfMemoryCrashes) {
  const Program saltus;
  saltus.write("sphere.mo", sphere_model(5));
  ProcessOptions options;
  options.folder = saltus.folder();
  for (int kilobytes = 2500; kilobytes < 12'000; kilobytes += 400) {
    const std::string command = "ulimit -d " + std::to_string(kilobytes) + "; exec " + SALTUS_PROGRAM +
                                " run sphere.mo --stop 0.1 --quiet";
    const ProcessResult result = run_process({"/bin/sh", "-c", command}, options);
    EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 1)) << kilobytes << ' ' << result.signal << result.err;
  }
}

constexpr const char* kEvil = "\x1b[31mx\xc2\x9b";

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) {
                       return (static_cast<unsigned char>(c) < 0x20U && c != '\n' && c != '\t') || c == 0x7f;
                     }) ||
         text.find("\xc2\x9b") != std::string::npos;
}

TEST(Limits, ControlCharactersOfModelsReachNoTerminalAndNoFile) {
  const Program saltus;
  const std::string name = std::string("'") + kEvil + "'";
  saltus.write(
      "evil.mo",
      "model Evil \"\x1b]0;title\x07\"\n  Real " + name +
          "(start = 0, fixed = true, unit = \"\x1b[1m\");\n  Integer n(start = 0);\nequation\n  der(" + name +
          ") = 1;\n  when " + name + " > 0.5 then\n    n = 1;\n  end when;\n  assert(" + name +
          " < 0.9, \"\x1b[2Jgone\");\nend Evil;\n");
  const ProcessResult result = saltus({"run", "evil.mo", "--color", "never", "--explain-event", "1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("\\x1b[31mx\\x9b"));
  for (const std::string& text :
       {result.out, result.err, saltus.read("evil_results/trajectory.csv"),
        saltus.read("evil_results/events.csv"), saltus.read("evil_results/summary.json"),
        saltus.read("evil_results/report.html"), saltus({"analyze", "evil.mo"}).out,
        saltus({"analyze", "evil.mo", "--format", "json"}).out,
        saltus({"run", "evil.mo", "--diagnostics", "json", "--set", std::string(kEvil) + "y=1"}).err,
        saltus({"run", "evil.mo", "--color", "never", std::string("--") + kEvil}).err,
        saltus({"run", std::string(kEvil) + ".mo", "--color", "never"}).err}) {
    EXPECT_FALSE(has_control(text)) << text;
  }
  EXPECT_EQ(saltus.json("evil_results/summary.json")["final"].count(kEvil), 1U);
}

TEST(Limits, TolerancesBelowRoundingAreRefused) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  for (const char* option : {"--tolerance", "--rtol", "--atol"}) {
    const ProcessResult result = saltus({"run", "decay.mo", option, "1e-308"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(std::string(option) + " must be at least"));
  }
}

TEST(Limits, LeftOverPartialFilesOfKilledRunsAreRemoved) {
  const Program saltus;
  saltus.write("long.mo", kLong);
  const auto n_partial = [&] {
    const std::filesystem::directory_iterator folder(saltus.file("long_results"));
    return std::count_if(begin(folder), end(folder),
                         [](const auto& entry) { return entry.path().extension() == ".partial"; });
  };
  ProcessOptions options;
  options.when = [&] { return saltus.exists("long_results") && n_partial() > 0; };
  options.signal = SIGKILL;
  (void)saltus({"run", "long.mo"}, options);
  ASSERT_GT(n_partial(), 0);
  saltus.write("long_results/notes.partial", "of somebody else");
  EXPECT_EQ(saltus({"run", "long.mo", "--stop", "1"}).exit_code, 0);
  EXPECT_EQ(n_partial(), 1);
}

TEST(Limits, AFileThatCannotBeWrittenInTheEndIsInTheSummaries) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  std::filesystem::create_directories(saltus.file("decay_results/events.csv/in_the_way"));
  const ProcessResult result = saltus({"run", "decay.mo"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("cannot write"));
  EXPECT_THAT(result.out, HasSubstr("stopped (output_failed)"));
  const auto summary = saltus.json("decay_results/summary.json");
  EXPECT_EQ(summary["status"], "stopped");
  EXPECT_EQ(summary["reason"], "output_failed");
  EXPECT_THAT(summary["message"].get<std::string>(), HasSubstr("events.csv"));
}

// A derivative that a clause or the other side of a choice alone reads is found by differentiating what gives the variable.
TEST(Limits, ADerivativeThatAClauseAloneReadsIsDetermined) {
  const Program saltus;
  saltus.write("rate.mo", R"(model Rate
  Real x(start = 0, fixed = true), h;
  Integer n(start = 0);
equation
  der(x) = 1;
  h = 2*sin(x);
  when der(h) < 0 then n = pre(n) + 1; end when;
end Rate;
)");
  const ProcessResult result = saltus({"run", "rate.mo", "--stop", "4"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(saltus.json("rate_results/summary.json")["final"]["n"], 1.0);
  saltus.write(
      "min.mo",
      "model Min\n  Real u(start = 1, fixed = true);\nequation\n  min(der(u) + u, u - 0.5) = 0;\nend Min;\n");
  const ProcessResult obstacle = saltus({"run", "min.mo", "--stop", "2"});
  EXPECT_EQ(obstacle.exit_code, 0) << obstacle.err;
  EXPECT_NEAR(saltus.json("min_results/summary.json")["final"]["u"].get<double>(), 0.5, 1e-6);
}

TEST(Limits, AParameterThatIsNotFixedIsFoundAtTheStart) {
  const Program saltus;
  saltus.write("free.mo",
               "model Free\n  parameter Real p(fixed = false);\ninitial equation\n  p = 4;\nend Free;\n");
  ASSERT_EQ(saltus({"run", "free.mo"}).exit_code, 0);
  EXPECT_EQ(saltus.json("free_results/summary.json")["final"]["p"], 4.0);
  saltus.write("both.mo",
               "model Both\n  parameter Real p(fixed = false) = 2;\ninitial equation\n  p = 4;\nend Both;\n");
  const ProcessResult both = saltus({"run", "both.mo"});
  EXPECT_EQ(both.exit_code, 1) << both.err;
  EXPECT_THAT(both.err, HasSubstr("'p = 4'"));
  saltus.write("shoot.mo", R"(model Shoot
  parameter Real p(fixed = false, start = 1);
  Real x(start = 1, fixed = true);
equation
  der(x) = -p*x;
initial equation
  der(x) = -8;
end Shoot;
)");
  ASSERT_EQ(saltus({"run", "shoot.mo"}).exit_code, 0);
  EXPECT_NEAR(saltus.json("shoot_results/summary.json")["final"]["p"].get<double>(), 8.0, 1e-10);
}

// Neither variables nor equations: nothing to do is no reason to crash.
TEST(Limits, ModelsWithoutVariablesRun) {
  const Program saltus;
  saltus.write("empty.mo", "model Empty\n  parameter Real p = 2;\nend Empty;\n");
  const ProcessResult result = saltus({"run", "empty.mo"});
  EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 1, 2)) << result.signal << result.err;
  EXPECT_EQ(result.signal, 0);
}

}  // namespace
}  // namespace saltus::test
