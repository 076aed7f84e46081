// A gradient as JSON and as a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/gradient/statistics_json.hpp"
#include "base/json_writer.hpp"
#include "saltus/gradient.hpp"

namespace saltus {

std::string render_json(const GradientResult& result) {
  JsonWriter json;
  json.begin_object();
  json.member("model", std::string_view(result.model));
  json.member("functional", std::string_view(result.functional));
  json.member("by", std::string_view(result.by));
  json.member("value", result.value);
  json.key("gradient");
  json.begin_object();
  for (const GradientResult::Derivative& item : result.gradient) {
    json.member(item.name, item.derivative);
  }
  json.end_object();
  json.key("at");
  json.begin_object();
  for (const GradientResult::Derivative& item : result.gradient) {
    json.member(item.name, item.at);
  }
  json.end_object();
  json.key("terms");
  json.begin_array();
  for (const GradientResult::Term& term : result.terms) {
    json.begin_object();
    json.member("term", std::string_view(term.text));
    json.member("value", term.value);
    json.key("gradient");
    json.begin_object();
    for (std::size_t k = 0; k < term.derivatives.size(); ++k) {
      json.member(result.gradient[k].name, term.derivatives[k]);
    }
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.key("problem");
  if (result.ok()) {
    json.null();
  } else {
    json.value(std::string_view(result.problem));
  }
  json.member("status", to_string(result.status));
  json.key("reason");
  if (result.reason == Reason::none) {
    json.null();
  } else {
    json.value(to_string(result.reason));
  }
  json.member("start", result.start);
  json.member("end", result.end);
  api::put_statistics(json, result.statistics);
  json.end_object();
  return json.take();
}

std::string render_text(const GradientResult& result) {
  if (!result.ok()) {
    return fmt::format("{} has no value: {}\n", result.functional, result.problem);
  }
  std::string text = fmt::format("{} = {:.10g}\n", result.functional, result.value);
  std::size_t width = 0;
  for (const GradientResult::Derivative& item : result.gradient) {
    width = std::max(width, item.name.size());
  }
  for (const GradientResult::Derivative& item : result.gradient) {
    text += fmt::format("  d/d {:<{}}  {}\n", item.name, width,
                        std::isnan(item.derivative) ? "undefined" : fmt::format("{:.10g}", item.derivative));
  }
  return text;
}

}  // namespace saltus
