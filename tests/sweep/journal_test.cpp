// A sweep that goes on from its journal: cut at every byte, damaged, of another sweep, in use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "saltus/saltus.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

constexpr const char* kGrowth = R"(model Growth
  parameter Real k = 1; parameter Real c = 0;
  Real x(start = 1, fixed = true);
equation
  der(x) = k*x + c;
  assert(x < 15, "too fast");
end Growth;
)";

Model growth(const std::string& text = kGrowth) {
  return *Model::from_text("growth.mo", text);
}

SweepOptions options_with(const std::string& journal) {
  SweepOptions options;
  options.vary = {*read_variation("k=0:0.5:4")};
  options.columns = {"x"};
  options.jobs = 1;
  options.journal = journal;
  return options;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// As in the table, all of it.
std::string table_of(const SweepResult& result) {
  const test::TemporaryFolder folder;
  EXPECT_FALSE(write_sweep_files(result, {.folder = folder.path()}).has_errors());
  return bytes_of(folder.file("sweep.csv")) + bytes_of(folder.file("sweep.json")) +
         bytes_of(folder.file("sweep.html"));
}

std::string error_of(const SweepOptions& options, const Model& model = growth()) {
  const Result<SweepResult> result = sweep(model, options);
  return result ? "" : render_text(result.error());
}

TEST(SweepJournals, NothingIsRunTwice) {
  const test::TemporaryFolder folder;
  const SweepOptions options = options_with(folder.file("a/b/sweep.journal"));
  const Result<SweepResult> first = sweep(growth(), options);
  ASSERT_TRUE(first) << render_text(first.error());
  EXPECT_EQ(first->n_from_journal, 0U);
  EXPECT_EQ(first->count(SweepStatus::failed), 3U);
  const Result<SweepResult> second = sweep(growth(), options);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->n_from_journal, 9U);
  EXPECT_EQ(table_of(*first), table_of(*second));
}

// A journal of all runs in a folder of its own, with what it has.
struct WholeJournal {
  WholeJournal() {
    const Result<SweepResult> result = sweep(growth(), options);
    EXPECT_TRUE(result);
    table = result ? table_of(*result) : "";
    bytes = bytes_of(options.journal);
  }
  test::TemporaryFolder folder;
  SweepOptions options = options_with(folder.file("sweep.journal"));
  std::string table;
  std::string bytes;
};

// Whatever is left of the file: the result is the same, and what is whole is not run again.
TEST(SweepJournals, CutAnywhere) {
  const WholeJournal whole;
  std::size_t last = 0;
  for (std::size_t n = 0; n <= whole.bytes.size(); n += n + 200 < whole.bytes.size() ? 37 : 1) {
    write_bytes(whole.options.journal, whole.bytes.substr(0, n));
    const Result<SweepResult> again = sweep(growth(), whole.options);
    ASSERT_TRUE(again) << n << render_text(again.error());
    EXPECT_EQ(table_of(*again), whole.table) << n;
    EXPECT_GE(again->n_from_journal, last);
    last = again->n_from_journal;
    ASSERT_EQ(bytes_of(whole.options.journal).size(), whole.bytes.size()) << n;
  }
  EXPECT_EQ(last, 9U);
}

TEST(SweepJournals, DamagedAnywhere) {
  const WholeJournal whole;
  std::size_t n_refused = 0;
  for (std::size_t n = 0; n < whole.bytes.size(); n += 11) {
    std::string damaged = whole.bytes;
    damaged[n] = static_cast<char>(damaged[n] ^ 0x10);
    write_bytes(whole.options.journal, damaged);
    const Result<SweepResult> again = sweep(growth(), whole.options);
    if (again) {
      EXPECT_EQ(table_of(*again), whole.table) << n;
    } else {
      ++n_refused;
      EXPECT_EQ(bytes_of(whole.options.journal), damaged) << "what is refused is not changed";
    }
  }
  EXPECT_GT(n_refused, 0U);
}

TEST(SweepJournals, AnotherSweepIsRefusedAndSaysWhatDiffers) {
  const test::TemporaryFolder folder;
  const SweepOptions options = options_with(folder.file("sweep.journal"));
  ASSERT_TRUE(sweep(growth(), options));
  const std::string bytes = bytes_of(options.journal);
  SweepOptions other = options;
  other.simulation.tolerance = 1e-3;
  EXPECT_THAT(error_of(other), HasSubstr("--tolerance is 0.001 here and was 1e-06"));
  other = options;
  other.vary = {*read_variation("k=0:0.5:3")};
  EXPECT_THAT(error_of(other), HasSubstr("--vary is k: 7 values from 0 to 3"));
  other = options;
  other.columns = {"x", "final(2*x)"};
  EXPECT_THAT(error_of(other), HasSubstr("--columns is x,final(2*x) here and was x"));
  other = options;
  other.simulation.set = {{"c", 1.0}};
  EXPECT_THAT(error_of(other), HasSubstr("--set is c=1 here and was not given"));
  other = options;
  other.simulation.max_steps = 5;
  EXPECT_THAT(error_of(other), HasSubstr("--max-steps is 5 here"));
  std::string text = kGrowth;
  text.replace(text.find("k*x + c"), 7, "k*x - c");
  EXPECT_THAT(error_of(options, growth(text)), HasSubstr("the text of the model"));
  EXPECT_EQ(bytes_of(options.journal), bytes);
  other = options;
  other.simulation.tolerance = 1e-3;
  other.anew = true;
  EXPECT_EQ(error_of(other), "");
  EXPECT_THAT(error_of(options), HasSubstr("sweep-journal-mismatch"));
}

TEST(SweepJournals, ThreadsAndLimitsOfTimeAreNoDifference) {
  const test::TemporaryFolder folder;
  SweepOptions options = options_with(folder.file("sweep.journal"));
  ASSERT_TRUE(sweep(growth(), options));
  options.jobs = 3;
  options.simulation.max_time = 100.0;
  const Result<SweepResult> again = sweep(growth(), options);
  ASSERT_TRUE(again) << render_text(again.error());
  EXPECT_EQ(again->n_from_journal, 9U);
}

TEST(SweepJournals, OtherFilesAreNotTouched) {
  const test::TemporaryFolder folder;
  SweepOptions options = options_with(folder.file("sweep.journal"));
  write_bytes(options.journal, "my notes");
  EXPECT_THAT(error_of(options), HasSubstr("is not the journal of a sweep [not-a-sweep-journal]"));
  options.anew = true;
  EXPECT_THAT(error_of(options), HasSubstr("not-a-sweep-journal"));
  EXPECT_EQ(bytes_of(options.journal), "my notes");
}

TEST(SweepJournals, OneProcessAtATime) {
  const test::TemporaryFolder folder;
  SweepOptions options = options_with(folder.file("sweep.journal"));
  std::string inner;
  options.progress = [&](const SweepProgress&) {
    SweepOptions second = options_with(options.journal);
    inner = error_of(second);
  };
  ASSERT_TRUE(sweep(growth(), options));
  EXPECT_THAT(inner, HasSubstr("sweep-journal-in-use"));
}

}  // namespace
}  // namespace saltus
