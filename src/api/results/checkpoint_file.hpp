/// The file from which a run goes on (docs/checkpoints.md).
///
/// Problem      what is left of a run that was killed, in whatever moment, must be whole, and must be for this program and this run
/// Method       a line that says what it is; the build, what determines the run, and its state (base/archive.hpp); a hash of all of it. It is
///              replaced as a whole (record/whole_file.hpp).
/// Contract     What is read fits the build, and all of it is as it was written. Whether it fits the run: fits().
/// Fails when   there is no such file, it is none of these, it is damaged or cut, it is of another build, its run is over: an error that says so
/// Checked by   tests/checkpoint/bad_use_test.cpp
#pragma once

#include <string>

#include "api/options/run_identity.hpp"
#include "saltus/result.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {

struct Checkpoint {
  RunIdentity identity;
  std::string ending;  ///< of a run that is over: in words; empty: it can go on
  double time = 0.0;   ///< reached
  std::string state;   ///< of the run
  std::string sink;    ///< what its sink has saved
};

[[nodiscard]] Diagnostics write_checkpoint(const std::string& path, const Checkpoint& checkpoint);
[[nodiscard]] Result<Checkpoint> read_checkpoint(const std::string& path);

/// The run of the file is over, with this result. Warnings: why it could not be said there.
[[nodiscard]] Diagnostics close_checkpoint(const std::string& path, const SimulationResult& result);

/// Why a run with this identity cannot go on from it; empty: it can.
[[nodiscard]] Diagnostics check_fits(const std::string& path, const Checkpoint& checkpoint,
                                     const RunIdentity& now);

}  // namespace saltus::api
