#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "asked_model.hpp"
#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "file_formats.hpp"
#include "mpi_team.hpp"
#include "progress_line.hpp"
#include "saltus/saltus.hpp"

namespace saltus::tool {
namespace {

std::string time_in_words(double seconds) {
  const auto whole = static_cast<long long>(seconds + 0.5);
  return whole < 60     ? fmt::format("{} s", whole)
         : whole < 3600 ? fmt::format("{} min {:02} s", whole / 60, whole % 60)
                        : fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::function<void(const SweepProgress&)> progress_of_sweep(ProgressLine& line) {
  if (!line.is_active()) {
    return {};
  }
  return [&line](const SweepProgress& progress) {
    const double part = static_cast<double>(progress.n_done) / static_cast<double>(progress.n_runs);
    line.show(fmt::format("{:3.0f} %  {} of {} runs{}  {} left", 100.0 * part, progress.n_done,
                          progress.n_runs,
                          progress.n_not_ok == 0 ? "" : fmt::format(", {} not ok", progress.n_not_ok),
                          time_in_words(progress.seconds_left)));
  };
}

std::string files_in_words(const SweepFilesOptions& files) {
  std::string list;
  for (const auto& [wanted, name] : {std::pair<bool, const char*>{files.csv, "sweep.csv"},
                                     {files.json, "sweep.json"},
                                     {files.html, "sweep.html"},
                                     {files.mat, "sweep.mat"},
                                     {files.npz, "sweep.npz"}}) {
    list += wanted ? (list.empty() ? "" : ", ") + std::string(name) : "";
  }
  return list.empty() ? "" : fmt::format("results in {}: {}\n", files.folder, list);
}

// How many did not come to their end, with what the first one says.
void print_runs_not_ok(const Console& console, const SweepResult& result) {
  std::size_t n = 0;
  std::size_t first = 0;
  for (std::size_t k = 0; k < result.runs.size(); ++k) {
    if (!result.runs[k].ok() && result.runs[k].status != SweepStatus::not_run) {
      first = n == 0 ? k : first;
      ++n;
    }
  }
  if (n > 0) {
    console.print_error(kRunsNotOk, fmt::format("{} of {} runs did not come to their end; run {}: {}", n,
                                                result.runs.size(), first + 1, result.runs[first].message));
  }
}

int sweep_of(const Console& console, const SweepArguments& arguments, Diagnostics problems, SweepTeam* team) {
  SweepOptions options;
  take_limits(options.simulation);
  SweepFilesOptions files;
  problems.append(read_formats(arguments.run.formats, {{"csv", &files.csv},
                                                       {"json", &files.json},
                                                       {"html", &files.html},
                                                       {"mat", &files.mat},
                                                       {"npz", &files.npz}}));
  for (const auto& [name, value] : arguments.run.options) {
    problems.append(set_sweep_option(options, name, value));
  }
  const AskedModel asked =
      load_asked_model(console, arguments.run.model, options.simulation, std::move(problems));
  if (!asked.model) {
    if (team != nullptr) {
      leave_team(*team, "the model or the options are refused there");
    }
    return asked.exit_code;
  }
  options.team = team;
  files.folder = folder_of(arguments.run, "_sweep");
  const std::filesystem::path folder(files.folder);
  options.journal = (folder / "sweep.journal").string();
  options.anew = arguments.anew;
  options.trajectory_folder = (folder / "runs").string();
  files.trajectory_folder = options.trajectories.empty() ? "" : options.trajectory_folder;
  ProgressLine progress(arguments.run);
  options.progress = progress_of_sweep(progress);
  const Result<SweepResult> result = sweep(*asked.model, options);
  progress.erase();
  if (!result) {
    console.print(result.error());
    return exit_code_of(result.error());
  }
  if (team != nullptr && team->rank() != 0) {
    return kExitSuccess;
  }
  console.print(result->diagnostics);
  print_runs_not_ok(console, *result);
  // A table has all runs.
  const Diagnostics unwritten = result->is_complete() ? write_sweep_files(*result, files) : Diagnostics();
  console.print(unwritten);
  const std::string text =
      arguments.run.quiet
          ? ""
          : render_text(*result) + (!result->is_complete()   ? "the same command goes on from here\n"
                                    : unwritten.has_errors() ? ""
                                                             : files_in_words(files));
  return finish_output(console, text,
                       unwritten.has_errors() ? kExitWrongInput
                       : result->ok()         ? kExitSuccess
                                              : kExitEndedEarly);
}

}  // namespace

int sweep_command(const Console& console, const SweepArguments& arguments, Diagnostics problems) {
  const Result<std::unique_ptr<MpiTeam>> team = MpiTeam::join();
  if (!team) {
    console.print(team.error());
    return kExitWrongInput;
  }
  if (*team == nullptr) {
    return sweep_of(console, arguments, std::move(problems), nullptr);
  }
  // One process talks, and has the exit code.
  const bool is_lead = (*team)->rank() == 0;
  Console own = console;
  own.is_silent = !is_lead;
  SweepArguments given = arguments;
  given.run.quiet = given.run.quiet || !is_lead;
  given.run.progress = is_lead ? given.run.progress : ProgressChoice::off;
  const int exit_code = sweep_of(own, given, std::move(problems), team->get());
  (*team)->end();
  return is_lead ? exit_code : kExitSuccess;
}

}  // namespace saltus::tool
