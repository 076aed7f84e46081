/// Runs a model text through the public API and keeps all that it told: rows with their segments, events, the result.
/// Options are given by the names of the command line, so tests say what a user would say.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saltus/saltus.hpp"

namespace saltus::test {

struct RowRecord {
  double time = 0.0;
  std::int64_t segment = 0;
  std::string mode;
  std::vector<double> values;
};

struct EventRecord {
  double time = 0.0;
  std::int64_t segment = 0;
  std::string kind;
  std::string from;
  std::string to;
  std::string guard;
  std::string detail;
};

class Collector final : public OutputSink {
 public:
  [[nodiscard]] bool begin(std::span<const VariableInfo> variables) override {
    n_variables_ = variables.size();
    return true;
  }
  [[nodiscard]] bool rows(const OutputRows& block) override {
    for (std::size_t row = 0; row < block.times.size(); ++row) {
      RowRecord record{
          .time = block.times[row], .segment = block.segment, .mode = std::string(block.mode), .values = {}};
      for (std::size_t variable = 0; variable < n_variables_; ++variable) {
        record.values.push_back(block.value(row, variable));
      }
      rows_.push_back(std::move(record));
    }
    return true;
  }
  void event(const Event& event) override {
    events_.push_back({.time = event.time,
                       .segment = event.segment,
                       .kind = std::string(to_string(event.kind)),
                       .from = std::string(event.from),
                       .to = std::string(event.to),
                       .guard = std::string(event.guard),
                       .detail = std::string(event.detail)});
  }
  [[nodiscard]] std::vector<RowRecord> take_rows() { return std::move(rows_); }
  [[nodiscard]] std::vector<EventRecord> take_events() { return std::move(events_); }

 private:
  std::size_t n_variables_ = 0;
  std::vector<RowRecord> rows_;
  std::vector<EventRecord> events_;
};

struct HybridRun {
  SimulationResult result;
  std::vector<RowRecord> rows;
  std::vector<EventRecord> events;
  Diagnostics compile_warnings;

  [[nodiscard]] std::size_t column(std::string_view name) const {
    for (std::size_t i = 0; i < result.variables.size(); ++i) {
      if (result.variables[i].name == name) {
        return i;
      }
    }
    throw std::invalid_argument("no variable " + std::string(name));
  }
  [[nodiscard]] double value(const RowRecord& row, std::string_view name) const {
    return row.values[column(name)];
  }
  [[nodiscard]] double final(std::string_view name) const { return result.final_value(name); }

  [[nodiscard]] std::vector<EventRecord> of_kind(std::string_view kind) const {
    std::vector<EventRecord> found;
    std::copy_if(events.begin(), events.end(), std::back_inserter(found),
                 [kind](const EventRecord& event) { return event.kind == kind; });
    return found;
  }
  [[nodiscard]] std::size_t count(std::string_view kind) const { return of_kind(kind).size(); }
  [[nodiscard]] std::vector<double> times(std::string_view kind) const {
    std::vector<double> found;
    for (const EventRecord& event : of_kind(kind)) {
      found.push_back(event.time);
    }
    return found;
  }
  /// Rows of one instant: just before, and after each round.
  [[nodiscard]] std::vector<RowRecord> rows_at(double time, double within = 1e-9) const {
    std::vector<RowRecord> found;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
                 [&](const RowRecord& row) { return std::abs(row.time - time) <= within; });
    return found;
  }
  /// All that was said in words: warnings of the compiler, of the run, the message of its end.
  [[nodiscard]] std::string words() const {
    return render_text(compile_warnings) + render_text(result.diagnostics) +
           std::string(to_string(result.reason)) + ": " + result.message;
  }
  [[nodiscard]] bool says(std::string_view text) const { return words().find(text) != std::string::npos; }
  /// The log as text, for messages of failing tests.
  [[nodiscard]] std::string log() const {
    std::string text = std::string(to_string(result.status)) + " " + words() + "\n";
    for (const EventRecord& event : events) {
      char number[64];
      std::snprintf(number, sizeof number, "%.17g,%lld,", event.time, static_cast<long long>(event.segment));
      text += number + event.kind + "," + event.from + "," + event.to + "," + event.guard + "," +
              event.detail + "\n";
    }
    return text;
  }
};

using OptionList = std::vector<std::pair<std::string, std::string>>;

/// Every instant and every step of these runs is compared with the model as it is written (docs/semantics.md 11), unless a test says else.
[[nodiscard]] inline SimulationOptions options_of(const OptionList& list) {
  SimulationOptions options;
  options.verify = Verify::full;
  for (const auto& [name, value] : list) {
    const Diagnostics problems = set_option(options, name, value);
    if (!problems.empty()) {
      throw std::invalid_argument(render_text(problems));
    }
  }
  return options;
}

/// The text of a number that reads back as the same double.
[[nodiscard]] inline std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// A text with a `mode` is the .saltus dialect, any other .mo.
[[nodiscard]] inline Result<Model> model_of(const std::string& text) {
  const bool has_modes = text.find("mode ") != std::string::npos;
  return Model::from_text(has_modes ? "test.saltus" : "test.mo", text);
}

[[nodiscard]] inline Result<HybridRun> try_run(const std::string& text, const OptionList& list = {},
                                               std::vector<InputTable> inputs = {}) {
  auto model = model_of(text);
  if (!model) {
    return Unexpected(model.error());
  }
  Collector collector;
  SimulationOptions options = options_of(list);
  options.inputs = std::move(inputs);
  options.sink = &collector;
  auto result = simulate(*model, options);
  if (!result) {
    return Unexpected(result.error());
  }
  HybridRun run;
  run.events = collector.take_events();
  run.result = std::move(*result);
  run.rows = collector.take_rows();
  run.compile_warnings = model->warnings();
  return run;
}

/// For runs that must begin; whatever keeps them from it becomes an exception, which fails the test.
[[nodiscard]] inline HybridRun run_text(const std::string& text, const OptionList& list = {},
                                        std::vector<InputTable> inputs = {}) {
  return std::move(try_run(text, list, std::move(inputs)).value());
}

/// What is wrong with a text that must not run: empty if nothing is.
[[nodiscard]] inline std::string problems_of(const std::string& text, const OptionList& list = {},
                                             std::vector<InputTable> inputs = {}) {
  auto run = try_run(text, list, std::move(inputs));
  return run.has_value() ? std::string() : render_text(run.error());
}

}  // namespace saltus::test
