#include "structure/structural_report.hpp"

#include <algorithm>

#include "flat/expression_printer.hpp"
#include "structure/match/names.hpp"
#include "structure/match/offsets.hpp"

namespace saltus::structure {
namespace {

void add_offsets(flat::Model& model, const Causalized& causalized, StructuralReport& report) {
  std::vector<std::uint32_t> column_of_variable(model.variables.size(), kNone);
  for (std::uint32_t column = 0; column < report.variables.size(); ++column) {
    column_of_variable[report.variables[column].variable.index()] = column;
  }
  const Signature signature = find_signature(model.graph, causalized.written, column_of_variable,
                                             static_cast<std::uint32_t>(report.variables.size()));
  const auto assignment = highest_value_transversal(signature);
  if (!assignment) {
    return;
  }
  const Offsets offsets = smallest_offsets(signature, assignment->matching);
  report.has_offsets = true;
  report.structural_index = offsets.structural_index();
  report.degrees_of_freedom = offsets.degrees_of_freedom();
  for (std::size_t i = 0; i < report.equations.size(); ++i) {
    report.equations[i].differentiations = offsets.differentiations[i];
  }
  for (std::size_t j = 0; j < report.variables.size(); ++j) {
    report.variables[j].highest_order = offsets.highest_orders[j];
  }
}

std::string without_quotes(std::string text) {
  const bool is_quoted = text.size() > 2 && text.front() == '\'' && text.back() == '\'';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::string readable(flat::ExpressionPrinter& printer, const flat::Equation& equation) {
  std::string text;
  printer.write(equation.left, false, text, true);
  text += " = ";
  printer.write(equation.right, false, text);
  return text;
}

}  // namespace

StructuralReport structural_report(flat::Model& model, const Causalized& causalized) {
  StructuralReport report;
  for (const flat::Equation& equation : causalized.written) {
    report.equations.push_back(
        {.text = without_quotes(quote(model, equation)), .span = equation.span, .differentiations = 0});
  }
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    if (causalized.highest_orders[i] >= 0) {
      report.variables.push_back({.variable = VariableId(i), .highest_order = causalized.written_orders[i]});
    }
  }
  for (const Unknown& state : causalized.states) {
    report.states.push_back(name_of(model, state));
  }
  if (causalized.needs_ranks) {
    return report;
  }
  add_offsets(model, causalized, report);
  flat::ExpressionPrinter printer(model, flat::ExpressionPrinter::Form::readable);
  for (const Constraint& constraint : causalized.constraints) {
    report.constraints.push_back(
        {.origin = constraint.origin, .text = readable(printer, constraint.equation)});
  }
  std::stable_sort(report.constraints.begin(), report.constraints.end(),
                   [](const auto& a, const auto& b) { return a.origin.order < b.origin.order; });
  report.n_blocks = causalized.blocks.size();
  for (const Block& block : causalized.blocks) {
    if (block.unknowns.size() > 1) {
      report.block_sizes.push_back(block.unknowns.size());
    }
  }
  return report;
}

}  // namespace saltus::structure
