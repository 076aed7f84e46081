#include "api/options/mode_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/fill_option.hpp"
#include "api/model/model_data.hpp"
#include "api/model/number_option.hpp"
#include "api/options/method_choice.hpp"
#include "base/similar_name.hpp"

namespace saltus::api {
namespace {

constexpr std::array<std::string_view, 4> kModeOptionNames{"method", "order", "max-order", "max-step"};

ModeOptions& options_of(std::vector<ModeOptions>& modes, std::string_view mode) {
  const auto known =
      std::find_if(modes.begin(), modes.end(), [&](const ModeOptions& item) { return item.mode == mode; });
  if (known != modes.end()) {
    return *known;
  }
  modes.push_back({.mode = std::string(mode)});
  return modes.back();
}

// The options of a run that is in this mode all the time.
SimulationOptions options_in(const SimulationOptions& options, const ModeOptions& mode) {
  SimulationOptions result = options;
  if (!mode.method.empty()) {
    result.method = mode.method;
    result.order.reset();
    result.max_order.reset();
  }
  result.order = mode.order ? mode.order : result.order;
  result.max_order = mode.max_order ? mode.max_order : result.max_order;
  result.max_step = mode.max_step ? mode.max_step : result.max_step;
  return result;
}

bool is_value(const ModeOptions& mode, std::string_view name, std::string_view value) {
  return name == "method"     ? mode.method == value
         : name == "order"    ? mode.order == parse_count(value)
         : name == "max_step" ? mode.max_step == parse_number(value)
                              : mode.max_order == parse_count(value);
}

// Where the model gives this mode one of these options, if what it says is in force.
std::optional<SourceSpan> place_of(const Model* model, const ModeOptions& mode,
                                   std::initializer_list<std::string_view> names) {
  if (model == nullptr) {
    return std::nullopt;
  }
  for (const std::string_view name : names) {
    for (const ExperimentInfo::Option& option : model->experiment().options) {
      if (option.mode == mode.mode && option.name == name && is_value(mode, name, option.value)) {
        return option.span;
      }
    }
  }
  return std::nullopt;
}

Diagnostics problems_of_method(const SimulationOptions& options, const ModeOptions& mode) {
  Diagnostics problems;
  if (!mode.method.empty() || mode.order || mode.max_order) {
    check_method(problems, options_in(options, mode));
  }
  return problems;
}

Diagnostics problems_of_step(const SimulationOptions& options, const ModeOptions& mode) {
  Diagnostics problems;
  if (mode.max_step && !(*mode.max_step > 0.0 && std::isfinite(*mode.max_step))) {
    problems.error(kWrongOptionValue,
                   fmt::format("--max-step must be a positive number, not {}", *mode.max_step));
  }
  if (mode.max_step && options.step) {
    problems.error(kConflictingOptions, "a fixed --step leaves nothing to --max-step");
  }
  return problems;
}

// With the place in the model, where it is the model that says so.
void report(Diagnostics& problems, const Diagnostics& wrong, const std::string& mode, const Model* model,
            const std::optional<SourceSpan>& place) {
  Diagnostics found = place ? Diagnostics(model->data().source) : Diagnostics();
  for (const Diagnostic& item : wrong.items()) {
    found.add(item.severity, DiagnosticCode{item.code}, fmt::format("in mode '{}': {}", mode, item.message),
              place, item.hint);
  }
  if (!found.empty()) {
    problems.append(std::move(found));
  }
}

bool exists(const Model* model, std::string_view name, std::vector<std::string_view>& names) {
  if (model == nullptr) {
    return false;
  }
  for (const flat::Mode& mode : model->data().flat->modes) {
    names.push_back(mode.name);
  }
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_mode_option(std::string_view name) {
  return std::find(kModeOptionNames.begin(), kModeOptionNames.end(), name) != kModeOptionNames.end();
}

Diagnostics set_mode_option(SimulationOptions& options, std::string_view mode, std::string_view name,
                            std::string_view value) {
  ModeOptions& item = options_of(options.modes, mode);
  if (name == "method") {
    item.method = value;
    return {};
  }
  if (name == "max-step") {
    item.max_step = parse_number(value);
    return item.max_step ? Diagnostics{} : wrong_value(name, value, "a number");
  }
  std::optional<std::int64_t>& field = name == "order" ? item.order : item.max_order;
  field = parse_count(value);
  return field ? Diagnostics{} : wrong_value(name, value, "a whole number");
}

std::optional<Diagnostics> set_mode_option(SimulationOptions& options, std::string_view name,
                                           std::string_view value) {
  // At the last '=': quoted names of modes may hold one.
  const std::size_t at = value.rfind('=');
  if (!is_mode_option(name) || at == std::string_view::npos) {
    return std::nullopt;
  }
  if (at == 0 || at + 1 == value.size()) {
    return wrong_value(name, value, "a value, or mode=value");
  }
  return set_mode_option(options, value.substr(0, at), name, value.substr(at + 1));
}

void fill_mode_options(SimulationOptions& options, const SimulationOptions& annotated) {
  for (ModeOptions mode : annotated.modes) {
    ModeOptions& item = options_of(options.modes, mode.mode);
    const bool has_method = !item.method.empty() || item.order;
    if (!has_method && options.method.empty() && !options.order) {
      item.method = std::move(mode.method);
      item.order = mode.order;
      fill(item.max_order, options.max_order ? std::nullopt : mode.max_order);
    }
    fill(item.max_step, options.max_step ? std::nullopt : mode.max_step);
  }
}

void check_mode_options(Diagnostics& problems, const SimulationOptions& options, const Model* model) {
  for (const ModeOptions& mode : options.modes) {
    if (std::vector<std::string_view> names; !exists(model, mode.mode, names)) {
      problems.error(kNoSuchMode,
                     names.empty() ? fmt::format("there is no mode '{}': the model has no modes", mode.mode)
                                   : fmt::format("there is no mode '{}'", mode.mode),
                     std::nullopt, did_you_mean(mode.mode, names));
      continue;
    }
    report(problems, problems_of_method(options, mode), mode.mode, model,
           place_of(model, mode, {"method", "order", "max_order"}));
    report(problems, problems_of_step(options, mode), mode.mode, model, place_of(model, mode, {"max_step"}));
  }
}

std::vector<ModeSettings> resolve_modes(const SimulationOptions& options) {
  std::vector<ModeSettings> list;
  for (const ModeOptions& mode : options.modes) {
    const SimulationOptions in_mode = options_in(options, mode);
    list.push_back({mode.mode, choose_methods(in_mode), reason_for_method(in_mode)});
  }
  return list;
}

}  // namespace saltus::api
