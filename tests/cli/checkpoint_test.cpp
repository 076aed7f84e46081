// Runs that are killed, or ended by signals and limits, and go on: as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

// A block on a belt, which sticks and slips: events and slides all the time.
constexpr const char* kBelt = R"(model Belt
  Real x(start = 0, fixed = true), v(start = 0.5, fixed = true), slip, friction;
equation
  slip = v - 1;
  friction = (if slip > 0 then -1 else 1)*(0.5 + 0.5/(1 + 3*abs(slip)));
  der(x) = v;
  der(v) = -x + friction;
  annotation(experiment(StopTime = 60000, Interval = 20));
end Belt;
)";

std::string summary_of(const Program& saltus, const std::string& folder) {
  return std::regex_replace(read_text(saltus.file(folder + "/summary.json")),
                            std::regex("\"wall_seconds\": ?[-+0-9.eE]+"), "");
}

void expect_same_files(const Program& saltus, const std::string& a, const std::string& b) {
  for (const std::string name : {"trajectory.csv", "events.csv"}) {
    const std::string expected = read_text(saltus.file(a + "/" + name));
    EXPECT_FALSE(expected.empty());
    EXPECT_TRUE(read_text(saltus.file(b + "/" + name)) == expected) << name;
  }
  EXPECT_EQ(summary_of(saltus, b), summary_of(saltus, a));
}

// Ends a process some time after there is a checkpoint.
ProcessOptions ended_by(int signal, const std::string& file, int milliseconds) {
  ProcessOptions options;
  options.signal = signal;
  auto began = std::make_shared<std::optional<std::chrono::steady_clock::time_point>>();
  options.when = [=] {
    if (!*began && std::filesystem::exists(file)) {
      *began = std::chrono::steady_clock::now();
    }
    return *began && std::chrono::steady_clock::now() - **began > std::chrono::milliseconds(milliseconds);
  };
  return options;
}

TEST(SavedRuns, GoOnAfterBeingKilled) {
  const Program saltus;
  saltus.write("belt.mo", kBelt);
  ASSERT_EQ(saltus({"run", "belt.mo", "-o", "whole"}).exit_code, 0);
  const std::string file = saltus.file("state");
  int n_killed = 0;
  std::vector<std::string> arguments = {"run", "belt.mo", "-o", "parts", "--checkpoint", "state,0.01"};
  for (int k = 0; k < 12; ++k) {
    const ProcessResult result = saltus(arguments, ended_by(SIGKILL, file, 20 + 37 * (k % 4)));
    if (result.signal != SIGKILL) {
      break;
    }
    ++n_killed;
    arguments = {"run", "belt.mo", "-o", "parts", "--checkpoint", "state,0.01", "--resume", "state"};
  }
  EXPECT_GE(n_killed, 2);
  if (!saltus.exists("parts/summary.json")) {
    const ProcessResult last = saltus({"run", "belt.mo", "-o", "parts", "--resume", "state"});
    ASSERT_EQ(last.exit_code, 0) << last.err;
  }
  expect_same_files(saltus, "whole", "parts");
}

// Orderly ends: results are there up to the end, and the run goes on from exactly there.
TEST(SavedRuns, GoOnAfterSignalsAndLimits) {
  const Program saltus;
  saltus.write("belt.mo", kBelt);
  ASSERT_EQ(saltus({"run", "belt.mo", "-o", "whole"}).exit_code, 0);
  const auto parts = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"run", "belt.mo", "-o", "parts", "--checkpoint", "state"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  const std::string file = saltus.file("state");
  const ProcessResult limited = saltus(parts({"--max-events", "500"}));
  EXPECT_EQ(limited.exit_code, 1) << limited.err;
  EXPECT_THAT(limited.err, HasSubstr("[event_limit]"));
  const ProcessResult interrupted = saltus(parts({"--resume", "state"}), ended_by(SIGTERM, file, 150));
  EXPECT_EQ(interrupted.exit_code, 1) << interrupted.err;
  EXPECT_THAT(interrupted.err, HasSubstr("[interrupted]"));
  EXPECT_TRUE(saltus.exists("parts/summary.json"));
  const auto written = std::filesystem::last_write_time(file);
  const ProcessResult late = saltus(parts({"--resume", "state", "--max-time", "0.3"}));
  EXPECT_EQ(late.exit_code, 1) << late.err;
  EXPECT_THAT(late.err, HasSubstr("[time_limit]"));
  EXPECT_GT(std::filesystem::last_write_time(file), written);
  const ProcessResult end = saltus(parts({"--resume", "state"}));
  EXPECT_EQ(end.exit_code, 0) << end.err;
  expect_same_files(saltus, "whole", "parts");
  const ProcessResult more = saltus(parts({"--resume", "state"}));
  EXPECT_EQ(more.exit_code, 2);
  EXPECT_THAT(more.err, HasSubstr("[checkpoint-finished]"));
  expect_same_files(saltus, "whole", "parts");
}

TEST(SavedRuns, WrongFilesAreNamed) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  saltus.write("text", "nothing");
  const auto refused = [&](const std::vector<std::string>& more, const std::string& code) {
    std::vector<std::string> arguments = {"run", "decay.mo", "-o", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = saltus(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("[" + code + "]"));
    EXPECT_FALSE(saltus.exists("out/trajectory.csv"));
  };
  refused({"--resume", "missing"}, "file-not-found");
  refused({"--resume", "text"}, "checkpoint-damaged");
  EXPECT_EQ(saltus({"run", "decay.mo", "-o", "first", "--checkpoint", "state", "--max-steps", "3"}).exit_code,
            1);
  refused({"--resume", "state", "--tolerance", "1e-3"}, "checkpoint-mismatch");
  // Another folder has nothing to go on with.
  refused({"--resume", "state"}, "cannot-go-on-with-file");
  EXPECT_EQ(saltus({"run", "decay.mo", "-o", "out", "--checkpoint", "missing/state"}).exit_code, 1);
}

}  // namespace
}  // namespace saltus::test
