// The table of a sweep: sweep.csv, sweep.json, other formats, the page, and a line for the terminal.

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "api/sweep/outputs.hpp"
#include "api/sweep/sweep_page.hpp"
#include "base/json_writer.hpp"
#include "base/number_text.hpp"
#include "record/csv_writer.hpp"
#include "record/output_file.hpp"
#include "record/whole_file.hpp"
#include "saltus/result_table.hpp"
#include "saltus/sweep.hpp"
#include "saltus/version.hpp"

namespace saltus {
namespace {

using api::kColumnsOfRuns;

// Names of all columns but those of runs: what was given, then what was asked for.
std::vector<std::string> names_of_numbers(const SweepResult& result) {
  std::vector<std::string> names;
  for (const std::string& name : result.names) {
    names.push_back(api::is_column_of_runs(name) ? fmt::format("given({})", name) : name);
  }
  names.insert(names.end(), result.columns.begin(), result.columns.end());
  return names;
}

std::string cell(double value) {
  return std::isnan(value) ? "" : number_text(value);
}

std::string csv_row(const SweepResult& result, std::size_t k) {
  const std::size_t n_names = result.names.size();
  const std::size_t n_columns = result.columns.size();
  const SweepRun& run = result.runs[k];
  std::string row = std::to_string(k + 1);
  for (std::size_t i = 0; i < n_names; ++i) {
    row += ',' + cell(result.given[k * n_names + i]);
  }
  for (std::size_t i = 0; i < n_columns; ++i) {
    row += ',' + cell(result.values[k * n_columns + i]);
  }
  row += fmt::format(",{},{},{},{},{},{}\n", to_string(run.status), to_string(run.reason), cell(run.end),
                     run.n_events, record::csv_field(run.warnings), record::csv_field(run.message));
  return row;
}

Diagnostics write_csv(const SweepResult& result, const std::string& path) {
  Result<record::OutputFile> file = record::OutputFile::create(path);
  if (!file) {
    return std::move(file).error();
  }
  std::string header = "run";
  for (const std::string& name : names_of_numbers(result)) {
    header += ',' + record::csv_field(name);
  }
  for (const char* name : kColumnsOfRuns) {
    header += std::string(",") + name;
  }
  file->write(header + "\n");
  for (std::size_t k = 0; k < result.runs.size() && file->ok(); ++k) {
    file->write(csv_row(result, k));
  }
  return file->commit();
}

std::string json_row(const SweepResult& result, std::size_t k) {
  const std::size_t n_names = result.names.size();
  const std::size_t n_columns = result.columns.size();
  const SweepRun& run = result.runs[k];
  JsonWriter json(false);
  json.begin_array();
  json.value(static_cast<std::int64_t>(k + 1));
  for (std::size_t i = 0; i < n_names; ++i) {
    json.value(result.given[k * n_names + i]);
  }
  for (std::size_t i = 0; i < n_columns; ++i) {
    json.value(result.values[k * n_columns + i]);
  }
  json.value(to_string(run.status));
  json.value(to_string(run.reason));
  json.value(run.end);
  json.value(run.n_events);
  json.value(std::string_view(run.warnings));
  json.value(std::string_view(run.message));
  json.end_array();
  return json.take();
}

// Of all but the rows, without the bracket at its end.
std::string json_head(const SweepResult& result) {
  JsonWriter json;
  json.begin_object();
  json.member("saltus_version", version());
  json.member("model", std::string_view(result.model));
  json.key("runs");
  json.begin_object();
  json.member("total", static_cast<std::int64_t>(result.runs.size()));
  for (const SweepStatus status : {SweepStatus::success, SweepStatus::terminated, SweepStatus::stopped,
                                   SweepStatus::failed, SweepStatus::refused}) {
    json.member(to_string(status), static_cast<std::int64_t>(result.count(status)));
  }
  json.end_object();
  json.key("varied");
  json.begin_array();
  for (const std::string& name : result.names) {
    json.value(std::string_view(name));
  }
  json.end_array();
  json.key("columns");
  json.begin_array();
  json.value("run");
  for (const std::string& name : names_of_numbers(result)) {
    json.value(std::string_view(name));
  }
  for (const char* name : kColumnsOfRuns) {
    json.value(name);
  }
  json.end_array();
  return json.take();
}

Diagnostics write_json(const SweepResult& result, const std::string& path) {
  Result<record::OutputFile> file = record::OutputFile::create(path);
  if (!file) {
    return std::move(file).error();
  }
  file->write(json_head(result) + ",\n  \"rows\": [\n");
  for (std::size_t k = 0; k < result.runs.size() && file->ok(); ++k) {
    file->write("    " + json_row(result, k) + (k + 1 < result.runs.size() ? ",\n" : "\n"));
  }
  file->write("  ]\n}\n");
  return file->commit();
}

// The numbers; `ok` is 1 for runs that came to their end.
ResultTable number_table(const SweepResult& result) {
  const std::size_t n = result.runs.size();
  ResultTable table;
  table.abscissa = "run";
  table.times.resize(n);
  const std::vector<std::string> names = names_of_numbers(result);
  const std::size_t first = names.size();
  for (std::size_t i = 0; i < first; ++i) {
    const bool is_given = i < result.names.size();
    const std::vector<double>& values = is_given ? result.given : result.values;
    const std::size_t width = is_given ? result.names.size() : result.columns.size();
    ResultTable::Column& column = table.columns.emplace_back();
    column.name = names[i];
    for (std::size_t at = is_given ? i : i - result.names.size(); at < values.size(); at += width) {
      column.values.push_back(values[at]);
    }
  }
  for (const char* name : {"ok", "end", "events"}) {
    table.columns.push_back({name, "", "", std::vector<double>(n)});
  }
  for (std::size_t k = 0; k < n; ++k) {
    const SweepRun& run = result.runs[k];
    table.times[k] = static_cast<double>(k + 1);
    table.columns[first].values[k] = run.ok() ? 1.0 : 0.0;
    table.columns[first + 1].values[k] = run.end;
    table.columns[first + 2].values[k] = static_cast<double>(run.n_events);
  }
  return table;
}

}  // namespace

std::string render_text(const SweepResult& result) {
  return api::runs_in_words(result) +
         (result.n_from_journal > 0 ? fmt::format(" ({} from the journal)", result.n_from_journal) : "") +
         "\n";
}

Diagnostics write_sweep_files(const SweepResult& result, const SweepFilesOptions& options) {
  Diagnostics problems = record::create_folder(options.folder);
  const std::filesystem::path folder(options.folder);
  if (options.csv && !problems.has_errors()) {
    problems.append(write_csv(result, (folder / "sweep.csv").string()));
  }
  for (const auto& [wanted, file] :
       {std::pair<bool, const char*>{options.mat, "sweep.mat"}, {options.npz, "sweep.npz"}}) {
    if (wanted && !problems.has_errors()) {
      problems.append(write_result_table(number_table(result), (folder / file).string()));
    }
  }
  if (options.html && !problems.has_errors()) {
    problems.append(record::replace_file((folder / "sweep.html").string(),
                                         api::sweep_page(result, options.trajectory_folder)));
  }
  // The last, so that whoever waits for it finds the others.
  if (options.json && !problems.has_errors()) {
    problems.append(write_json(result, (folder / "sweep.json").string()));
  }
  return problems;
}

}  // namespace saltus
