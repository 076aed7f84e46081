#include "api/traced/traced_program.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "base/similar_name.hpp"

namespace saltus {
namespace api {
namespace {

// Another point, for numbers that should not enter the equations: irregular, so that no two of them agree by chance.
double moved(double value, std::size_t number) {
  constexpr double kStep = 0.0137;                   // near enough to go where the start values go
  constexpr double kIrregular = 0.6180339887498949;  // the golden section: its multiples are spread evenly
  const double fraction = std::fmod(static_cast<double>(number + 1) * kIrregular, 1.0);
  return value + kStep * (1.0 + fraction) * (1.0 + std::abs(value));
}

[[noreturn]] void no_such(std::string_view what, std::string_view name,
                          const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string hint = did_you_mean(name, candidates);
  throw std::invalid_argument(
      fmt::format("the model has no {} '{}'{}{}", what, name, hint.empty() ? "" : "; ", hint));
}

}  // namespace

TracedProgram::TracedProgram(const flat::Model& declarations, TracedFunction function,
                             std::size_t n_residuals)
    : function_(std::move(function)),
      n_residuals_(n_residuals),
      start_time_(declarations.experiment.start.value_or(0.0)),
      exploration_([this](trace::TraceGraph& graph, const trace::Answers& answers,
                          bool elsewhere) { return run(graph, answers, elsewhere); },
                   [this](const expr::Node& leaf) { return name_of(leaf); }) {
  program::ParameterValues values(declarations);
  for (std::size_t i = 0; i < declarations.variables.size(); ++i) {
    const flat::Variable& variable = declarations.variables[i];
    const double start = variable.start ? values.of(*variable.start).value_or(0.0) : 0.0;
    variable_names_.push_back(variable.name);
    variables_.push_back(
        {{.op = expr::Op::variable, .first = static_cast<std::uint32_t>(i)}, variable.type, start});
    if (!variable.mode.valid()) {
      variable_of_.emplace(variable.name, static_cast<std::uint32_t>(i));
    }
    if (!variable.mode.valid() && variable.variability == flat::Variability::continuous &&
        variable.causality != flat::Causality::input) {
      continuous_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  for (std::size_t i = 0; i < declarations.parameters.size(); ++i) {
    const flat::Parameter& parameter = declarations.parameters[i];
    parameter_names_.push_back(parameter.name);
    parameters_.push_back({{.op = expr::Op::parameter, .first = static_cast<std::uint32_t>(i)},
                           parameter.type,
                           values.of(ParameterId(i)).value_or(0.0)});
    parameter_of_.emplace(parameter.name, static_cast<std::uint32_t>(i));
  }
}

const TracedProgram::Leaf& TracedProgram::variable(std::string_view name) const {
  const auto found = variable_of_.find(std::string(name));
  if (found == variable_of_.end()) {
    no_such("variable", name, variable_names_);
  }
  return variables_[found->second];
}

const TracedProgram::Leaf& TracedProgram::parameter(std::string_view name) const {
  const auto found = parameter_of_.find(std::string(name));
  if (found == parameter_of_.end()) {
    no_such("parameter", name, parameter_names_);
  }
  return parameters_[found->second];
}

std::vector<const TracedProgram::Leaf*> TracedProgram::elements(std::string_view name) const {
  std::vector<const Leaf*> list;
  for (std::size_t i = 1;; ++i) {
    const auto found = variable_of_.find(fmt::format("{}[{}]", name, i));
    if (found == variable_of_.end()) {
      break;
    }
    list.push_back(&variables_[found->second]);
  }
  if (list.empty()) {
    no_such("array", name, variable_names_);
  }
  return list;
}

std::string TracedProgram::name_of(const expr::Node& leaf) const {
  if (leaf.op == expr::Op::parameter) {
    return parameter_names_[leaf.first];
  }
  const std::string& name = variable_names_[leaf.first];
  return leaf.second == 0 ? name : fmt::format("der({})", name);
}

trace::Recording TracedProgram::run(trace::TraceGraph& graph, const trace::Answers& answers,
                                    bool elsewhere) const {
  return trace::Recorder::record(
      graph,
      [&](trace::Recorder& recorder, std::span<Real> residual) {
        const TracePoint point{this, &recorder, elsewhere};
        function_(State(point), residual);
      },
      n_residuals_, answers);
}

namespace {

Real leaf_at(const TracePoint& point, const TracedProgram::Leaf& leaf, std::uint32_t derivative = 0) {
  expr::Node node = leaf.node;
  double value = leaf.value;
  if (derivative > 0) {
    node.second = derivative;
    value = 0.0;
  }
  return point.recorder->leaf(node, point.elsewhere ? moved(value, node.first) : value);
}

}  // namespace
}  // namespace api

Real State::operator()(std::string_view name) const {
  return api::leaf_at(point_, point_.program->variable(name));
}

Real State::der(std::string_view name) const {
  return api::leaf_at(point_, point_.program->variable(name), 1);
}

std::size_t State::size() const {
  return point_.program->continuous().size();
}

Real State::operator[](std::size_t i) const {
  return api::leaf_at(point_, point_.program->variable(point_.program->continuous().at(i)));
}

Real State::der(std::size_t i) const {
  return api::leaf_at(point_, point_.program->variable(point_.program->continuous().at(i)), 1);
}

std::vector<Real> State::array(std::string_view name) const {
  std::vector<Real> list;
  for (const api::TracedProgram::Leaf* leaf : point_.program->elements(name)) {
    list.push_back(api::leaf_at(point_, *leaf));
  }
  return list;
}

std::vector<Real> State::der_array(std::string_view name) const {
  std::vector<Real> list;
  for (const api::TracedProgram::Leaf* leaf : point_.program->elements(name)) {
    list.push_back(api::leaf_at(point_, *leaf, 1));
  }
  return list;
}

Real State::parameter(std::string_view name) const {
  return api::leaf_at(point_, point_.program->parameter(name));
}

Real State::time() const {
  const double start = point_.program->start_time();
  return point_.recorder->leaf({.op = expr::Op::time}, point_.elsewhere ? api::moved(start, 0) : start);
}

bool State::is(std::string_view name) const {
  const api::TracedProgram::Leaf& leaf = point_.program->variable(name);
  if (leaf.type != flat::Type::boolean) {
    throw std::invalid_argument(fmt::format("'{}' is not a Boolean variable", name));
  }
  return point_.recorder->is_true(leaf.node, leaf.value);
}

}  // namespace saltus
