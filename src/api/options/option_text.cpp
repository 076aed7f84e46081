// Options by their names and from text, as on the command line and in annotation(__saltus(…)).

#include <fmt/format.h>

#include <algorithm>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/number_option.hpp"
#include "api/options/event_options.hpp"
#include "api/options/formulation_options.hpp"
#include "api/options/given_text.hpp"
#include "api/options/index_options.hpp"
#include "api/options/mode_options.hpp"
#include "api/options/step_options.hpp"
#include "base/name_list.hpp"
#include "base/similar_name.hpp"
#include "saltus/options.hpp"

namespace saltus {
namespace {

using api::parse_count;
using api::parse_number;
using api::wrong_value;

// "name=value" at the last '=': quoted names may hold one.
bool parse_named(std::string_view text, NamedValue& item) {
  const std::size_t at = text.rfind('=');
  if (at == std::string_view::npos) {
    return false;
  }
  item.name = trimmed(text.substr(0, at));
  const std::optional<double> value = parse_number(trimmed(text.substr(at + 1)));
  item.value = value.value_or(0.0);
  return !item.name.empty() && value.has_value();
}

struct NumberOption {
  std::string_view name;
  std::optional<double> SimulationOptions::*field;
};
constexpr NumberOption kNumberOptions[] = {
    {"start", &SimulationOptions::start},         {"stop", &SimulationOptions::stop},
    {"tolerance", &SimulationOptions::tolerance}, {"rtol", &SimulationOptions::rtol},
    {"step", &SimulationOptions::step},           {"initial-step", &SimulationOptions::initial_step},
    {"max-step", &SimulationOptions::max_step},   {"max-time", &SimulationOptions::max_time},
};

constexpr std::string_view kOtherOptions[] = {
    "atol",         "set",        "set-file",       "method",  "order",      "max-order", "max-steps",
    "nonnegative",  "invariant",  "error-estimate", "columns", "interval",   "input",     "input-rule",
    "expect-index", "checkpoint", "resume",         "sens",    "sens-check", "sens-side"};

// A number, or `steps`; the last of them counts.
Diagnostics set_interval(SimulationOptions& options, std::string_view value) {
  const bool at_steps = value == "steps";
  options.interval = at_steps ? std::nullopt : parse_number(value);
  options.rows_at_steps = at_steps ? std::optional(true) : std::nullopt;
  return at_steps || options.interval ? Diagnostics{}
                                      : wrong_value("interval", value, "a number or the word steps");
}

Diagnostics set_atol(SimulationOptions& options, std::string_view value) {
  if (value.find('=') == std::string_view::npos) {
    options.atol = parse_number(value);
    return options.atol ? Diagnostics{} : wrong_value("atol", value, "a number or name=number");
  }
  NamedValue item;
  if (!parse_named(value, item)) {
    return wrong_value("atol", value, "a number or name=number");
  }
  options.atol_of.push_back(std::move(item));
  return {};
}

Diagnostics add_names(std::vector<std::string>& names, std::string_view option, std::string_view value) {
  for (std::string& item : split_names(value)) {
    if (item.empty()) {
      return wrong_value(option, value, "names with commas between");
    }
    names.push_back(std::move(item));
  }
  return {};
}

std::optional<InputRule> parse_rule(std::string_view text) {
  return text == "linear"  ? std::optional(InputRule::linear)
         : text == "hold"  ? std::optional(InputRule::hold)
         : text == "cubic" ? std::optional(InputRule::cubic)
                           : std::nullopt;
}

Diagnostics set_input_rule(SimulationOptions& options, std::string_view value) {
  const std::size_t at = value.rfind('=');
  const std::string_view word = trimmed(at == std::string_view::npos ? value : value.substr(at + 1));
  const std::optional<InputRule> rule = parse_rule(word);
  const std::string_view name = at == std::string_view::npos ? "" : trimmed(value.substr(0, at));
  if (!rule || (at != std::string_view::npos && name.empty())) {
    return wrong_value("input-rule", value, "linear, hold or cubic, or NAME= and one of these");
  }
  if (name.empty()) {
    options.input_rule = rule;
  } else {
    options.input_rule_of.emplace_back(name, *rule);
  }
  return {};
}

// "FILE" or "FILE,SECONDS"; a comma in the name of the file is one where no number follows.
Diagnostics set_checkpoint(SimulationOptions& options, std::string_view value) {
  const std::size_t comma = value.rfind(',');
  const std::optional<double> seconds =
      comma == std::string_view::npos ? std::nullopt : parse_number(trimmed(value.substr(comma + 1)));
  options.checkpoint = seconds ? value.substr(0, comma) : value;
  options.checkpoint_interval = seconds;
  return options.checkpoint.empty() ? wrong_value("checkpoint", value, "the name of a file, or FILE,SECONDS")
                                    : Diagnostics{};
}

Diagnostics add_input_file(SimulationOptions& options, std::string_view value) {
  Result<InputTable> table = read_input_table(std::string(value));
  if (!table) {
    return table.error();
  }
  options.inputs.push_back(*std::move(table));
  return {};
}

Diagnostics add_set_file(SimulationOptions& options, std::string_view value) {
  Result<std::vector<SetValue>> values = api::read_set_file(std::string(value));
  if (!values) {
    return values.error();
  }
  options.set.insert(options.set.end(), values->begin(), values->end());
  return {};
}

Diagnostics unknown_option(std::string_view name) {
  Diagnostics problems;
  const std::vector<std::string>& planned = planned_options();
  if (std::find(planned.begin(), planned.end(), name) != planned.end()) {
    problems.error(api::kOptionNotSupported, fmt::format("the option --{} is not supported yet", name));
    return problems;
  }
  std::vector<std::string_view> candidates(std::begin(kOtherOptions), std::end(kOtherOptions));
  const std::span<const std::string_view> about_events = api::event_option_names();
  candidates.insert(candidates.end(), about_events.begin(), about_events.end());
  const std::span<const std::string_view> about_formulations = api::formulation_option_names();
  candidates.insert(candidates.end(), about_formulations.begin(), about_formulations.end());
  const std::span<const std::string_view> about_steps = api::step_option_names();
  candidates.insert(candidates.end(), about_steps.begin(), about_steps.end());
  for (const NumberOption& option : kNumberOptions) {
    candidates.push_back(option.name);
  }
  problems.error(api::kUnknownOption, fmt::format("there is no option '{}'", name), std::nullopt,
                 did_you_mean(name, candidates));
  return problems;
}

}  // namespace

const std::vector<std::string>& planned_options() {
  static const std::vector<std::string> names{"structure"};
  return names;
}

Diagnostics set_option(SimulationOptions& options, std::string_view name, std::string_view value) {
  if (std::optional<Diagnostics> of_mode = api::set_mode_option(options, name, value)) {
    return *std::move(of_mode);
  }
  for (const NumberOption& option : kNumberOptions) {
    if (option.name == name) {
      options.*option.field = parse_number(value);
      return options.*option.field ? Diagnostics{} : wrong_value(name, value, "a number");
    }
  }
  if (name == "interval") {
    return set_interval(options, value);
  }
  if (name == "atol") {
    return set_atol(options, value);
  }
  if (name == "set") {
    std::optional<SetValue> item = api::parse_set(value);
    if (!item) {
      return wrong_value("set", value, "NAME=VALUE with a number, true, false, a text or {…, …}");
    }
    options.set.push_back(*std::move(item));
    return {};
  }
  if (name == "set-file") {
    return add_set_file(options, value);
  }
  if (name == "input") {
    return add_input_file(options, value);
  }
  if (name == "checkpoint") {
    return set_checkpoint(options, value);
  }
  if (name == "resume") {
    options.resume = value;
    return value.empty() ? wrong_value(name, value, "the name of a file") : Diagnostics{};
  }
  if (name == "input-rule") {
    return set_input_rule(options, value);
  }
  if (name == "invariant") {
    return add_names(options.invariants, name, value);
  }
  if (name == "nonnegative") {
    return add_names(options.nonnegative, name, value);
  }
  if (name == "expect-index") {
    return api::set_expected_index(options, value);
  }
  if (name == "columns") {
    return add_names(options.columns, name, value);
  }
  if (name == "sens") {
    return add_names(options.sensitivities, name, value);
  }
  if (name == "sens-side") {
    const bool is_known = value == "both" || value == "plus" || value == "minus";
    if (!is_known) {
      return wrong_value(name, value, "both, plus or minus");
    }
    options.sensitivity_side = value == "plus"    ? SensitivitySide::plus
                               : value == "minus" ? SensitivitySide::minus
                                                  : SensitivitySide::both;
    return {};
  }
  if (name == "error-estimate" || name == "sens-check") {
    const bool is_on = value == "on" || value == "true";
    if (!is_on && value != "off" && value != "false") {
      return wrong_value(name, value, "on or off");
    }
    (name == "sens-check" ? options.sensitivity_check : options.error_estimate) = is_on;
    return {};
  }
  if (name == "method") {
    options.method = value;
    return {};
  }
  if (name == "max-steps" || name == "order" || name == "max-order") {
    std::optional<std::int64_t>& field = name == "order"       ? options.order
                                         : name == "max-order" ? options.max_order
                                                               : options.max_steps;
    field = parse_count(value);
    return field ? Diagnostics{} : wrong_value(name, value, "a whole number");
  }
  if (std::optional<Diagnostics> about_formulation = api::set_formulation_option(options, name, value)) {
    return *std::move(about_formulation);
  }
  if (std::optional<Diagnostics> about_steps = api::set_step_option(options, name, value)) {
    return *std::move(about_steps);
  }
  std::optional<Diagnostics> about_events = api::set_event_option(options, name, value);
  return about_events ? *std::move(about_events) : unknown_option(name);
}

}  // namespace saltus
