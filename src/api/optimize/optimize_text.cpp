// An optimum as JSON and as a table.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.hpp"
#include "saltus/optimize.hpp"

namespace saltus {

std::string render_json(const OptimizeResult& result) {
  JsonWriter json;
  json.begin_object();
  json.member("model", std::string_view(result.model));
  json.member("status", to_string(result.status));
  json.member("message", std::string_view(result.message));
  json.member("minimize", std::string_view(result.objective));
  json.member("value", result.value);
  json.key("parameters");
  json.begin_object();
  for (std::size_t i = 0; i < result.parameters.size(); ++i) {
    const OptimizeResult::Parameter& item = result.parameters[i];
    json.key(item.name);
    json.begin_object();
    json.member("value", item.value);
    json.member("guess", item.guess);
    json.member("lower", item.lower);
    json.member("upper", item.upper);
    json.member("at_bound", item.at_bound);
    json.key("derivative");
    if (i < result.gradient.size()) {
      json.value(result.gradient[i]);
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_object();
  json.key("constraints");
  json.begin_array();
  for (const OptimizeResult::Constraint& item : result.constraints) {
    json.begin_object();
    json.member("constraint", std::string_view(item.text));
    json.member("left", item.left);
    json.member("right", item.right);
    json.member("violation", item.violation);
    json.member("active", item.is_active);
    json.member("multiplier", item.multiplier);
    json.end_object();
  }
  json.end_array();
  json.key("failed_trials");
  json.begin_array();
  for (const OptimizeResult::FailedTrial& trial : result.failed_trials) {
    json.begin_object();
    json.key("parameters");
    json.begin_object();
    for (std::size_t i = 0; i < trial.parameters.size(); ++i) {
      json.member(result.parameters[i].name, trial.parameters[i]);
    }
    json.end_object();
    json.member("problem", std::string_view(trial.problem));
    json.end_object();
  }
  json.end_array();
  json.key("statistics");
  json.begin_object();
  json.member("runs", result.runs);
  json.member("iterations", result.iterations);
  json.member("refused_steps", result.refused_steps);
  json.member("failed_runs", static_cast<std::int64_t>(result.failed_trials.size()));
  json.member("wall_seconds", result.wall_seconds);
  json.end_object();
  json.end_object();
  return json.take();
}

std::string render_text(const OptimizeResult& result) {
  std::string text = fmt::format("{}: {}{}{}\n", result.model, to_string(result.status),
                                 result.message.empty() ? "" : ", ", result.message);
  text += fmt::format("{} runs, {} iterations, {} steps refused, {} of them without a value\n", result.runs,
                      result.iterations, result.refused_steps, result.failed_trials.size());
  if (result.status == OptimizeStatus::failed) {
    return text;
  }
  text += fmt::format("{} = {:.10g}\n", result.objective, result.value);
  std::size_t width = 0;
  for (const OptimizeResult::Parameter& item : result.parameters) {
    width = std::max(width, item.name.size());
  }
  for (const OptimizeResult::Parameter& item : result.parameters) {
    text += fmt::format("  {:<{}}  {:.10g}{}\n", item.name, width, item.value,
                        item.at_bound ? " (at its bound)" : "");
  }
  for (const OptimizeResult::Constraint& item : result.constraints) {
    text += fmt::format("  {}: {:.10g}, {:.10g}{}\n", item.text, item.left, item.right,
                        item.is_active ? " (active)" : "");
  }
  return text;
}

}  // namespace saltus
