#include "program/unsupported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "program/diagnostic_codes.hpp"

namespace saltus::program {
namespace {

constexpr std::string_view kEventsNotYet = "events are not run yet";

// Names each place of the text once, although loops repeat it for every element.
class Refusals {
 public:
  explicit Refusals(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void add(const std::string& what, SourceSpan span, std::string hint = {}) {
    if (named_.emplace(span.offset, span.end()).second) {
      diagnostics_.error(kNotSupportedYet, fmt::format("{}: {}", what, kEventsNotYet), span, std::move(hint));
    }
  }

  /// The places named so far: from the begin of each to the next, the furthest end of those that began before.
  [[nodiscard]] std::map<std::uint32_t, std::uint32_t> covered() const {
    std::map<std::uint32_t, std::uint32_t> furthest;
    std::uint32_t end = 0;
    for (const auto& [begin, own_end] : named_) {
      end = std::max(end, own_end);
      furthest[begin] = end;
    }
    return furthest;
  }

 private:
  Diagnostics& diagnostics_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> named_;  // begin, end
};

std::string name_of(const flat::Condition& condition) {
  return condition.text.empty() ? std::string("a condition")
                                : fmt::format("the condition '{}'", condition.text);
}

// A condition of a clause that was named needs no word of its own.
void check_conditions(const flat::Model& model, ParameterValues& parameters, Refusals& refusals) {
  const std::map<std::uint32_t, std::uint32_t> covered = refusals.covered();
  const auto is_covered = [&covered](SourceSpan span) {
    const auto next = covered.upper_bound(span.offset);
    return next != covered.begin() && std::prev(next)->second >= span.end();
  };
  for (const flat::Condition& condition : model.conditions) {
    if (!is_covered(condition.span) && !parameters.of(condition)) {
      refusals.add(fmt::format("{} changes during the run", name_of(condition)), condition.span,
                   "noEvent(...) around the expression runs it without an event");
    }
  }
}

void check_assertions(const flat::Model& model, ParameterValues& parameters, Refusals& refusals,
                      Diagnostics& diagnostics) {
  for (const flat::Assertion& assertion : model.assertions) {
    const std::optional<double> holds = parameters.of(assertion.condition);
    if (!holds) {
      refusals.add("assert watches a condition", assertion.span);
    } else if (*holds == 0.0) {
      diagnostics.error(kAssertionFailed, fmt::format("assertion failed: {}", assertion.message),
                        assertion.span);
    }
  }
}

// pre(v) outside when clauses.
void check_previous(const flat::Model& model, Refusals& refusals) {
  for (std::size_t i = 0; i < model.graph.size(); ++i) {
    const expr::Node& node = model.graph[NodeId(i)];
    if (node.op == expr::Op::previous) {
      const flat::Variable& variable = model.variables[node.first];
      refusals.add(fmt::format("pre({}) is the value before an event", variable.name), variable.span);
    }
  }
}

}  // namespace

Diagnostics find_unsupported(const flat::Model& model, ParameterValues& parameters) {
  Diagnostics diagnostics(model.source);
  Refusals refusals(diagnostics);
  for (const flat::Mode& mode : model.modes) {
    refusals.add(fmt::format("mode '{}'", mode.name), mode.span);
  }
  for (const flat::WhenClause& clause : model.when_clauses) {
    refusals.add("a when clause", clause.span);
  }
  for (const flat::Body::Message& terminate : model.terminates) {
    refusals.add("terminate", terminate.span);
  }
  if (!diagnostics.has_errors()) {
    check_previous(model, refusals);
  }
  check_assertions(model, parameters, refusals, diagnostics);
  check_conditions(model, parameters, refusals);
  return diagnostics;
}

}  // namespace saltus::program
