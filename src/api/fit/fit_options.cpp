// Options of a fit by their names and from text.

#include <algorithm>
#include <utility>

#include "api/model/number_option.hpp"
#include "base/name_list.hpp"
#include "saltus/fit.hpp"

namespace saltus {
namespace {

using api::parse_number;
using api::set_count;
using api::wrong_value;

// Empty: `otherwise`; false: it is no number.
bool read_part(std::string_view text, double& number) {
  if (text.empty()) {
    return true;
  }
  const std::optional<double> value = parse_number(text);
  number = value.value_or(number);
  return value.has_value();
}

// "name", "name=guess", "name=guess:lower:upper"; each of the three may be empty.
std::optional<FitParameter> read_parameter(std::string_view item) {
  const std::size_t at = item.rfind('=');
  FitParameter parameter;
  parameter.name = trimmed(item.substr(0, at));
  if (parameter.name.empty()) {
    return std::nullopt;
  }
  if (at == std::string_view::npos) {
    return parameter;
  }
  std::vector<std::string_view> parts;
  for (std::string_view rest = item.substr(at + 1); parts.size() < 4;) {
    const std::size_t colon = rest.find(':');
    parts.push_back(trimmed(rest.substr(0, colon)));
    if (colon == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(colon + 1);
  }
  if (parts.size() == 2 || parts.size() > 3) {
    return std::nullopt;
  }
  double guess = 0.0;
  bool is_good = read_part(parts[0], guess);
  if (!parts[0].empty()) {
    parameter.guess = guess;
  }
  if (parts.size() == 3) {
    is_good = is_good && read_part(parts[1], parameter.lower) && read_part(parts[2], parameter.upper);
  }
  return is_good ? std::optional(std::move(parameter)) : std::nullopt;
}

Diagnostics set_parameters(FitOptions& options, std::string_view value) {
  Diagnostics problems;
  for (const std::string& item : split_names(value)) {
    if (std::optional<FitParameter> parameter = read_parameter(item)) {
      options.parameters.push_back(*std::move(parameter));
    } else {
      problems.append(wrong_value("params", item, "NAME, NAME=GUESS or NAME=GUESS:LOWER:UPPER"));
    }
  }
  return problems;
}

Diagnostics set_sigma(FitOptions& options, std::string_view value) {
  const std::size_t at = value.rfind('=');
  const std::optional<double> sigma =
      at == std::string_view::npos ? std::nullopt : parse_number(trimmed(value.substr(at + 1)));
  if (!sigma || !(*sigma > 0.0) || trimmed(value.substr(0, at)).empty()) {
    return wrong_value("sigma", value, "NAME=NUMBER with a positive number");
  }
  options.sigma.push_back({std::string(trimmed(value.substr(0, at))), *sigma});
  return {};
}

Diagnostics set_loss(FitOptions& options, std::string_view value) {
  for (const auto& [word, loss] : {std::pair<std::string_view, Loss>{"none", Loss::none},
                                   {"huber", Loss::huber},
                                   {"cauchy", Loss::cauchy}}) {
    if (value == word) {
      options.loss = loss;
      return {};
    }
  }
  return wrong_value("loss", value, "none, huber or cauchy");
}

}  // namespace

Diagnostics set_fit_option(FitOptions& options, std::string_view name, std::string_view value) {
  if (name == "params") {
    return set_parameters(options, value);
  }
  if (name == "sigma") {
    return set_sigma(options, value);
  }
  if (name == "loss") {
    return set_loss(options, value);
  }
  if (name == "loss-scale") {
    const std::optional<double> scale = parse_number(value);
    options.loss_scale = scale;
    return scale && *scale > 0.0 ? Diagnostics{} : wrong_value(name, value, "a positive number");
  }
  if (name == "starts") {
    return set_count(options.starts, 1, name, value);
  }
  if (name == "threads") {
    return set_count(options.threads, 1, name, value);
  }
  if (name == "max-iterations") {
    return set_count(options.max_iterations, 0, name, value);
  }
  if (name == "seed") {
    std::int64_t seed = 0;
    Diagnostics problems = set_count(seed, 0, name, value);
    options.seed = static_cast<std::uint64_t>(seed);
    return problems;
  }
  return set_option(options.simulation, name, value);
}

}  // namespace saltus
