// Checkpoints that are not there, damaged, or of something else: refused with a reason, and what was written before stays as it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/build_id.hpp"
#include "base/byte_hash.hpp"
#include "checkpoint/saved_runs.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using test::bytes_of;
using test::Outputs;
using test::run_into;
using test::TemporaryFolder;
using test::write_bytes;
using ::testing::HasSubstr;

const std::string kBall =
    "model Ball\n parameter Real e = 0.8;\n Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
    "equation\n der(h) = v;\n der(v) = -9.81;\n when h <= 0 and v < 0 then\n  reinit(v, -e*pre(v));\n end "
    "when;\n"
    " annotation(experiment(StopTime = 2));\nend Ball;\n";

Model ball(const std::string& text = kBall) {
  return Model::from_text("ball.mo", text).value();
}

// A run that ended after some steps, in a folder of its own.
class BadUse : public ::testing::Test {
 protected:
  void SetUp() override {
    SimulationOptions options;
    options.checkpoint = file;
    options.max_steps = 8;
    ASSERT_EQ(run_into(ball(), results, options).reason, "step_limit");
  }
  // The error of going on.
  [[nodiscard]] static Diagnostics resume_error(const Model& model, SimulationOptions options) {
    options.keep_rows = false;
    options.keep_dense = false;
    const Result<SimulationResult> result = simulate(model, options);
    return result ? Diagnostics{} : result.error();
  }
  [[nodiscard]] Diagnostics resume_error(SimulationOptions options = {}) const {
    options.resume = file;
    ResultFiles files(ball(), {.folder = results});
    options.sink = &files;
    return resume_error(ball(), options);
  }
  static void expect(const Diagnostics& problems, const std::string& code, const std::string& text) {
    ASSERT_TRUE(problems.has_errors());
    EXPECT_EQ(problems.items()[0].code, code);
    EXPECT_THAT(problems.items()[0].message, HasSubstr(text));
  }

  TemporaryFolder temporary;
  std::string results = temporary.file("results");
  std::string file = temporary.file("checkpoint");
};

TEST_F(BadUse, MissingFileAndFolder) {
  std::filesystem::remove(file);
  expect(resume_error(), "file-not-found", "checkpoint");
  std::filesystem::create_directory(file);
  expect(resume_error(), "file-unreadable", "checkpoint");
}

TEST_F(BadUse, CutAnywhere) {
  const std::string whole = bytes_of(file);
  ASSERT_GT(whole.size(), 1000U);
  for (std::size_t n = 0; n < whole.size(); n += n < 64 ? 5 : 997) {
    write_bytes(file, whole.substr(0, n));
    expect(resume_error(), "checkpoint-damaged", "checkpoint");
  }
  write_bytes(file, whole + "x");
  expect(resume_error(), "checkpoint-damaged", "checkpoint");
}

TEST_F(BadUse, AnyByteChanged) {
  const std::string whole = bytes_of(file);
  const Outputs before = Outputs::in(results);
  for (std::size_t n = 0; n < whole.size(); n += n < 64 ? 5 : 997) {
    std::string changed = whole;
    changed[n] = static_cast<char>(changed[n] ^ (1 << (n % 8)));
    write_bytes(file, changed);
    expect(resume_error(), "checkpoint-damaged", "checkpoint");
  }
  EXPECT_TRUE(Outputs::in(results) == before);
  write_bytes(file, whole);
  EXPECT_FALSE(resume_error().has_errors());
}

TEST_F(BadUse, AForeignFile) {
  write_bytes(file, kBall);
  expect(resume_error(), "checkpoint-damaged", "is not a checkpoint");
  std::filesystem::copy_file(results + "/trajectory.csv", file,
                             std::filesystem::copy_options::overwrite_existing);
  expect(resume_error(), "checkpoint-damaged", "is not a checkpoint");
}

TEST_F(BadUse, AnotherBuild) {
  std::string bytes = bytes_of(file);
  const std::uint64_t build = build_id();
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&build), sizeof build));
  ASSERT_EQ(at, std::string("saltus checkpoint 1\n").size());
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  bytes.resize(bytes.size() - 8);
  const std::uint64_t hash = hash_of(bytes);
  bytes.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  write_bytes(file, bytes);
  expect(resume_error(), "checkpoint-mismatch", "another build");
}

TEST_F(BadUse, AnotherModel) {
  std::string other = kBall;
  other.replace(other.find("9.81"), 4, "1.62");
  ResultFiles files(ball(other), {.folder = results});
  SimulationOptions options;
  options.resume = file;
  options.sink = &files;
  expect(resume_error(ball(other), options), "checkpoint-mismatch", "the text of the model");
}

TEST_F(BadUse, OtherOptions) {
  const auto differs = [&](const SimulationOptions& options, const std::string& name) {
    expect(resume_error(options), "checkpoint-mismatch", name);
  };
  differs({.start = 0.5}, "--start is 0.5 here and was 0");
  differs({.stop = 3.0}, "--stop");
  differs({.interval = 0.1}, "--interval");
  differs({.tolerance = 1e-8}, "--tolerance is 1e-08 here and was 1e-06");
  differs({.rtol = 1e-8}, "--rtol");
  differs({.atol = 1e-8}, "--atol");
  differs({.nonnegative = {"h"}}, "--nonnegative");
  differs({.columns = {"h"}}, "--columns");
  differs({.method = "bdf"}, "--method");
  differs({.max_step = 0.1}, "--method");
  differs({.initial_step = 0.1}, "--initial-step");
  differs({.sliding = Sliding::off}, "--sliding");
  differs({.zeno = Zeno::stop}, "--zeno");
  differs({.dwell = 0.01}, "--dwell");
  differs({.event_tolerance = 1e-3}, "--event-tolerance");
  differs({.explain_event = 2}, "--explain-event");
  differs({.set = {{"e", 0.5}}}, "the parameter e is 0.5 here and was 0.8");
  SimulationOptions kept;
  kept.resume = file;
  const Result<SimulationResult> result = simulate(ball(), kept);
  ASSERT_FALSE(result.has_value());
  expect(result.error(), "checkpoint-mismatch", "what is kept in memory");
}

// Limits are no part of what a run is.
TEST_F(BadUse, OtherLimitsAreNone) {
  SimulationOptions options;
  options.max_steps = 1000;
  options.max_events = 5000;
  options.max_rounds = 77;
  options.max_immediate = 33;
  options.max_time = 100.0;
  EXPECT_FALSE(resume_error(options).has_errors());
}

TEST_F(BadUse, ARunThatIsOver) {
  SimulationOptions options;
  options.resume = file;
  options.checkpoint = file;
  EXPECT_EQ(run_into(ball(), results, options).status, SimulationStatus::success);
  expect(resume_error(), "checkpoint-finished", "success at time 2");
}

// The run is over, its files are not whole, and the process is gone: the rest can still be had.
TEST_F(BadUse, AProcessThatDiesBeforeItsResultsAreWhole) {
  {
    ResultFiles files(ball(), {.folder = results, .checkpoint = file});
    SimulationOptions options{.keep_dense = false, .keep_rows = false, .sink = &files};
    options.resume = file;
    options.checkpoint = file;
    ASSERT_EQ(simulate(ball(), options).value().status, SimulationStatus::success);
  }
  EXPECT_FALSE(resume_error().has_errors());
}

TEST_F(BadUse, ResultsThatAreGoneOrChanged) {
  const auto outcome = [&] {
    ResultFiles files(ball(), {.folder = results});
    SimulationOptions options{.keep_dense = false, .keep_rows = false, .sink = &files};
    options.resume = file;
    const SimulationResult result = simulate(ball(), options).value();
    EXPECT_EQ(result.reason, "output_failed");
    return files.finish(result);
  };
  std::string rows = bytes_of(results + "/trajectory.csv");
  rows[rows.size() / 2] ^= 1;
  write_bytes(results + "/trajectory.csv", rows);
  expect(outcome(), "cannot-go-on-with-file", "trajectory.csv");
  EXPECT_EQ(bytes_of(results + "/trajectory.csv"), rows);
  std::filesystem::remove_all(results);
  expect(outcome(), "cannot-go-on-with-file", "trajectory.csv");
}

TEST_F(BadUse, OtherFormats) {
  ResultFiles files(ball(), {.folder = results, .html = false});
  SimulationOptions options{.keep_dense = false, .keep_rows = false, .sink = &files};
  options.resume = file;
  const SimulationResult result = simulate(ball(), options).value();
  EXPECT_EQ(result.reason, "output_failed");
  expect(files.finish(result), "cannot-go-on-with-file", "formats");
}

TEST(Checkpoint, OptionsThatDoNotGoTogether) {
  SimulationOptions options;
  options.checkpoint = "x";
  options.error_estimate = true;
  EXPECT_EQ(validate(options).items()[0].code, "conflicting-options");
  options.error_estimate = false;
  options.checkpoint_interval = -1.0;
  EXPECT_EQ(validate(options).items()[0].code, "wrong-option-value");
  const Model model = ball(
      "model A\n Real x;\nequation\n der(x) = 1;\n annotation(__saltus(checkpoint = \"/tmp/x\"));\nend A;\n");
  EXPECT_EQ(validate(model, {}).items()[0].code, "option-of-the-command-line");
}

TEST(Checkpoint, OptionFromText) {
  SimulationOptions options;
  EXPECT_TRUE(set_option(options, "checkpoint", "a,b").empty());
  EXPECT_EQ(options.checkpoint, "a,b");
  EXPECT_FALSE(options.checkpoint_interval.has_value());
  EXPECT_TRUE(set_option(options, "checkpoint", "a,b,2.5").empty());
  EXPECT_EQ(options.checkpoint, "a,b");
  EXPECT_EQ(options.checkpoint_interval, 2.5);
  EXPECT_TRUE(set_option(options, "checkpoint", "").has_errors());
  EXPECT_TRUE(set_option(options, "checkpoint", ",3").has_errors());
  EXPECT_TRUE(set_option(options, "resume", "").has_errors());
}

// A place that cannot be written to shows before the run has done much.
TEST(Checkpoint, CannotBeWritten) {
  const TemporaryFolder temporary;
  SimulationOptions options;
  options.checkpoint = temporary.file("missing/checkpoint");
  const SimulationResult result = simulate(ball(), options).value();
  EXPECT_EQ(result.reason, "checkpoint_failed");
  EXPECT_EQ(result.end, 0.0);
  ASSERT_TRUE(result.diagnostics.has_errors());
  EXPECT_EQ(result.diagnostics.items()[0].code, "cannot-write-file");
}

// What functions of C++ remember is not known.
TEST(Checkpoint, ModelsOfFunctionsAreRefused) {
  const TemporaryFolder temporary;
  CallbackModel model;
  model.states = {{.name = "x", .start = 1.0}};
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) { xdot[0] = -at.x[0]; };
  SimulationOptions options;
  options.checkpoint = temporary.file("checkpoint");
  const SimulationResult result = simulate(model, options).value();
  EXPECT_EQ(result.reason, Reason::checkpoint_failed);
  EXPECT_EQ(result.diagnostics.items()[0].code, "checkpoint-unsupported");
}

class Deaf : public OutputSink {
 public:
  bool begin(std::span<const VariableInfo> /*columns*/) override { return true; }
  bool rows(const OutputRows& /*rows*/) override { return true; }
};

TEST(Checkpoint, ASinkThatCannotGoOn) {
  const TemporaryFolder temporary;
  Deaf sink;
  SimulationOptions options;
  options.checkpoint = temporary.file("checkpoint");
  options.sink = &sink;
  const SimulationResult result = simulate(ball(), options).value();
  EXPECT_EQ(result.reason, "checkpoint_failed");
  EXPECT_EQ(result.diagnostics.items()[0].code, "checkpoint-unsupported");
}

}  // namespace
}  // namespace saltus
