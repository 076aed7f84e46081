#include "api/model/driven_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/open_values.hpp"
#include "base/similar_name.hpp"
#include "flat/table.hpp"

namespace saltus::api {
namespace {

// Names of the inputs of a table that a message lists.
constexpr std::size_t kMostInputsNamed = 3;

bool is_discrete(const flat::Variable& variable) {
  return variable.variability == flat::Variability::discrete;
}

InputRule rule_of(const InputSettings& inputs, const flat::Variable& variable) {
  for (auto own = inputs.rule_of.rbegin(); own != inputs.rule_of.rend(); ++own) {
    if (own->first == variable.name) {
      return own->second;
    }
  }
  // What changes at events only has no line to follow.
  return is_discrete(variable) ? InputRule::hold : inputs.rule.value_or(InputRule::linear);
}

flat::Interpolation interpolation_of(InputRule rule) {
  switch (rule) {
    case InputRule::linear: return flat::Interpolation::linear;
    case InputRule::hold: return flat::Interpolation::hold;
    case InputRule::cubic: return flat::Interpolation::cubic;
  }
  return flat::Interpolation::linear;
}

std::map<std::string_view, VariableId> inputs_by_name(const flat::Model& model) {
  std::map<std::string_view, VariableId> table;
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    if (model.variables[i].causality == flat::Causality::input) {
      table.emplace(model.variables[i].name, VariableId(i));
    }
  }
  return table;
}

class InputCheck {
 public:
  InputCheck(const flat::Model& model, const InputSettings& inputs, const program::ParameterOverrides& set)
      : model_(model), inputs_(inputs), set_(set), known_(inputs_by_name(model)) {
    for (const auto& [name, variable] : known_) {
      candidates_.push_back(name);
    }
  }

  Diagnostics run() {
    for (const InputTable& table : inputs_.tables) {
      for (const InputTable::Column& column : table.columns) {
        check_column(table, column);
      }
    }
    for (const SampledInput& input : inputs_.sampled) {
      check_function(input.name);
    }
    for (const std::string& name : inputs_.tunable) {
      check_tunable(name);
    }
    for (const auto& [name, rule] : inputs_.rule_of) {
      if (known_.count(name) == 0) {
        problems_.error(kUnknownInput, fmt::format("--input-rule: the model has no input '{}'", name),
                        std::nullopt, did_you_mean(name, candidates_));
      }
    }
    return std::move(problems_);
  }

 private:
  void check_tunable(const std::string& name) {
    const auto found = std::find_if(model_.parameters.begin(), model_.parameters.end(),
                                    [&](const flat::Parameter& item) { return item.name == name; });
    if (found == model_.parameters.end()) {
      std::vector<std::string_view> names;
      for (const flat::Parameter& parameter : model_.parameters) {
        names.push_back(parameter.name);
      }
      problems_.error(kUnknownInput, fmt::format("the model has no parameter '{}'", name), std::nullopt,
                      did_you_mean(name, names));
    } else if (found->type != flat::Type::real || found->is_constant || found->is_final ||
               found->is_structural) {
      problems_.error(kCannotBeSet,
                      fmt::format("the parameter '{}' cannot change while the model runs: {}", name,
                                  found->type != flat::Type::real ? "it is not a Real"
                                  : found->is_structural          ? "the structure depends on it"
                                                                  : "it is declared constant or final"));
    }
  }

  void check_function(const std::string& name) {
    const auto found = known_.find(name);
    if (found == known_.end()) {
      problems_.error(kUnknownInput,
                      fmt::format("the model has no input '{}', which a function is given for", name),
                      std::nullopt, did_you_mean(name, candidates_));
      return;
    }
    if (is_discrete(model_[found->second]) || model_[found->second].type != flat::Type::real) {
      problems_.error(
          kWrongInputTable,
          fmt::format("the input '{}' changes at events only: it cannot be a function of time", name));
    }
    if (!seen_.insert(name).second) {
      problems_.error(kWrongInputTable, fmt::format("the input '{}' is given twice", name));
    }
    if (std::any_of(set_.begin(), set_.end(), [&](const auto& item) { return item.first == name; })) {
      problems_.error(kWrongInputTable,
                      fmt::format("the input '{}' has a function and is set besides", name));
    }
  }

  void check_column(const InputTable& table, const InputTable::Column& column) {
    const auto found = known_.find(column.name);
    if (found == known_.end()) {
      problems_.error(kUnknownInput,
                      fmt::format("{}: the model has no input '{}'", table.source, column.name), std::nullopt,
                      did_you_mean(column.name, candidates_));
      return;
    }
    if (!seen_.insert(column.name).second) {
      problems_.error(kWrongInputTable,
                      fmt::format("{}: the input '{}' is given twice", table.source, column.name));
    }
    if (std::any_of(set_.begin(), set_.end(), [&](const auto& item) { return item.first == column.name; })) {
      problems_.error(kWrongInputTable, fmt::format("{}: the input '{}' has a column and is set besides",
                                                    table.source, column.name));
    }
    check_values(table, column, model_[found->second]);
  }

  void check_values(const InputTable& table, const InputTable::Column& column,
                    const flat::Variable& variable) {
    if (column.values.size() != table.times.size()) {
      problems_.error(kWrongInputTable,
                      fmt::format("{}: the input '{}' has {} values at {} times", table.source, column.name,
                                  column.values.size(), table.times.size()));
      return;
    }
    const InputRule rule = rule_of(inputs_, variable);
    if (is_discrete(variable) && rule != InputRule::hold) {
      problems_.error(kWrongInputTable,
                      fmt::format("the input '{}' changes at events only: its rule is 'hold'", column.name));
      return;
    }
    const std::string wrong = flat::table_problem("time", table.times, interpolation_of(rule));
    if (!wrong.empty()) {
      problems_.error(kWrongInputTable,
                      fmt::format("{}: the input '{}': {}", table.source, column.name, wrong));
      return;
    }
    for (const double value : column.values) {
      const bool fits = variable.type == flat::Type::boolean   ? value == 0.0 || value == 1.0
                        : variable.type == flat::Type::integer ? value == std::trunc(value)
                                                               : std::isfinite(value);
      if (!fits) {
        problems_.error(kWrongInputTable,
                        fmt::format("{}: the input '{}' cannot be {}", table.source, column.name, value));
        return;
      }
    }
  }

  const flat::Model& model_;
  const InputSettings& inputs_;
  const program::ParameterOverrides& set_;
  std::map<std::string_view, VariableId> known_;
  std::vector<std::string_view> candidates_;
  std::set<std::string_view> seen_;
  Diagnostics problems_;
};

std::string names_of(const flat::Model& model, const std::vector<VariableId>& inputs) {
  std::string names = inputs.size() > 1 ? "inputs " : "input ";
  for (std::size_t i = 0; i < inputs.size() && i < kMostInputsNamed; ++i) {
    names += (i > 0 ? ", " : "") + model[inputs[i]].name;
  }
  return names + (inputs.size() > kMostInputsNamed ? ", …" : "");
}

// Conditions that hold numbers over segments of time.
class TimeSegments {
 public:
  TimeSegments(flat::Model& model, const std::vector<VariableId>& inputs)
      : model_(model), text_(names_of(model, inputs)), span_(model[inputs.front()].span) {}

  NodeId held(const SharedNumbers& knots, const SharedNumbers& numbers, int continuity) {
    const auto [place, is_new] = made_.try_emplace(numbers.get());
    if (is_new) {
      flat::Condition condition;
      condition.kind = flat::Condition::Kind::segment;
      condition.argument = model_.graph.time();
      condition.knots = knots;
      condition.numbers = numbers;
      condition.continuity = continuity;
      condition.kink = continuity > 0;  // a knot of a spline is no event that a person looks for
      condition.text = text_;
      condition.span = span_;
      model_.conditions.push_back(std::move(condition));
      place->second = model_.graph.condition(ConditionId(model_.conditions.size() - 1));
    }
    return place->second;
  }
  NodeId interpolant(const flat::Pieces& pieces, std::size_t column) {
    return flat::interpolant(model_.graph, model_.graph.time(), pieces, column,
                             [this](const SharedNumbers& knots, const SharedNumbers& numbers,
                                    int continuity) { return held(knots, numbers, continuity); });
  }
  // The coefficients of a column are those of an input.
  void note(const flat::Pieces& pieces, std::size_t column, VariableId input) {
    for (const SharedNumbers& numbers : pieces.coefficients[column]) {
      if (const auto found = made_.find(numbers.get()); found != made_.end()) {
        model_.conditions[model_.graph[found->second].first].input = input;
      }
    }
  }

 private:
  flat::Model& model_;
  std::string text_;
  SourceSpan span_;
  std::map<const Numbers*, NodeId> made_;
};

void give(flat::Model& model, VariableId input, NodeId value) {
  drop_declaration_equation(model, input);
  model.equations.push_back({model.graph.variable(input), value, model[input].span});
  model.variables[input.index()].causality = flat::Causality::local;
}

// The columns of one table that have one rule: they share their knots.
void drive(flat::Model& model, const InputTable& table, InputRule rule, const std::vector<VariableId>& inputs,
           std::span<const Numbers> columns) {
  const flat::Pieces pieces = flat::pieces_of(table.times, columns, interpolation_of(rule));
  TimeSegments segments(model, inputs);
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    give(model, inputs[j], segments.interpolant(pieces, j));
    segments.note(pieces, j, inputs[j]);
  }
}

// Σ iₖ·pₖ, where iₖ is 1 between two breaks: these are events, the knots of pₖ are none.
void drive(flat::Model& model, const SampledInput& sampled, VariableId input) {
  TimeSegments segments(model, {input});
  const auto knots = std::make_shared<const Numbers>(sampled.breaks);
  NodeId value = model.graph.constant(0.0);
  for (std::size_t k = 0; k < sampled.pieces.size(); ++k) {
    NodeId piece = segments.interpolant(sampled.pieces[k], 0);
    if (!sampled.breaks.empty()) {
      Numbers inside(sampled.pieces.size(), 0.0);
      inside[k] = 1.0;
      piece = model.graph.multiply(
          segments.held(knots, std::make_shared<const Numbers>(std::move(inside)), -1), piece);
    }
    value = model.graph.add(value, piece);
    segments.note(sampled.pieces[k], 0, input);
  }
  give(model, input, value);
}

// Equations beyond the unknowns, in the mode that has the most of them. Variables that clauses set need none.
std::ptrdiff_t excess_of_equations(const flat::Model& model) {
  std::set<std::size_t> set_by_clauses;
  for (const flat::WhenClause& clause : model.when_clauses) {
    for (const flat::WhenBranch& branch : clause.branches) {
      for (const flat::Body::Assignment& assignment : branch.body.assignments) {
        set_by_clauses.insert(assignment.variable.index());
      }
    }
  }
  std::ptrdiff_t own = std::ssize(model.equations) - std::ssize(model.variables) + std::ssize(set_by_clauses);
  std::ptrdiff_t most = model.modes.empty() ? 0 : std::numeric_limits<std::ptrdiff_t>::min();
  for (const flat::Mode& mode : model.modes) {
    own += std::ssize(mode.variables);  // those of the other modes are no unknowns here
    most = std::max(most, std::ssize(mode.equations) - std::ssize(mode.variables));
  }
  return own + most;
}

bool same(const SharedNumbers& a, const SharedNumbers& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool same(const std::vector<SharedNumbers>& a, const std::vector<SharedNumbers>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SharedNumbers& x, const SharedNumbers& y) { return same(x, y); });
}

bool same(const flat::Pieces& a, const flat::Pieces& b) {
  return same(a.knots, b.knots) && same(a.origins, b.origins) && a.continuity == b.continuity &&
         same(a.ends, b.ends) && same(a.is_inside, b.is_inside) && same(a.outside, b.outside) &&
         std::equal(a.coefficients.begin(), a.coefficients.end(), b.coefficients.begin(),
                    b.coefficients.end(),
                    [](const std::vector<SharedNumbers>& x, const std::vector<SharedNumbers>& y) {
                      return same(x, y);
                    });
}

bool same(const SampledInput& a, const SampledInput& b) {
  return a.name == b.name && a.breaks == b.breaks &&
         std::equal(a.pieces.begin(), a.pieces.end(), b.pieces.begin(), b.pieces.end(),
                    [](const flat::Pieces& x, const flat::Pieces& y) { return same(x, y); });
}

bool same(const InputTable& a, const InputTable& b) {
  return a.times == b.times && a.source == b.source &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    [](const InputTable::Column& x, const InputTable::Column& y) {
                      return x.name == y.name && x.values == y.values;
                    });
}

}  // namespace

// Values of parameters are bound to what is compiled; only those of what is set from outside, and of what follows from it, stand in equations.
DrivenKey::DrivenKey(std::shared_ptr<const program::CompiledModel> model, const InputSettings& settings,
                     const program::ParameterOverrides& set)
    : base(std::move(model)), inputs(settings) {
  if (settings.is_open || !settings.tunable.empty()) {
    overrides = set;
  }
}

bool operator==(const DrivenKey& a, const DrivenKey& b) {
  const InputSettings& x = a.inputs;
  const InputSettings& y = b.inputs;
  return a.base == b.base && a.overrides == b.overrides && x.rule == y.rule && x.rule_of == y.rule_of &&
         x.is_open == y.is_open && x.tunable == y.tunable &&
         std::equal(x.tables.begin(), x.tables.end(), y.tables.begin(), y.tables.end(),
                    [](const InputTable& p, const InputTable& q) { return same(p, q); }) &&
         std::equal(x.sampled.begin(), x.sampled.end(), y.sampled.begin(), y.sampled.end(),
                    [](const SampledInput& p, const SampledInput& q) { return same(p, q); });
}

Diagnostics check_inputs(const flat::Model& model, const InputSettings& inputs,
                         const program::ParameterOverrides& set) {
  return InputCheck(model, inputs, set).run();
}

Result<std::shared_ptr<const flat::Model>> drive_inputs(const flat::Model& model, const InputSettings& inputs,
                                                        const program::ParameterOverrides& overrides) {
  auto driven = std::make_shared<flat::Model>(model);
  const std::map<std::string_view, VariableId> known = inputs_by_name(model);
  for (const InputTable& table : inputs.tables) {
    std::map<InputRule, std::pair<std::vector<VariableId>, std::vector<Numbers>>> groups;
    for (const InputTable::Column& column : table.columns) {
      const VariableId input = known.at(column.name);
      auto& [variables, values] = groups[rule_of(inputs, model[input])];
      variables.push_back(input);
      values.push_back(column.values);
    }
    for (const auto& [rule, group] : groups) {
      drive(*driven, table, rule, group.first, group.second);
    }
  }
  for (const SampledInput& sampled : inputs.sampled) {
    drive(*driven, sampled, known.at(sampled.name));
  }
  if (inputs.is_open) {
    open_inputs(*driven, overrides);
  }
  if (!inputs.tunable.empty()) {
    open_parameters(*driven, inputs.tunable, overrides);
  }
  if (excess_of_equations(*driven) > 0 && excess_of_equations(model) <= 0) {
    Diagnostics problems(model.source);
    problems.error(
        kWrongInputTable,
        "an equation of the model gives an input already: with what drives the inputs there are more "
        "equations than unknowns",
        model[known.begin()->second].span, "remove the equation, or the column");
    return Unexpected(std::move(problems));
  }
  return std::shared_ptr<const flat::Model>(std::move(driven));
}

Diagnostics warn_of_held_ends(const InputSettings& inputs, double start, double stop) {
  Diagnostics warnings;
  for (const InputTable& table : inputs.tables) {
    const double first = table.times.front();
    const double last = table.times.back();
    if (std::min(start, stop) < first || std::max(start, stop) > last) {
      warnings.warning(
          kInputHeld, fmt::format("{}: the run is from {} to {}, the table from {} to {}: the first and last "
                                  "values are held outside",
                                  table.source, start, stop, first, last));
    }
  }
  return warnings;
}

}  // namespace saltus::api
