#include "api/options/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/model/diagnostic_codes.hpp"
#include "api/options/variable_names.hpp"

namespace saltus::api {
namespace {

constexpr std::string_view kAll = "all";
constexpr std::string_view kGuards = "guards";
constexpr std::string_view kDerivative = "der(";

// "der(der(x))" is x of order 2.
struct Item {
  std::string_view name;
  int order = 0;
};

Item read(std::string_view text) {
  Item item{text, 0};
  while (item.name.starts_with(kDerivative) && item.name.ends_with(')')) {
    item.name.remove_prefix(kDerivative.size());
    item.name.remove_suffix(1);
    ++item.order;
  }
  return item;
}

bool is_word(std::string_view text) {
  return text == kAll || text == kGuards;
}

std::string derivative_name(const std::string& name, int order) {
  return order == 0 ? name : fmt::format("der({})", derivative_name(name, order - 1));
}

std::string unit_of_rate(const std::string& unit) {
  return unit.empty() ? "" : unit.find_first_of("/.") == std::string::npos ? unit + "/s" : "(" + unit + ")/s";
}

// That some mode knows: derivatives of its states and of what is always one of them, and those that its equations contain. In a
// structure that a mode has besides the common one the states may be others; what equations contain is a state in one of them. Where
// equations are compiled, every other continuous variable has one derivative too (results/flow_rates.hpp).
std::set<system::Quantity> known_derivatives(const system::HybridSystem& system) {
  std::set<system::Quantity> known;
  const auto add = [&known](const system::Quantity& quantity) {
    for (int order = 1; order <= quantity.order; ++order) {
      known.insert({quantity.variable, order});
    }
  };
  const auto add_rate = [&add](const system::Quantity& state) { add({state.variable, state.order + 1}); };
  for (std::size_t i = 0; i < system.modes().size(); ++i) {
    const auto locked = system.lock(ModeId(i));
    if (!locked) {
      continue;
    }
    for (const system::StateInfo& state : (*locked)->states()) {
      add_rate(state.quantity);
      for (const system::StateInfo::Alias& alias : state.aliases) {
        add_rate(alias.quantity);
      }
    }
    if (const auto written = (*locked)->written_equations()) {
      for (std::size_t place = 0; place < system.variables().size(); ++place) {
        if (!system.variables()[place].is_discrete) {
          add({static_cast<Index>(place), 1});
        }
      }
      for (const system::WrittenEquations::Slot& slot : written->slots()) {
        add(slot.quantity);
      }
    }
  }
  return known;
}

}  // namespace

Columns Columns::all(const std::vector<VariableInfo>& variables) {
  Columns columns;
  columns.n_variables = variables.size();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    columns.order.push_back(i);
  }
  columns.infos = variables;
  return columns;
}

Diagnostics check_columns(const std::vector<std::string>& items, const std::vector<VariableInfo>& variables) {
  Diagnostics problems;
  for (const std::string& text : items) {
    const Item item = read(text);
    if ((item.order == 0 && is_word(text)) || !variables_meant(item.name, variables).empty()) {
      continue;
    }
    const bool is_pattern = item.name.find('*') != std::string_view::npos;
    const std::string similar = similar_variable(item.name, variables);
    problems.error(kUnknownColumn,
                   is_pattern ? fmt::format("--columns: no variable of the model matches '{}'", item.name)
                              : fmt::format("--columns: the model has no variable '{}'", item.name),
                   std::nullopt,
                   item.name == "time" ? "time is always the first column"
                   : !similar.empty()
                       ? similar
                       : "columns are variables, der(…) of them, patterns with *, 'guards' and 'all'");
  }
  return problems;
}

class ColumnChoice {
 public:
  ColumnChoice(const std::vector<VariableInfo>& variables, const system::HybridSystem& system)
      : variables_(variables), system_(system) {
    columns_.n_variables = variables.size();
    columns_.is_plain_ = false;
  }

  Result<Columns> choose(const std::vector<std::string>& items) {
    for (const std::string& text : items) {
      if (text == kAll) {
        add_variables(variables_meant("*", variables_));
      } else if (text == kGuards) {
        add_guards();
      } else if (const Item item = read(text); item.order == 0) {
        add_variables(variables_meant(text, variables_));
      } else {
        add_derivatives(item);
      }
    }
    if (problems_.has_errors()) {
      return Unexpected(std::move(problems_));
    }
    finish();
    return std::move(columns_);
  }

 private:
  enum class Kind { variable, derivative, guard };
  struct Wanted {
    Kind kind;
    std::size_t place;  // of its kind
  };

  void want(Kind kind, std::size_t place, VariableInfo info) {
    wanted_.push_back({kind, place});
    columns_.infos.push_back(std::move(info));
  }

  void add_variables(const std::vector<std::size_t>& places) {
    for (const std::size_t place : places) {
      if (is_new(variables_[place].name)) {
        want(Kind::variable, place, variables_[place]);
      }
    }
  }

  void add_guards() {
    for (std::size_t i = 0; i < system_.guards().size(); ++i) {
      const system::GuardInfo& guard = system_.guards()[i];
      VariableInfo info;
      info.name = fmt::format("guard({})", guard.text);
      info.description = guard.condition;
      if (is_new(info.name)) {
        want(Kind::guard, columns_.guards.size(), std::move(info));
        columns_.guards.push_back(static_cast<Index>(i));
      }
    }
  }

  // A pattern means those that are known, a name must be.
  void add_derivatives(const Item& item) {
    if (!has_known_) {
      known_ = known_derivatives(system_);
      has_known_ = true;
    }
    bool is_any_known = false;
    std::vector<std::size_t> unknown;
    for (const std::size_t place : variables_meant(item.name, variables_)) {
      const system::Quantity quantity{static_cast<Index>(place), item.order};
      const std::string name = derivative_name(variables_[place].name, item.order);
      // A condition that reads a derivative makes a variable of that name.
      if (const auto own = places_of(name); !own.empty()) {
        is_any_known = true;
        add_variables(own);
        continue;
      }
      if (!known_.contains(quantity)) {
        unknown.push_back(place);
        continue;
      }
      is_any_known = true;
      VariableInfo info;
      info.name = name;
      info.unit = variables_[place].unit;
      for (int order = 0; order < item.order; ++order) {
        info.unit = unit_of_rate(info.unit);
      }
      if (is_new(info.name)) {
        want(Kind::derivative, columns_.derivatives.size(), std::move(info));
        columns_.derivatives.push_back(quantity);
      }
    }
    const bool is_pattern = item.name.find('*') != std::string_view::npos;
    if (is_any_known && is_pattern) {
      return;
    }
    for (const std::size_t place : unknown) {
      const std::string name = derivative_name(variables_[place].name, item.order);
      problems_.error(
          kUnknownDerivative, fmt::format("--columns: no equation of the model gives '{}'", name),
          std::nullopt,
          variables_[place].is_discrete ? "the variable changes at events only"
          : item.order > 1 && known_.contains({static_cast<Index>(place), 1})
              ? fmt::format("add a variable with the equation 'v = {}' to the model and ask for 'der(v)'",
                            derivative_name(variables_[place].name, item.order - 1))
              : fmt::format("add a variable with the equation 'v = {}' to the model", name));
    }
  }

  [[nodiscard]] std::vector<std::size_t> places_of(const std::string& name) const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (variables_[i].name == name) {
        places.push_back(i);
      }
    }
    return places;
  }

  bool is_new(const std::string& name) { return names_.insert(name).second; }

  void finish() {
    for (const Wanted& wanted : wanted_) {
      const std::size_t before = wanted.kind == Kind::variable ? 0
                                 : wanted.kind == Kind::derivative
                                     ? columns_.n_variables
                                     : columns_.n_variables + columns_.derivatives.size();
      columns_.order.push_back(before + wanted.place);
    }
  }

  const std::vector<VariableInfo>& variables_;
  const system::HybridSystem& system_;
  Columns columns_;
  std::vector<Wanted> wanted_;
  std::set<std::string> names_;
  std::set<system::Quantity> known_;
  bool has_known_ = false;
  Diagnostics problems_;
};

Result<Columns> choose_columns(const std::vector<std::string>& items,
                               const std::vector<VariableInfo>& variables,
                               const system::HybridSystem& system) {
  if (items.empty()) {
    return Columns::all(variables);
  }
  if (Diagnostics problems = check_columns(items, variables); problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  return ColumnChoice(variables, system).choose(items);
}

}  // namespace saltus::api
