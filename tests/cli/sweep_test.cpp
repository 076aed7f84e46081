// saltus sweep: the table, exit codes, messages; interrupted and killed, it goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSwing = R"(model Swing
  parameter Real k = 1; parameter Real c = 0.1;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -k*sin(x) - c*v;
  annotation(experiment(StopTime = 50));
end Swing;
)";

TEST(SweepCommand, WritesATable) {
  const Program saltus("swing.mo", kSwing);
  const ProcessResult result = saltus({"sweep", "swing.mo", "--vary", "k={1,4}", "--vary", "x=log(0.1,1,2)",
                                       "--columns", "v,e=final(v^2/2)", "--stop", "0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, "4 runs: 4 success\nresults in swing_sweep: sweep.csv, sweep.json, sweep.html\n");
  EXPECT_EQ(saltus.read("swing_sweep/sweep.csv"),
            "run,k,x,v,e,status,reason,end,events,warnings,message\n"
            "1,1,0.1,0,0,success,,0,0,,\n2,1,1,0,0,success,,0,0,,\n"
            "3,4,0.1,0,0,success,,0,0,,\n4,4,1,0,0,success,,0,0,,\n");
  const auto json = saltus.json("swing_sweep/sweep.json");
  EXPECT_EQ(json["runs"]["total"], 4);
  EXPECT_EQ(json["runs"]["success"], 4);
  EXPECT_EQ(json["varied"], nlohmann::json({"k", "x"}));
  EXPECT_EQ(json["columns"].size(), 11U);
  EXPECT_EQ(json["rows"][2][1], 4.0);
  EXPECT_EQ(json["rows"].size(), 4U);
}

TEST(SweepCommand, TellsRunsThatFail) {
  const Program saltus;
  saltus.write("breaks.mo", R"(model Breaks
  parameter Real a = 1; Real x(start = 0, fixed = true);
equation
  der(x) = sqrt(a - time);
end Breaks;
)");
  const ProcessResult result = saltus({"sweep", "breaks.mo", "--vary", "a={2,0.5,3}", "--format", "csv"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("error: 1 of 3 runs did not come to their end; run 2: "));
  EXPECT_THAT(result.err, HasSubstr("[sweep-runs-failed]"));
  EXPECT_THAT(result.out, HasSubstr("3 runs: 2 success, 1 failed\nresults in breaks_sweep: sweep.csv\n"));
  EXPECT_THAT(saltus.read("breaks_sweep/sweep.csv"), HasSubstr("\n2,0.5,,failed,"));
  EXPECT_FALSE(saltus.exists("breaks_sweep/sweep.json"));
}

TEST(SweepCommand, RefusesWrongInput) {
  const Program saltus("swing.mo", kSwing);
  const auto error = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"sweep", "swing.mo"});
    const ProcessResult result = saltus(arguments);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(error({}), HasSubstr("nothing is varied [wrong-sweep]"));
  EXPECT_THAT(error({"--vary", "k=1:2"}),
              HasSubstr("--vary 'k=1:2': '1:2' has 2 numbers, not 3 [wrong-option-value]"));
  EXPECT_THAT(error({"--vary", "kk={1}"}), HasSubstr("no parameter or variable 'kk'"));
  EXPECT_THAT(error({"--vary", "k=1..2"}), HasSubstr("no number of random runs is given"));
  EXPECT_THAT(error({"--vary", "k=1..2", "--random", "0"}), HasSubstr("--random takes N or N,SEED"));
  EXPECT_THAT(error({"--vary", "k={1}", "--jobs", "0"}),
              HasSubstr("--jobs takes a whole number of at least 1"));
  EXPECT_THAT(error({"--samples", "none.csv"}), HasSubstr("none.csv"));
  saltus.write("s.csv", "k\nx\n");
  EXPECT_THAT(error({"--samples", "s.csv"}),
              HasSubstr("s.csv:2: 'x' of 'k' is not a finite number [wrong-sample-file]"));
  EXPECT_THAT(error({"--vary", "k={1}", "--columns", "w"}), HasSubstr("[unknown-column]"));
  EXPECT_THAT(error({"--vary", "k={1}", "--format", "svg"}),
              HasSubstr("--format takes csv, json, html, mat and npz, not 'svg'"));
  EXPECT_FALSE(saltus.exists("swing_sweep"));
}

TEST(SweepCommand, AnotherSweepIsRefusedUnlessAnew) {
  const Program saltus("swing.mo", kSwing);
  EXPECT_EQ(saltus({"sweep", "swing.mo", "--vary", "k={1,2}", "--stop", "1"}).exit_code, 0);
  EXPECT_THAT(saltus({"sweep", "swing.mo", "--vary", "k={1,2}", "--stop", "1"}).out,
              HasSubstr("(2 from the journal)"));
  const ProcessResult other = saltus({"sweep", "swing.mo", "--vary", "k={1,2}", "--stop", "2"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("--stop is 2 here and was 1"));
  EXPECT_THAT(other.err, HasSubstr("--anew throws it away"));
  EXPECT_EQ(saltus({"sweep", "swing.mo", "--vary", "k={1,2}", "--stop", "2", "--anew"}).exit_code, 0);
}

std::vector<std::string> long_sweep(const std::string& folder, const std::string& jobs) {
  return {"sweep",     "swing.mo", "--random", "400,3", "--vary", "k=1..4", "--vary", "c=log(0.01..1)",
          "--columns", "x,v",      "--jobs",   jobs,    "-o",     folder,   "--quiet"};
}

TEST(SweepCommand, BytesDoNotDependOnTheNumberOfJobs) {
  const Program saltus("swing.mo", kSwing);
  for (const char* jobs : {"1", "2", "4"}) {
    ASSERT_EQ(saltus(long_sweep(std::string("r") + jobs, jobs)).exit_code, 0);
  }
  for (const char* file : {"/sweep.csv", "/sweep.json", "/sweep.html"}) {
    EXPECT_EQ(saltus.read(std::string("r1") + file), saltus.read(std::string("r2") + file));
    EXPECT_EQ(saltus.read(std::string("r1") + file), saltus.read(std::string("r4") + file));
  }
}

// Starts the program and sends it a signal after a while; its exit code, or minus the signal that ended it.
int run_and_signal(const Program& saltus, const std::vector<std::string>& arguments, int signal_number,
                   std::chrono::milliseconds after) {
  std::vector<std::string> all = arguments;
  all.insert(all.begin(), SALTUS_PROGRAM);
  std::vector<char*> pointers;
  for (std::string& argument : all) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(saltus.folder().c_str()) == 0) {
      ::execv(pointers[0], pointers.data());
    }
    ::_exit(127);
  }
  std::this_thread::sleep_for(after);
  ::kill(child, signal_number);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(SweepCommand, GoesOnWhenItWasKilled) {
  const Program saltus("swing.mo", kSwing);
  ASSERT_EQ(saltus(long_sweep("whole", "2")).exit_code, 0);
  const std::vector<std::string> arguments = long_sweep("killed", "2");
  int n_killed = 0;
  for (int k = 0; k < 8; ++k) {
    n_killed +=
        run_and_signal(saltus, arguments, SIGKILL, std::chrono::milliseconds(15 + 11 * k)) == -SIGKILL;
  }
  EXPECT_GT(n_killed, 0);
  EXPECT_EQ(saltus(arguments).exit_code, 0);
  EXPECT_EQ(saltus.read("killed/sweep.csv"), saltus.read("whole/sweep.csv"));
  EXPECT_EQ(saltus.read("killed/sweep.json"), saltus.read("whole/sweep.json"));
  EXPECT_EQ(saltus.read("killed/sweep.html"), saltus.read("whole/sweep.html"));
}

TEST(SweepCommand, AnInterruptEndsItCleanly) {
  const Program saltus("swing.mo", kSwing);
  std::vector<std::string> arguments = long_sweep("cut", "2");
  arguments[3] = "1e6,3";
  const int code = run_and_signal(saltus, arguments, SIGINT, std::chrono::milliseconds(600));
  EXPECT_EQ(code, 1);
  EXPECT_FALSE(saltus.exists("cut/sweep.csv"));
  arguments.insert(arguments.end(), {"--max-time", "0.5"});
  arguments.erase(std::find(arguments.begin(), arguments.end(), "--quiet"));
  const ProcessResult limited = saltus(arguments);
  EXPECT_EQ(limited.exit_code, 1);
  EXPECT_THAT(limited.err, HasSubstr("error: the limit of 0.5 seconds was reached after "));
  EXPECT_THAT(limited.err, HasSubstr(" of 1000000 runs [sweep-not-complete]"));
  EXPECT_THAT(limited.out, HasSubstr("from the journal)\nthe same command goes on from here\n"));
}

}  // namespace
}  // namespace saltus::test
