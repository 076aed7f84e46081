// saltus sweep under mpirun: the bytes of one process; a lost process ends the job, and the same command goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPendulum = R"(model Pendulum
  parameter Real k = 1; parameter Real c = 0.1;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -k*sin(x) - c*v;
  annotation(experiment(StopTime = 200));
end Pendulum;
)";

constexpr const char* kMpirun = "/usr/bin/mpirun";

std::filesystem::path plugin() {
  return std::filesystem::path(SALTUS_PROGRAM).parent_path() / "saltus_mpi.so";
}

// Why it cannot be tested here; empty: it can.
std::string missing() {
  return !std::filesystem::exists(plugin())  ? "the plugin for MPI was not built: no MPI was found"
         : !std::filesystem::exists(kMpirun) ? std::string(kMpirun) + " is not there"
                                             : "";
}

std::vector<std::string> sweep_arguments(const std::string& folder) {
  return {"sweep", "pendulum.mo", "--vary", "k=0.5:0.002:4", "--vary", "c={0.1,0.2,0.3,0.4}", "-o", folder};
}

std::vector<std::string> under_mpirun(const std::string& folder) {
  std::vector<std::string> words{kMpirun, "--oversubscribe", "--allow-run-as-root", "-n",
                                 "3",     SALTUS_PROGRAM};
  const std::vector<std::string> own = sweep_arguments(folder);
  words.insert(words.end(), own.begin(), own.end());
  return words;
}

ProcessResult run_in(const Program& saltus, const std::vector<std::string>& words) {
  ProcessOptions options;
  options.folder = saltus.folder();
  return run_process(words, options);
}

void expect_same_files(const Program& saltus, const std::string& one, const std::string& two) {
  for (const char* file : {"/sweep.csv", "/sweep.json", "/sweep.html"}) {
    EXPECT_EQ(saltus.read(one + file), saltus.read(two + file)) << file;
  }
}

TEST(SweepUnderMpirun, TheBytesAreThoseOfOneProcess) {
  if (!missing().empty()) {
    GTEST_SKIP() << missing();
  }
  const Program saltus("pendulum.mo", kPendulum);
  ASSERT_EQ(saltus(sweep_arguments("alone")).exit_code, 0);
  const ProcessResult team = run_in(saltus, under_mpirun("team"));
  ASSERT_EQ(team.exit_code, 0) << team.err;
  EXPECT_THAT(team.out, HasSubstr("7004 runs: 7004 success\n"));
  expect_same_files(saltus, "alone", "team");
}

TEST(SweepUnderMpirun, ALostProcessEndsTheJobAndTheSameCommandGoesOn) {
  if (!missing().empty()) {
    GTEST_SKIP() << missing();
  }
  const Program saltus("pendulum.mo", kPendulum);
  ASSERT_EQ(saltus(sweep_arguments("alone")).exit_code, 0);
  // A process that kills itself once it has made some runs stands for a machine that fails.
  std::vector<std::string> words = under_mpirun("team");
  const auto program = std::find(words.begin(), words.end(), SALTUS_PROGRAM);
  const std::vector<std::string> rest(program, words.end());
  words.erase(program, words.end());
  words.insert(words.end(),
               {"/bin/sh", "-c",
                "\"$@\" & child=$!; if [ \"$OMPI_COMM_WORLD_RANK\" = 2 ]; then while [ ! -s "
                "team/sweep.journal ]; do sleep 0.01; done; sleep 0.05; kill -9 $child; fi; wait $child",
                "sh"});
  words.insert(words.end(), rest.begin(), rest.end());
  const ProcessResult lost = run_in(saltus, words);
  EXPECT_NE(lost.exit_code, 0);
  EXPECT_FALSE(saltus.exists("team/sweep.csv"));
  const ProcessResult again = run_in(saltus, under_mpirun("team"));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  expect_same_files(saltus, "alone", "team");
}

TEST(SweepUnderMpirun, MistakesAreToldOnce) {
  if (!missing().empty()) {
    GTEST_SKIP() << missing();
  }
  const Program saltus("pendulum.mo", kPendulum);
  std::vector<std::string> words = under_mpirun("team");
  words.insert(words.end(), {"--columns", "w"});
  const ProcessResult wrong = run_in(saltus, words);
  EXPECT_EQ(wrong.exit_code, 2);
  const std::size_t first = wrong.err.find("[unknown-column]");
  EXPECT_NE(first, std::string::npos) << wrong.err;
  EXPECT_EQ(wrong.err.find("[unknown-column]", first + 1), std::string::npos);
}

TEST(SweepUnderMpirun, WithoutThePluginItIsRefused) {
  const Program saltus("pendulum.mo", kPendulum);
  ProcessOptions options;
  options.environment = {{"OMPI_COMM_WORLD_SIZE", "3"}, {"SALTUS_MPI_PLUGIN", "/nowhere/saltus_mpi.so"}};
  const ProcessResult result = saltus(sweep_arguments("team"), options);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              HasSubstr("3 processes were started together, and the plugin for MPI is not there"));
  EXPECT_THAT(result.err, HasSubstr("[no-mpi-plugin]"));
  EXPECT_FALSE(saltus.exists("team"));
}

}  // namespace
}  // namespace saltus::test
