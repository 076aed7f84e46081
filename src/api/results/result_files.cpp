#include "saltus/result_files.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include "api/results/checkpoint_file.hpp"
#include "api/results/sensitivity_files.hpp"
#include "base/archive.hpp"
#include "record/csv_writer.hpp"
#include "record/diagnostic_codes.hpp"
#include "record/events_writer.hpp"
#include "record/html_report.hpp"
#include "record/summary_writer.hpp"
#include "saltus/result_table.hpp"
#include "saltus/version.hpp"

namespace saltus {
namespace {

record::EventRow row_of(const Event& event) {
  return {
      event.time,         event.segment, to_string(event.kind),     event.from,          event.to,
      event.guard,        event.detail,  to_string(event.transfer), event.impulse_order, event.transfer_case,
      event.sensitivities};
}

// The same columns and rows as trajectory.csv.
Diagnostics write_errors(const std::string& path, const std::vector<record::Column>& columns,
                         const SimulationResult& result) {
  Result<record::CsvWriter> writer = record::CsvWriter::create(path);
  if (!writer) {
    return std::move(writer).error();
  }
  writer->write_header(columns);
  const Trajectory& trajectory = result.trajectory;
  for (std::size_t row = 0; row < trajectory.n_rows(); ++row) {
    writer->write({trajectory.times().subspan(row, 1), result.error_estimate->row(row), 1,
                   trajectory.segment(row), trajectory.mode(row)});
  }
  return writer->commit();
}

record::ErrorSummary error_summary(const SimulationResult& result) {
  const ErrorEstimate& estimate = *result.error_estimate;
  record::ErrorSummary summary{.factor = estimate.factor,
                               .end = estimate.end,
                               .reason = estimate.reason,
                               .largest = {},
                               .events_compared = estimate.events_compared,
                               .event_time = estimate.event_time,
                               .events_differ = estimate.events_differ};
  for (std::size_t i = 0; i < estimate.largest.size(); ++i) {
    summary.largest.push_back({result.columns[i].name, estimate.largest[i].error, estimate.largest[i].time});
  }
  return summary;
}

record::SensitivitySummary sensitivity_summary(const SimulationResult& result) {
  const Sensitivities& all = *result.sensitivities;
  record::SensitivitySummary summary{.parameters = all.parameters,
                                     .variables = {},
                                     .final_values = {},
                                     .most_influential = {},
                                     .zero = all.zero_sensitivities,
                                     .check = std::nullopt};
  for (std::size_t v = 0; v < result.variables.size() && !all.final_values.empty(); ++v) {
    if (result.variables[v].type == ValueType::real) {
      summary.variables.push_back(result.variables[v].name);
      const std::span<const double> row = all.final_row(v);
      summary.final_values.insert(summary.final_values.end(), row.begin(), row.end());
    }
  }
  for (const Sensitivities::Influence& item : all.most_influential) {
    summary.most_influential.emplace_back(item.parameter, item.measure);
  }
  for (const Sensitivities::Check& item : all.check) {
    if (!summary.check) {
      summary.check.emplace();
    }
    summary.check->push_back({item.parameter, item.largest_difference, item.at});
  }
  return summary;
}

record::Summary summary_of(const std::string& name, const std::string& description,
                           const SimulationResult& result) {
  record::Summary summary;
  summary.saltus_version = version();
  summary.model = name;
  summary.description = description;
  summary.status = to_string(result.status);
  summary.reason = to_string(result.reason);
  summary.message = result.message;
  summary.start = result.start;
  summary.end = result.end;
  for (std::size_t i = 0; i < result.final_values.size(); ++i) {
    summary.final_values.emplace_back(result.variables[i].name, result.final_values[i]);
  }
  for (const ParameterValue& parameter : result.parameters) {
    summary.parameters.emplace_back(parameter.name, parameter.value);
  }
  summary.modes.assign(result.modes.begin(), result.modes.end());
  summary.statistics = result.statistics;
  summary.monitors = result.monitors;
  if (result.error_estimate) {
    summary.errors = error_summary(result);
  }
  if (result.sensitivities) {
    summary.sensitivities = sensitivity_summary(result);
  }
  for (std::size_t i = 0; i < std::min(result.events.size(), record::kMaxSummaryItems); ++i) {
    summary.events.push_back(row_of(result.events[i]));
  }
  return summary;
}

// A result that is not on the disk is none; a run that failed has its own reason.
void note_write_errors(const Diagnostics& problems, bool was_ok, record::Summary& summary) {
  if (!problems.has_errors()) {
    return;
  }
  if (was_ok) {
    summary.status = to_string(SimulationStatus::stopped);
    summary.reason = "output_failed";
    summary.message = problems.items()[0].message;
  } else if (summary.message.find(problems.items()[0].message) == std::string::npos) {
    summary.message += "; " + problems.items()[0].message;
  }
}

// Every k-th of too many.
std::vector<record::EventRow> report_events(const EventList& events) {
  const std::size_t stride = (events.size() + record::kMaxReportEvents - 1) / record::kMaxReportEvents;
  std::vector<record::EventRow> rows;
  for (std::size_t i = 0; i < events.size(); i += stride) {
    rows.push_back(row_of(events[i]));
  }
  return rows;
}

}  // namespace

namespace {

ResultFilesOptions with_needed(ResultFilesOptions options) {
  options.csv = options.csv || options.mat || options.npz;
  return options;
}

// The same rows in the formats of other programs.
Diagnostics write_other_formats(const ResultFilesOptions& options, const std::vector<record::Column>& columns,
                                const SimulationResult& result) {
  if (!options.mat && !options.npz) {
    return {};
  }
  const std::filesystem::path folder(options.folder);
  Result<ResultTable> table = read_result_table((folder / "trajectory.csv").string());
  if (!table) {
    return std::move(table).error();
  }
  for (std::size_t k = 0; k < std::min(columns.size(), table->columns.size()); ++k) {
    table->columns[k].name = columns[k].name;
    table->columns[k].unit = columns[k].unit;
    table->columns[k].description = columns[k].description;
  }
  for (const ParameterValue& parameter : result.parameters) {
    if (const double* const value = std::get_if<double>(&parameter.value)) {
      table->parameters.push_back({parameter.name, *value});
    }
  }
  Diagnostics problems;
  for (const auto& [wanted, file] :
       {std::pair<bool, const char*>{options.mat, "trajectory.mat"}, {options.npz, "trajectory.npz"}}) {
    if (wanted) {
      problems.append(write_result_table(*table, (folder / file).string()));
    }
  }
  return problems;
}

}  // namespace

struct ResultFiles::Implementation {
  std::string name;
  std::string description;
  ResultFilesOptions options;
  std::vector<record::Column> columns;
  std::optional<record::CsvWriter> csv;
  std::optional<record::EventsWriter> events;
  std::optional<record::PlotSampler> sampler;
  std::optional<api::SensitivityFiles> sensitivities;  // where they are asked for
  Diagnostics problems;

  [[nodiscard]] std::string path(const char* file) const {
    return (std::filesystem::path(options.folder) / file).string();
  }

  void take(std::span<const VariableInfo> infos) {
    for (const VariableInfo& column : infos) {
      columns.push_back({column.name, column.unit, column.description, column.is_discrete});
    }
    sampler.emplace(record::make_report_sampler(columns.size()));
  }

  void fields(Archive& a) {
    // Not saved: name, description, problems; csv and events, which are OutputFiles; sensitivities: such runs are not.
    a.same(columns.size(), "columns");
    a.same((options.csv ? 1U : 0U) + (options.html ? 2U : 0U), "formats");
    a(*sampler);
  }

  void go_on(const record::OutputFile::Place& rows, const record::OutputFile::Place& places) {
    Result<record::CsvWriter> writer = record::CsvWriter::go_on(path("trajectory.csv"), rows, columns.size());
    if (!writer) {
      problems.append(std::move(writer).error());
      return;
    }
    csv.emplace(*std::move(writer));
    Result<record::EventsWriter> events_writer = record::EventsWriter::go_on(path("events.csv"), places);
    if (!events_writer) {
      problems.append(std::move(events_writer).error());
      return;
    }
    events.emplace(*std::move(events_writer));
  }

  // Opened whether it is wanted or not: the test that the folder can be written to.
  void open() {
    problems.append(record::create_folder(options.folder));
    if (problems.has_errors()) {
      return;
    }
    Result<record::CsvWriter> writer = record::CsvWriter::create(path("trajectory.csv"));
    if (!writer) {
      problems.append(std::move(writer).error());
      return;
    }
    if (!options.csv) {
      return;
    }
    csv.emplace(*std::move(writer));
    csv->write_header(columns);
    Result<record::EventsWriter> events_writer = record::EventsWriter::create(
        path("events.csv"),
        sensitivities ? std::span(sensitivities->parameters()) : std::span<const std::string>());
    if (!events_writer) {
      problems.append(std::move(events_writer).error());
      return;
    }
    events.emplace(*std::move(events_writer));
    if (sensitivities) {
      problems.append(sensitivities->open(path("sensitivities.csv")));
    }
  }
};

ResultFiles::ResultFiles(const Model& model, ResultFilesOptions options)
    : implementation_(new Implementation{
          model.name(), model.description(), with_needed(std::move(options)), {}, {}, {}, {}, {}, {}}) {}

ResultFiles::ResultFiles(const CallbackModel& model, ResultFilesOptions options)
    : implementation_(new Implementation{
          model.name, model.description, with_needed(std::move(options)), {}, {}, {}, {}, {}, {}}) {}

ResultFiles::~ResultFiles() = default;

bool ResultFiles::begin(std::span<const VariableInfo> columns) {
  Implementation& files = *implementation_;
  files.take(columns);
  files.open();
  return !files.problems.has_errors();
}

std::optional<std::string> ResultFiles::save() {
  Implementation& files = *implementation_;
  if (!files.sampler || files.problems.has_errors()) {
    return std::nullopt;
  }
  Archive a;
  files.fields(a);
  std::optional<record::OutputFile::Place> rows = files.csv ? files.csv->keep() : record::OutputFile::Place{};
  std::optional<record::OutputFile::Place> events =
      files.events ? files.events->keep() : record::OutputFile::Place{};
  if (!rows || !events) {
    return std::nullopt;  // the writers know why
  }
  a(*rows, *events);
  return a.saved();
}

bool ResultFiles::resume(std::span<const VariableInfo> columns, std::string_view saved) {
  Implementation& files = *implementation_;
  files.take(columns);
  Archive a(saved);
  files.fields(a);
  record::OutputFile::Place rows;
  record::OutputFile::Place events;
  a(rows, events);
  if (!a.ok()) {
    files.problems.error(
        record::kCannotGoOnWithFile,
        "the results cannot go on: formats or columns are others than those of the checkpoint");
  } else if (files.options.csv) {
    files.go_on(rows, events);
  }
  return !files.problems.has_errors();
}

bool ResultFiles::rows(const OutputRows& rows) {
  Implementation& files = *implementation_;
  const record::Rows block{rows.times, rows.values, rows.stride, rows.segment, rows.mode};
  if (files.options.html) {
    files.sampler->add(block);
  }
  if (!files.csv) {
    return true;
  }
  files.csv->write(block);
  return files.csv->ok() && files.events->ok();
}

void ResultFiles::event(const Event& event) {
  if (implementation_->events) {
    implementation_->events->write(row_of(event));
  }
}

bool ResultFiles::begin_sensitivities(std::span<const std::string> columns,
                                      std::span<const std::string> parameters) {
  implementation_->sensitivities.emplace(columns, parameters, implementation_->options.html);
  return true;
}

bool ResultFiles::sensitivities(const SensitivityRow& row) {
  return implementation_->sensitivities->write(row);
}

Diagnostics ResultFiles::finish(const SimulationResult& result) {
  Implementation& files = *implementation_;
  if (!files.sampler) {
    (void)begin(result.columns);
  }
  if (files.problems.has_errors()) {
    return std::move(files.problems);
  }
  Diagnostics problems;
  if (files.csv) {
    problems.append(files.csv->commit());
    problems.append(files.events->commit());
  }
  if (!problems.has_errors()) {
    problems.append(write_other_formats(files.options, files.columns, result));
  }
  if (files.sensitivities) {
    problems.append(files.sensitivities->commit());
  }
  if (files.csv && result.error_estimate) {
    problems.append(write_errors(files.path("error_estimate.csv"), files.columns, result));
  }
  record::Summary summary = summary_of(files.name, files.description, result);
  if (files.options.html) {
    note_write_errors(problems, result.ok(), summary);
    const std::vector<record::EventRow> events = report_events(result.events);
    problems.append(
        record::write_report(files.path("report.html"), {summary, files.columns, *files.sampler, events}));
    if (files.sensitivities && result.sensitivities) {
      problems.append(
          files.sensitivities->write_page(files.path("sensitivities.html"), summary, events, result));
    }
  }
  // Last, so that it speaks of all the others.
  if (files.options.json) {
    note_write_errors(problems, result.ok(), summary);
    problems.append(record::write_summary(files.path("summary.json"), summary));
  }
  const bool has_run = !result.final_values.empty();
  if (!files.options.checkpoint.empty() && has_run && !problems.has_errors() &&
      result.status != SimulationStatus::stopped) {
    problems.append(api::close_checkpoint(files.options.checkpoint, result));
  }
  return problems;
}

}  // namespace saltus
