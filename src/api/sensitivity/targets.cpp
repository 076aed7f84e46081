#include "api/sensitivity/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/set_names.hpp"
#include "base/name_list.hpp"
#include "program/guards/parameter_values.hpp"

namespace saltus::api {
namespace {

class TargetChoice {
 public:
  TargetChoice(const Instance& instance, double t, std::string_view option)
      : instance_(instance),
        t_(t),
        option_(option),
        names_(*instance.compiled),
        values_(*instance.flat, instance.overrides) {}

  void add(const std::string& item) {
    if (item == "all") {
      add_parameters();
    } else if (item == "starts") {
      add_states();
    } else {
      add_named(item);
    }
  }

  [[nodiscard]] Result<std::vector<SensitivityTarget>> take() {
    if (targets_.empty() && !problems_.has_errors()) {
      problems_.error(kUnknownSensitivity,
                      fmt::format("{}: the model has no such parameters or states", option_));
    }
    if (problems_.has_errors()) {
      return Unexpected(std::move(problems_));
    }
    return std::move(targets_);
  }

 private:
  void add_parameters() {
    const std::vector<flat::Parameter>& all = instance_.flat->parameters;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].type == flat::Type::real && !all[i].is_constant && !all[i].is_final &&
          !all[i].is_structural) {
        put_parameter(i);
      }
    }
  }

  void add_states() {
    const system::HybridSystem& system = *instance_.system;
    system::StructureId structure = system.initial_mode();
    if (system.has_structures()) {
      structure = system.structure_of(system.start_configuration(t_));
    }
    const auto locked = system.lock(structure);
    if (!locked) {
      problems_.append(locked.error());
      return;
    }
    for (const system::StateInfo& state : (*locked)->states()) {
      // The velocity of a second-order variable has no start value of its own.
      if (const VariableId id = instance_.compiled->variable(state.name); id.valid()) {
        put_start(id.index());
      }
    }
  }

  void add_named(const std::string& item) {
    std::string name = item;
    const bool is_start = item.starts_with("start(") && item.ends_with(")");
    if (is_start) {
      name = trimmed(std::string_view(item).substr(6, item.size() - 7));
    }
    std::optional<NamedTarget> target = names_.find(name);
    if (!target || (is_start && target->is_parameter)) {
      problems_.error(kUnknownSensitivity,
                      target ? fmt::format("{}: '{}' is a parameter and has no start value", option_, name)
                             : fmt::format("{}: the model has no parameter or variable '{}'", option_, name),
                      std::nullopt, target ? "" : names_.similar(name));
      return;
    }
    for (std::size_t k = 0; k < target->n; ++k) {
      const std::size_t place = target->first + k;
      const std::string wrong =
          target->is_parameter ? parameter_problem(place) : variable_problem(names_.variable(place));
      if (!wrong.empty()) {
        problems_.error(kNoSensitivity,
                        fmt::format("{}: '{}' {}", option_, names_.name_of(*target, k), wrong));
      } else if (target->is_parameter) {
        put_parameter(place);
      } else {
        put_start(place);
      }
    }
  }

  [[nodiscard]] std::string parameter_problem(std::size_t place) const {
    const flat::Parameter& parameter = names_.parameter(place);
    return parameter.type != flat::Type::real ? "is not a Real parameter"
           : parameter.is_constant            ? "is declared constant"
           : parameter.is_final               ? "is declared final"
           : parameter.is_structural          ? "decides the structure of the model"
                                              : "";
  }

  [[nodiscard]] static std::string variable_problem(const flat::Variable& variable) {
    return variable.type != flat::Type::real              ? "is not a Real variable"
           : variable.causality == flat::Causality::input ? "is an input: it is given at every time"
                                                          : "";
  }

  // False: it is there already.
  bool is_new(const std::string& name) { return seen_.insert(name).second; }

  void put_parameter(std::size_t place) {
    const std::string& name = names_.parameter(place).name;
    if (is_new(name)) {
      const double value = values_.of(ParameterId(place)).value_or(0.0);
      targets_.push_back({name, false, place, value, value != 0.0 ? std::abs(value) : 1.0});
    }
  }

  void put_start(std::size_t place) {
    const flat::Variable& variable = names_.variable(place);
    if (!is_new(variable.name)) {
      return;
    }
    double value = variable.start ? values_.of(*variable.start).value_or(0.0) : 0.0;
    for (const auto& [name, given] : instance_.overrides) {
      value = name == variable.name ? given : value;
    }
    const double nominal = variable.nominal ? std::abs(values_.of(*variable.nominal).value_or(0.0)) : 0.0;
    const double typical = nominal > 0.0 && std::isfinite(nominal) ? nominal : 1.0;
    targets_.push_back({variable.name, true, place, value, value != 0.0 ? std::abs(value) : typical});
  }

  const Instance& instance_;
  double t_;
  std::string_view option_;
  SetNames names_;
  program::ParameterValues values_;
  std::vector<SensitivityTarget> targets_;
  std::set<std::string> seen_;  // a parameter and a variable never have one name
  Diagnostics problems_;
};

}  // namespace

Result<std::vector<SensitivityTarget>> choose_targets(const std::vector<std::string>& items,
                                                      const Instance& instance, double t,
                                                      std::string_view option) {
  TargetChoice choice(instance, t, option);
  for (const std::string& item : items) {
    choice.add(item);
  }
  return choice.take();
}

}  // namespace saltus::api
