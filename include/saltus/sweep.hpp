// Many runs of one model with other values: on all processors, one table of what came out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/diagnostic.hpp"
#include "saltus/end_reason.hpp"
#include "saltus/model.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "saltus/sweep_team.hpp"

namespace saltus {

/// A parameter, or a variable whose start value is meant, and what it is given: values of a grid, or a range from which random runs draw.
struct Variation {
  enum class Kind {
    values,       ///< each of `values`
    uniform,      ///< between `low` and `high`
    logarithmic,  ///< the logarithm of the absolute value is uniform; `low` and `high` have one sign
    normal,       ///< mean `low`, standard deviation `high`
  };
  std::string name{};
  Kind kind = Kind::values;
  std::vector<double> values{};
  double low = 0.0;
  double high = 0.0;
};

/// Reads "NAME=0:0.1:1", "NAME={1,2,4}", "NAME=linear(0,1,11)", "NAME=log(1e-3,1,20)"; "NAME=0..1", "NAME=log(1e-3..1)", "NAME=normal(1,0.1)".
[[nodiscard]] Result<Variation> read_variation(std::string_view text);

/// Values of each run, one after the other.
struct SweepSamples {
  std::string source{};  ///< where they come from, for messages
  std::vector<std::string> names{};
  std::vector<double> values{};  ///< [run][name]
};

/// Reads a CSV file: the first row has names, the cells below are numbers, `true` or `false`.
[[nodiscard]] Result<SweepSamples> read_sweep_samples(const std::string& path);

/// How far a sweep is.
struct SweepProgress {
  std::size_t n_runs = 0;
  std::size_t n_done = 0;     ///< of these, with those that a journal had
  std::size_t n_not_ok = 0;   ///< of these, that failed, were stopped or refused
  double seconds_left = 0.0;  ///< estimated from the runs so far; NaN: not known
};

struct SweepOptions {
  /// Grid: every combination of the values, the last one changing fastest. With `n_random`: ranges.
  std::vector<Variation> vary{};
  std::optional<SweepSamples> samples{};   ///< in place of `vary`
  std::optional<std::int64_t> n_random{};  ///< runs whose values are drawn from `vary`
  /// Of these. A run has the same values on every machine and whatever `n_random` is; those of normal distributions up to rounding.
  std::uint64_t seed = 1;
  /// What the table has of each run: names and patterns of variables (their final values), and expressions as for gradient(), "final(x^2)",
  /// "event_time(1)", with a name in front if wanted: "energy=final(m*v^2/2)". Empty: the final values of all variables.
  std::vector<std::string> columns{};
  std::int64_t jobs = 0;  ///< threads; 0: as many as the machine has. Results do not depend on it
  /// A file that takes every run when it is finished. Where it is there already, with the same model and options, its runs are not
  /// repeated; with others it is refused. Its folder is made. Empty: none.
  std::string journal{};
  bool anew = false;  ///< what is in the journal is thrown away
  /// Columns of the trajectories that every run writes into a folder of its own, below `trajectory_folder`; empty: none are written.
  std::vector<std::string> trajectories{};
  std::string trajectory_folder{};
  /// Processes that share the runs, each of which calls sweep() with the same model and options; null: this one alone. `jobs` is then for each of
  /// them, 0: one. The result is that of the process of rank 0; those of the others have no runs that were made, and no journal.
  SweepTeam* team = nullptr;
  std::function<void(const SweepProgress&)> progress{};  ///< called a few times per second, from any thread
  /// Of the runs. `max_time` and `stop_requested` are for the whole sweep. Its `sensitivities` give columns "d(x)/d(p)" behind all others: of
  /// the end of the run, NaN where they are undefined. What error estimates, checkpoints and explained events it asks for has no effect, nor its
  /// columns.
  SimulationOptions simulation{};
};

/// Sets one option by its long name on the command line: vary, samples, random, columns, jobs, trajectories, or one of SweepOptions::simulation.
[[nodiscard]] Diagnostics set_sweep_option(SweepOptions& options, std::string_view name,
                                           std::string_view value);

enum class SweepStatus : std::uint8_t {
  not_run,     ///< the sweep was ended before
  success,     ///< as SimulationStatus
  terminated,  ///< …
  stopped,
  failed,
  refused,  ///< the model cannot be run with these values
};
[[nodiscard]] std::string_view to_string(SweepStatus status);

struct SweepRun {
  SweepStatus status = SweepStatus::not_run;
  Reason reason = Reason::none;
  double end = 0.0;  ///< time reached; NaN: it did not begin
  std::int64_t n_events = 0;
  std::string warnings;  ///< codes of its warnings, each once, in their order, with blanks between
  std::string message;   ///< for a person; empty for a run that is ok()

  [[nodiscard]] bool ok() const {
    return status == SweepStatus::success || status == SweepStatus::terminated;
  }
};

struct SweepResult {
  std::string model;                 ///< its name
  std::vector<std::string> names;    ///< that are varied
  std::vector<std::string> columns;  ///< of `values`
  std::vector<double> given;         ///< [run][name]
  /// [run][column]; NaN: no value, as of an event that did not happen. A run that is not ok() has none.
  std::vector<double> values;
  std::vector<SweepRun> runs;
  std::size_t n_from_journal = 0;
  Diagnostics diagnostics;

  [[nodiscard]] std::size_t count(SweepStatus status) const;
  /// Every run was made.
  [[nodiscard]] bool is_complete() const { return count(SweepStatus::not_run) == 0; }
  /// … and is ok().
  [[nodiscard]] bool ok() const;
  /// One column in all runs; the name must be one of `columns` or `names`.
  [[nodiscard]] std::vector<double> column(std::string_view name) const;
};

/// The error holds all that is wrong with options, names and journal. Whatever happens in a run is its status.
[[nodiscard]] Result<SweepResult> sweep(const Model& model, const SweepOptions& options);

/// For a person: how many runs there are of each status.
[[nodiscard]] std::string render_text(const SweepResult& result);

struct SweepFilesOptions {
  std::string folder{};  ///< created with its parents
  bool csv = true;       ///< sweep.csv
  bool json = true;      ///< sweep.json
  bool html = true;      ///< sweep.html: maps, parallel axes, bundles of curves; for people
  /// SweepOptions::trajectory_folder, for the page; empty: no trajectories were written.
  std::string trajectory_folder{};
  bool mat =
      false;  ///< sweep.mat: the numbers of the table, in the layout of Modelica tools with `run` in the place of the time
  bool npz = false;  ///< sweep.npz: the same
};
/// Says what could not be written (docs/output.md).
[[nodiscard]] Diagnostics write_sweep_files(const SweepResult& result, const SweepFilesOptions& options);

}  // namespace saltus
