// A fit for a person and for a program.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_writer.hpp"
#include "saltus/fit.hpp"
#include "saltus/version.hpp"

namespace saltus {
namespace {

std::string_view word_of(Loss loss) {
  return loss == Loss::huber ? "huber" : loss == Loss::cauchy ? "cauchy" : "none";
}

std::string number_or_none(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-";
}

std::string table(const FitResult& result) {
  std::size_t width = 9;
  for (const FittedParameter& parameter : result.parameters) {
    width = std::max(width, parameter.name.size());
  }
  std::string out = fmt::format("  {:<{}}  {:>14}  {:>14}  {:>14}  {:>14}\n", "parameter", width, "value",
                                "standard error", "95 % from", "to");
  for (const FittedParameter& parameter : result.parameters) {
    out +=
        fmt::format("  {:<{}}  {:>14.8g}  {:>14}  {:>14}  {:>14}{}\n", parameter.name, width, parameter.value,
                    number_or_none(parameter.standard_error), number_or_none(parameter.low),
                    number_or_none(parameter.high), parameter.at_bound ? "  at its bound" : "");
  }
  return out;
}

// Those that deserve a look.
std::string correlations(const FitResult& result) {
  // Where one standard error alone says little: that of the difference is less than half of it.
  constexpr double kStrong = 0.9;
  const std::size_t n = result.parameters.size();
  std::string out;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      if (std::abs(result.correlation[a * n + b]) > kStrong) {
        out += fmt::format("correlation of {} and {}: {:.6f}\n", result.parameters[a].name,
                           result.parameters[b].name, result.correlation[a * n + b]);
      }
    }
  }
  return out;
}

void write_number_list(JsonWriter& json, std::string_view name, const std::vector<double>& numbers) {
  json.key(name);
  json.begin_array();
  for (const double number : numbers) {
    json.value(number);
  }
  json.end_array();
}

void write_parameters(JsonWriter& json, const FitResult& result) {
  json.key("parameters");
  json.begin_object();
  for (const FittedParameter& parameter : result.parameters) {
    json.key(parameter.name);
    json.begin_object();
    json.member("value", parameter.value);
    json.member("standard_error", parameter.standard_error);
    json.member("low", parameter.low);
    json.member("high", parameter.high);
    json.member("guess", parameter.guess);
    json.member("lower", parameter.lower);
    json.member("upper", parameter.upper);
    json.member("at_bound", parameter.at_bound);
    json.end_object();
  }
  json.end_object();
  json.key("correlation");
  json.begin_array();
  const std::size_t n = result.parameters.size();
  for (std::size_t row = 0; row < n; ++row) {
    json.begin_array();
    for (std::size_t column = 0; column < n; ++column) {
      json.value(result.correlation[row * n + column]);
    }
    json.end_array();
  }
  json.end_array();
}

void write_unidentifiable(JsonWriter& json, const FitResult& result) {
  json.key("unidentifiable");
  json.begin_array();
  for (const UnseenCombination& combination : result.unidentifiable) {
    json.begin_object();
    json.key("parameters");
    json.begin_array();
    for (const std::string& name : combination.names) {
      json.value(name);
    }
    json.end_array();
    write_number_list(json, "change", combination.change);
    write_number_list(json, "relative", combination.relative);
    json.member("singular_value", combination.singular_value);
    json.member("text", std::string_view(combination.text));
    json.end_object();
  }
  json.end_array();
}

void write_starts(JsonWriter& json, const FitResult& result) {
  json.key("starts");
  json.begin_array();
  for (const FitStart& start : result.starts) {
    json.begin_object();
    write_number_list(json, "from", start.from);
    write_number_list(json, "to", start.to);
    json.member("cost", start.cost);
    json.member("status", to_string(start.status));
    json.member("message", std::string_view(start.message));
    json.end_object();
  }
  json.end_array();
}

void write_data(JsonWriter& json, const FitResult& result) {
  json.key("data");
  json.begin_object();
  json.key("files");
  json.begin_array();
  for (const std::string& name : result.experiments) {
    json.value(name);
  }
  json.end_array();
  json.member("values", static_cast<std::int64_t>(result.rows.size()));
  json.key("sigma");
  json.begin_object();
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    json.member(result.columns[c], result.sigma[c]);
  }
  json.end_object();
  json.end_object();
}

}  // namespace

std::string render_text(const FitResult& result) {
  std::string out = fmt::format("{}: {}{}{}\n", result.model, to_string(result.status),
                                result.message.empty() ? "" : ", ", result.message);
  if (!result.rows.empty()) {
    out += table(result) + correlations(result);
    out += fmt::format("cost       {:.8g} of {} data, {} degrees of freedom{}\n", result.cost,
                       result.rows.size(), result.degrees_of_freedom,
                       result.is_variance_known ? ""
                                                : fmt::format("; standard deviation of residuals {}",
                                                              number_or_none(std::sqrt(result.variance))));
  }
  for (const UnseenCombination& combination : result.unidentifiable) {
    out += fmt::format("not determined: {}\n", combination.text);
  }
  if (result.starts.size() > 1) {
    std::size_t n_same = 0;
    for (const FitStart& start : result.starts) {
      // One percent: whether starts found the same minimum shows in the cost.
      n_same += start.cost <= 1.01 * result.cost ? 1 : 0;
    }
    out += fmt::format("starts     {} (seed {}), {} of them within 1 % of the lowest cost\n",
                       result.starts.size(), result.seed, n_same);
  }
  out += fmt::format(
      "work       {} iterations, {} runs{}; {:.3g} s\n", result.statistics.iterations, result.statistics.runs,
      result.statistics.failed_runs == 0 ? ""
                                         : fmt::format(" ({} of them failed)", result.statistics.failed_runs),
      result.statistics.wall_seconds);
  return out;
}

std::string render_json(const FitResult& result) {
  JsonWriter json;
  json.begin_object();
  json.member("saltus_version", version());
  json.member("model", std::string_view(result.model));
  json.member("status", to_string(result.status));
  json.member("message", std::string_view(result.message));
  write_parameters(json, result);
  json.member("cost", result.cost);
  json.member("degrees_of_freedom", result.degrees_of_freedom);
  json.member("variance", result.variance);
  json.member("variance_known", result.is_variance_known);
  json.member("loss", word_of(result.loss));
  if (result.loss != Loss::none) {
    json.member("loss_scale", result.loss_scale);
  }
  write_unidentifiable(json, result);
  write_data(json, result);
  json.member("seed", static_cast<std::int64_t>(result.seed));
  write_starts(json, result);
  json.key("statistics");
  json.begin_object();
  json.member("runs", result.statistics.runs);
  json.member("failed_runs", result.statistics.failed_runs);
  json.member("iterations", result.statistics.iterations);
  json.member("difference_columns", result.statistics.difference_columns);
  json.member("wall_seconds", result.statistics.wall_seconds);
  json.end_object();
  json.key("diagnostics");
  std::string diagnostics = render_json(result.diagnostics);
  diagnostics.erase(diagnostics.find_last_not_of('\n') + 1);
  json.raw(diagnostics);
  json.end_object();
  return json.take();
}

}  // namespace saltus
