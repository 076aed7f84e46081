/// A sweep on several processes: runs are handed out as they are asked for.
///
/// Problem      runs take different times, machines have different speeds, and one table and one journal have all of them
/// Method       The process of rank 0 leads: it alone has table and journal. Others report what they finished and get the next runs, so many as they did
///              in about kTaskSeconds before, at most half of what is left for each (C. D. Polychronopoulos, D. J. Kuck, IEEE Trans. Comput. 36,
///              1987); the lead runs some itself, on threads of its own. A report has one answer; an answer without runs ends the work.
/// Contract     A run is made once and is the same wherever it is made, so that the table does not depend on the team. All have the same model, options and
///              build: reports carry a hash of them, and another one ends the sweep with an error. Each report is in the journal before
///              its answer. A process that cannot take part says so; what is finished by then is kept.
/// Fails when   a process is lost: the launcher ends the others (mpirun does), and the journal has what was reported
/// Checked by   tests/sweep/team_test.cpp, tests/cli/mpi_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/sweep/journal.hpp"
#include "saltus/sweep_team.hpp"

namespace saltus::api {

/// What a member of the team does with runs.
struct TeamWork {
  std::size_t n_runs = 0;
  std::int64_t jobs = 1;                         ///< threads of this process
  std::uint64_t identity = 0;                    ///< of model, options and build
  std::function<bool(std::size_t run)> is_done;  ///< before the team began
  std::function<std::optional<RunRecord>(std::size_t run)>
      run_one;  ///< from any thread; none: the work was halted
  std::function<void(std::size_t run, RunRecord record)> take;  ///< from any thread; of the lead
  std::function<bool()> is_halted;
  std::function<void(Diagnostics problems, Reason reason)> halt;
  /// Why it was: the reason, and what is wrong, in words.
  std::function<std::pair<Reason, std::string>()> why_halted;
};

/// Until all runs are made, or the work is halted, and everyone knows.
void lead_team(SweepTeam& team, const TeamWork& work);
void work_in_team(SweepTeam& team, const TeamWork& work);

}  // namespace saltus::api
