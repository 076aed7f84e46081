#include "record/summary_writer.hpp"

#include <algorithm>
#include <span>

#include "base/json_writer.hpp"
#include "record/output_file.hpp"

namespace saltus::record {
namespace {

void put_by_name(JsonWriter& json, std::string_view key, const std::vector<std::string>& names,
                 std::span<const double> values) {
  json.key(key);
  json.begin_object();
  for (std::size_t i = 0; i < values.size(); ++i) {
    json.member(names[i], values[i]);
  }
  json.end_object();
}

void put_names(JsonWriter& json, std::string_view key, const std::vector<std::string>& names) {
  json.key(key);
  json.begin_array();
  for (const std::string& name : names) {
    json.value(std::string_view(name));
  }
  json.end_array();
}

void put_sensitivities(JsonWriter& json, const SensitivitySummary& all) {
  put_names(json, "sensitivity_parameters", all.parameters);
  const std::size_t n = all.parameters.size();
  json.key("final_sensitivities");
  json.begin_object();
  for (std::size_t v = 0; v * n < all.final_values.size(); ++v) {
    put_by_name(json, all.variables[v], all.parameters, std::span(all.final_values).subspan(v * n, n));
  }
  json.end_object();
  put_names(json, "zero_sensitivities", all.zero);
  json.key("most_influential");
  json.begin_array();
  for (const auto& [parameter, measure] : all.most_influential) {
    json.begin_object();
    json.member("parameter", std::string_view(parameter));
    json.member("measure", measure);
    json.end_object();
  }
  json.end_array();
  if (!all.check) {
    return;
  }
  json.key("sens_check");
  json.begin_array();
  for (const SensitivitySummary::Check& item : *all.check) {
    json.begin_object();
    json.member("parameter", std::string_view(item.parameter));
    json.member("largest_difference", item.largest_difference);
    json.member("at", std::string_view(item.at));
    json.end_object();
  }
  json.end_array();
}

void put_events(JsonWriter& json, const Summary& summary, std::size_t max_events) {
  const std::size_t n = std::min(summary.events.size(), max_events);
  json.key("events");
  json.begin_array();
  for (std::size_t i = 0; i < n; ++i) {
    const EventRow& event = summary.events[i];
    json.begin_object();
    json.member("time", event.time);
    json.member("segment", event.segment);
    json.member("kind", event.kind);
    json.member("from", event.from);
    json.member("to", event.to);
    json.member("guard", event.guard);
    json.member("detail", event.detail);
    if (!event.transfer.empty()) {
      json.member("transfer", event.transfer);
    }
    if (event.impulse_order >= 0) {
      json.member("impulse_order", static_cast<std::int64_t>(event.impulse_order));
    }
    if (event.transfer_case > 0) {
      json.member("transfer_case", static_cast<std::int64_t>(event.transfer_case));
    }
    if (summary.sensitivities) {
      put_by_name(json, "sensitivities", summary.sensitivities->parameters, event.sensitivities);
    }
    json.end_object();
  }
  json.end_array();
  json.member("events_total", summary.statistics.events);
  json.member("events_truncated", static_cast<std::int64_t>(n) < summary.statistics.events);
}

void put_modes(JsonWriter& json, const std::vector<ModeSpan>& modes, std::size_t max_modes) {
  const std::size_t n = std::min(modes.size(), max_modes);
  json.key("modes");
  json.begin_array();
  for (std::size_t i = 0; i < n; ++i) {
    const ModeSpan& span = modes[i];
    json.begin_object();
    json.member("from", span.from);
    json.member("to", span.to);
    json.member("mode", std::string_view(span.mode));
    json.member("index", span.index);
    json.member("d", span.d);
    json.member("a", span.a);
    json.member("u", span.u);
    json.member("v", span.v);
    json.end_object();
  }
  json.end_array();
  json.member("modes_total", static_cast<std::int64_t>(modes.size()));
  json.member("modes_truncated", n < modes.size());
}

void put_guards(JsonWriter& json, const std::vector<WatchedGuard>& guards) {
  const std::size_t n = std::min(guards.size(), kMaxSummaryItems);
  json.key("guards");
  json.begin_array();
  for (std::size_t i = 0; i < n; ++i) {
    json.begin_object();
    json.member("condition", std::string_view(guards[i].condition));
    json.member("proved_steps", guards[i].proved_steps);
    json.member("estimated_steps", guards[i].estimated_steps);
    json.member("sampled_steps", guards[i].sampled_steps);
    json.end_object();
  }
  json.end_array();
  json.member("guards_total", static_cast<std::int64_t>(guards.size()));
}

void put_statistics(JsonWriter& json, const Statistics& statistics) {
  json.key("statistics");
  json.begin_object();
  json.member("method", std::string_view(statistics.method));
  json.member("method_reason", std::string_view(statistics.method_reason));
  json.key("methods");
  json.begin_array();
  for (const MethodOfMode& mode : statistics.methods) {
    json.begin_object();
    json.member("mode", std::string_view(mode.mode));
    json.member("method", std::string_view(mode.method));
    json.member("reason", std::string_view(mode.reason));
    json.member("accepted_steps", mode.accepted_steps);
    json.end_object();
  }
  json.end_array();
  json.member("accepted_steps", statistics.accepted_steps);
  json.member("rejected_steps", statistics.rejected_steps);
  json.member("residual_evaluations", statistics.residual_evaluations);
  json.member("jacobian_evaluations", statistics.jacobian_evaluations);
  json.member("factorizations", statistics.factorizations);
  json.member("guard_evaluations", statistics.guard_evaluations);
  put_guards(json, statistics.guards);
  json.member("newton_iterations", statistics.newton_iterations);
  json.member("location_iterations", statistics.location_iterations);
  json.member("overtaken_locations", statistics.overtaken_locations);
  json.member("guards_without_root", statistics.guards_without_root);
  json.member("refined_steps", statistics.refined_steps);
  json.member("events", statistics.events);
  json.member("instants", statistics.instants);
  json.member("restarts", statistics.restarts);
  json.member("kinks_without_restart", statistics.kinks_without_restart);
  json.member("accepted_sliding_steps", statistics.accepted_sliding_steps);
  json.member("rejected_sliding_steps", statistics.rejected_sliding_steps);
  json.member("rejected_by_error", statistics.rejected_by_error);
  json.member("rejected_by_iteration", statistics.rejected_by_iteration);
  json.member("rejected_by_bounds", statistics.rejected_by_bounds);
  json.member("negative_within_tolerance", statistics.negative_within_tolerance);
  json.member("smallest_step", statistics.smallest_step);
  json.member("largest_step", statistics.largest_step);
  json.member("last_step", statistics.last_step);
  json.member("next_step", statistics.next_step);
  json.key("orders");
  json.begin_array();
  for (const StepsOfOrder& item : statistics.orders) {
    json.begin_object();
    json.member("order", static_cast<std::int64_t>(item.order));
    json.member("accepted_steps", item.accepted_steps);
    json.end_object();
  }
  json.end_array();
  json.member("output_rows", statistics.output_rows);
  json.member("wall_seconds", statistics.wall_seconds);
  json.end_object();
}

void put_monitors(JsonWriter& json, const Monitors& monitors) {
  json.key("monitors");
  json.begin_object();
  json.member("position", monitors.position);
  json.member("velocity", monitors.velocity);
  json.member("acceleration", monitors.acceleration);
  json.member("adjustment", monitors.adjustment);
  json.member("adjustment_over_bound", monitors.adjustment_over_bound);
  json.key("invariants");
  json.begin_object();
  for (const Monitors::Invariant& invariant : monitors.invariants) {
    json.member(invariant.name, invariant.change);
  }
  json.end_object();
  json.end_object();
}

void put_errors(JsonWriter& json, const ErrorSummary& errors) {
  json.key("error_estimate");
  json.begin_object();
  json.member("factor", errors.factor);
  json.member("end", errors.end);
  json.member("reason", std::string_view(errors.reason));
  json.member("events_compared", errors.events_compared);
  json.member("event_time", errors.event_time);
  if (errors.events_differ) {
    json.member("events_differ", *errors.events_differ);
  }
  json.key("largest");
  json.begin_object();
  for (const ErrorSummary::Largest& item : errors.largest) {
    json.key(item.variable);
    json.begin_object();
    json.member("error", item.error);
    json.member("time", item.time);
    json.end_object();
  }
  json.end_object();
  json.end_object();
}

}  // namespace

std::string summary_json(const Summary& summary, std::size_t max_events, std::size_t max_modes) {
  JsonWriter json;
  json.begin_object();
  json.member("schema", kSummarySchema);
  json.member("saltus", std::string_view(summary.saltus_version));
  json.member("model", std::string_view(summary.model));
  json.member("status", std::string_view(summary.status));
  json.member("reason", std::string_view(summary.reason));
  json.member("message", std::string_view(summary.message));
  json.member("start", summary.start);
  json.member("end", summary.end);
  json.key("final");
  json.begin_object();
  for (const auto& [name, value] : summary.final_values) {
    json.member(name, value);
  }
  json.end_object();
  json.key("parameters");
  json.begin_object();
  for (const auto& [name, value] : summary.parameters) {
    if (const double* number = std::get_if<double>(&value)) {
      json.member(name, *number);
    } else {
      json.member(name, std::string_view(std::get<std::string>(value)));
    }
  }
  json.end_object();
  put_events(json, summary, max_events);
  put_modes(json, summary.modes, max_modes);
  put_statistics(json, summary.statistics);
  if (summary.monitors) {
    put_monitors(json, *summary.monitors);
  }
  if (summary.errors) {
    put_errors(json, *summary.errors);
  }
  if (summary.sensitivities) {
    put_sensitivities(json, *summary.sensitivities);
  }
  json.end_object();
  return json.take();
}

Diagnostics write_summary(const std::string& path, const Summary& summary) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) {
    return std::move(file).error();
  }
  file->write(summary_json(summary));
  return file->commit();
}

}  // namespace saltus::record
