#include "program/unsupported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/time_tolerance.hpp"
#include "expr/dependency.hpp"
#include "flat/start_clause.hpp"
#include "program/guards/diagnostic_codes.hpp"

namespace saltus::program {
namespace {

void check_assertions(const flat::Model& model, ParameterValues& parameters, Diagnostics& diagnostics) {
  for (const flat::Assertion& assertion : model.assertions) {
    const std::optional<double> holds = parameters.of(assertion.condition);
    if (holds && *holds == 0.0 && !assertion.is_warning) {
      diagnostics.error(kAssertionFailed, fmt::format("assertion failed: {}", assertion.message),
                        assertion.span);
    }
  }
}

// pre(x) of a continuous variable has a meaning in bodies only.
void check_previous(std::span<const flat::Equation> equations, const std::vector<char>& has_previous,
                    Diagnostics& diagnostics) {
  for (const flat::Equation& equation : equations) {
    if (has_previous[equation.left.index()] != 0 || has_previous[equation.right.index()] != 0) {
      diagnostics.error(kNotSupportedYet,
                        "pre(…) of a continuous variable in an equation that always holds is not supported",
                        equation.span, "use it in the body of a when clause or a transition");
    }
  }
}

std::vector<char> find_previous_of_continuous(const flat::Model& model) {
  std::vector<char> found(model.graph.size(), 0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const expr::Node& node = model.graph[NodeId(i)];
    found[i] = node.op == expr::Op::previous &&
               model.variables[node.first].variability == flat::Variability::continuous;
    for (int k = 0; k < expr::n_operands(node.op); ++k) {
      found[i] = static_cast<char>(found[i] | found[node.operand(k)]);
    }
  }
  return found;
}

// Instants of a clock are numbered; beyond this numbers are not exact, and times of that size in intervals not told apart.
constexpr double kMostInstants = 1.0 / (2.0 * kInstantUlps * std::numeric_limits<double>::epsilon());

void check_clocks(const flat::Model& model, ParameterValues& parameters, Diagnostics& diagnostics) {
  for (const flat::Condition& condition : model.conditions) {
    if (condition.kind != flat::Condition::Kind::sample) {
      continue;
    }
    const std::optional<double> start = parameters.of(condition.argument);
    const std::optional<double> interval = parameters.of(condition.interval);
    if (!start || !interval) {
      diagnostics.error(kNotSupportedYet,
                        "sample with a start or interval that changes during the run is not supported",
                        condition.span, "use parameters, or a condition on time");
    } else if (!(*interval > 0.0)) {
      diagnostics.error(kSampleInterval, "the interval of sample must be positive", condition.span);
    } else if (!std::isfinite(*start) || !std::isfinite(*interval)) {
      diagnostics.error(kSampleInterval, "start and interval of sample must be finite numbers",
                        condition.span);
    } else if (std::abs(*start) / *interval > kMostInstants) {
      diagnostics.error(kSampleInterval,
                        fmt::format("sample({:g}, {:g}): the instants near the start cannot be told apart",
                                    *start, *interval),
                        condition.span, "give a start nearer to zero, or a larger interval");
    }
  }
}

// initial() is false in all rounds: where it is one operand among others the clause is not one of the start (Modelica 8.6).
void check_initial(const flat::Model& model, Diagnostics& diagnostics) {
  for (const flat::WhenClause& clause : model.when_clauses) {
    for (const flat::WhenBranch& branch : clause.branches) {
      if (flat::is_at_start(model, branch)) {
        continue;
      }
      std::vector<NodeId> conditions = branch.vector_elements;
      if (conditions.empty()) {
        conditions.push_back(branch.condition);
      }
      const std::vector<NodeId> leaves = expr::leaves_of(model.graph, conditions);
      if (std::any_of(leaves.begin(), leaves.end(),
                      [&model](NodeId leaf) { return flat::is_initial_call(model, leaf); })) {
        diagnostics.warning(kInitialInCondition,
                            fmt::format("'{}' does not fire at the start: only 'when initial()' and "
                                        "'when {{…, initial(), …}}' do",
                                        branch.text.empty() ? "a condition with initial()" : branch.text),
                            branch.span, "write initial() as an element of a vector of conditions");
      }
    }
  }
}

}  // namespace

Diagnostics check_values(const flat::Model& model, ParameterValues& parameters) {
  Diagnostics diagnostics(model.source);
  check_assertions(model, parameters, diagnostics);
  check_clocks(model, parameters, diagnostics);
  return diagnostics;
}

Diagnostics find_unsupported(const flat::Model& model) {
  Diagnostics diagnostics(model.source);
  check_initial(model, diagnostics);
  const std::vector<char> has_previous = find_previous_of_continuous(model);
  check_previous(model.equations, has_previous, diagnostics);
  for (const flat::Mode& mode : model.modes) {
    check_previous(mode.equations, has_previous, diagnostics);
  }
  return diagnostics;
}

}  // namespace saltus::program
