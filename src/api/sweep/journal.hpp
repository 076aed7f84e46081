/// The journal of a sweep: every finished run, so that the same sweep goes on in another process.
///
/// Problem      a process may end at any moment, by kill -9 too, with several threads at work; what is left must be for this sweep, and whole
/// Method       a line that says what it is; build and identity of the sweep with their length and hash; then one record for each run, in the
///              order in which they ended: number, length, content, hash. A record is one write behind the others. Reading ends at the first
///              record that is not whole, and what follows is cut off.
/// Contract     Runs that are read are as they were added. A file of another sweep is refused and not changed; so is one that is no journal. A file
///              that is empty, or ends within its head (its process was killed there), is begun anew. Two processes never write into one.
/// Choices      The kernel has a record when write() returns, so that it outlives the process; the disk has it at the latest kSyncSeconds and one run
///              later.
/// Checked by   tests/sweep/journal_test.cpp, tests/cli/sweep_test.cpp
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/options/run_identity.hpp"
#include "base/archive.hpp"
#include "saltus/result.hpp"
#include "saltus/sweep.hpp"

namespace saltus::api {

/// What is known of a run that is finished.
struct RunRecord {
  SweepRun run;
  std::vector<double> values;  ///< of the columns; empty: none

  void fields(Archive& a) {
    a(run.status, run.reason, run.end, run.n_events, run.warnings, run.message);
    a.list(values);
  }
};

class SweepJournal {
 public:
  using Taker = std::function<void(std::size_t run, RunRecord record)>;

  /// Opens the file, or makes it, and hands over the runs that it has; of n_runs, with n_values each.
  [[nodiscard]] static Result<SweepJournal> open(const std::string& path, const RunIdentity& identity,
                                                 bool anew, std::size_t n_runs, std::size_t n_values,
                                                 const Taker& take);
  SweepJournal(SweepJournal&& other) noexcept;
  SweepJournal& operator=(SweepJournal&&) = delete;
  ~SweepJournal();

  /// From any thread. The first failure is remembered, and nothing is added behind it.
  void add(std::size_t run, RunRecord& record);
  [[nodiscard]] bool ok() const { return error_number_ == 0; }
  /// What could not be written; at the end, when no other thread adds.
  [[nodiscard]] Diagnostics finish();

 private:
  SweepJournal(std::string path, int descriptor);

  [[nodiscard]] Diagnostics begin(const RunIdentity& identity);
  /// Errors: it is of another sweep. False: it has no whole head.
  [[nodiscard]] Result<bool> read_head(const RunIdentity& identity);
  void read_records(std::size_t n_runs, std::size_t n_values, const Taker& take);
  void write_all(std::string_view bytes);

  std::string path_;
  int descriptor_ = -1;
  int error_number_ = 0;
  std::size_t end_of_head_ = 0;
  std::chrono::steady_clock::time_point next_sync_{};
  std::mutex mutex_;
};

}  // namespace saltus::api
