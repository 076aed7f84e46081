#include "program/unsupported.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "program/diagnostic_codes.hpp"

namespace saltus::program {
namespace {

constexpr std::string_view kEventsNotYet = "events are not run yet";

void refuse(Diagnostics& diagnostics, const std::string& what, SourceSpan span, std::string hint = {}) {
  diagnostics.error(kNotSupportedYet, fmt::format("{}: {}", what, kEventsNotYet), span, std::move(hint));
}

std::string name_of(const flat::Condition& condition) {
  return condition.text.empty() ? std::string("a condition")
                                : fmt::format("the condition '{}'", condition.text);
}

void check_conditions(const flat::Model& model, ParameterValues& parameters, Diagnostics& diagnostics) {
  for (const flat::Condition& condition : model.conditions) {
    if (!parameters.of(condition)) {
      refuse(diagnostics, fmt::format("{} changes during the run", name_of(condition)), condition.span,
             "noEvent(...) around the expression runs it without an event");
    }
  }
}

void check_assertions(const flat::Model& model, ParameterValues& parameters, Diagnostics& diagnostics) {
  for (const flat::Assertion& assertion : model.assertions) {
    const std::optional<double> holds = parameters.of(assertion.condition);
    if (!holds) {
      refuse(diagnostics, "assert watches a condition", assertion.span);
    } else if (*holds == 0.0) {
      diagnostics.error(kAssertionFailed, fmt::format("assertion failed: {}", assertion.message),
                        assertion.span);
    }
  }
}

// pre(v) outside when clauses.
void check_previous(const flat::Model& model, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < model.graph.size(); ++i) {
    const expr::Node& node = model.graph[NodeId(i)];
    if (node.op == expr::Op::previous) {
      const flat::Variable& variable = model.variables[node.first];
      refuse(diagnostics, fmt::format("pre({}) is the value before an event", variable.name), variable.span);
    }
  }
}

}  // namespace

Diagnostics find_unsupported(const flat::Model& model, ParameterValues& parameters) {
  Diagnostics diagnostics(model.source);
  for (const flat::Mode& mode : model.modes) {
    refuse(diagnostics, fmt::format("mode '{}'", mode.name), mode.span);
  }
  for (const flat::WhenClause& clause : model.when_clauses) {
    refuse(diagnostics, "a when clause", clause.span);
  }
  for (const flat::Body::Message& terminate : model.terminates) {
    refuse(diagnostics, "terminate", terminate.span);
  }
  if (!diagnostics.has_errors()) {
    check_previous(model, diagnostics);
  }
  check_conditions(model, parameters, diagnostics);
  check_assertions(model, parameters, diagnostics);
  return diagnostics;
}

}  // namespace saltus::program
