#include "api/analysis/analysis_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "expr/taylor.hpp"
#include "flat/expression_printer.hpp"

namespace saltus::api {
namespace {

// Of a combination, parts smaller than this beside the largest are rounding or say little to a person.
constexpr double kSmallPart = 1e-8;
// Texts of differentiated equations longer than this are cut: JSON and the table are for people.
constexpr std::size_t kLongestText = 400;

std::string shortened(std::string text) {
  return text.size() <= kLongestText ? text : text.substr(0, kLongestText) + " …";
}

std::string equation_text(flat::ExpressionPrinter& printer, const flat::Equation& equation) {
  std::string text;
  printer.write(equation.left, false, text, true);
  text += " = ";
  printer.write(equation.right, false, text);
  return shortened(std::move(text));
}

}  // namespace

std::vector<std::string> hidden_constraints(flat::Model& model, const structure::Causalized& causalized,
                                            int index) {
  std::vector<flat::Equation> derivatives;
  const auto rests = [&model](const expr::Node& leaf) {
    return model.variables[leaf.first].variability == flat::Variability::discrete;
  };
  for (const structure::Constraint& constraint : causalized.constraints) {
    if (constraint.origin.order > 0) {
      continue;
    }
    // One differentiation at a time: normalised coefficients of higher order would fill the text with factors.
    flat::Equation equation = constraint.equation;
    const int c = causalized.differentiations[constraint.origin.equation];
    for (int order = 1; order <= std::min(index, c); ++order) {
      expr::TaylorExpansion expansion(model.graph, {.coefficient = {}, .rests = rests});
      equation.left = expansion.total_derivative(equation.left, 1);
      equation.right = expansion.total_derivative(equation.right, 1);
      derivatives.push_back(equation);
    }
  }
  std::vector<std::string> texts;
  flat::ExpressionPrinter printer(model, flat::ExpressionPrinter::Form::readable);
  for (const flat::Equation& equation : derivatives) {
    texts.push_back(equation_text(printer, equation));
  }
  return texts;
}

std::vector<std::string> combinations(const reduce::CharacteristicValues& values) {
  std::vector<std::string> texts;
  for (Index column = 0; column < values.z2.columns(); ++column) {
    double largest = 0.0;
    for (Index row = 0; row < values.z2.rows(); ++row) {
      largest = std::max(largest, std::abs(values.z2(row, column)));
    }
    std::string text;
    for (Index row = 0; row < values.z2.rows(); ++row) {
      const double factor = values.z2(row, column) / largest;
      if (!(std::abs(factor) > kSmallPart)) {
        continue;
      }
      const std::string& name = values.rows[static_cast<std::size_t>(row)];
      const std::string sign = text.empty() ? (factor < 0.0 ? "-" : "") : (factor < 0.0 ? " - " : " + ");
      const bool is_one = std::abs(std::abs(factor) - 1.0) < kSmallPart;
      text += is_one ? fmt::format("{}[{}]", sign, name)
                     : fmt::format("{}{:.6g}*[{}]", sign, std::abs(factor), name);
    }
    texts.push_back(shortened(std::move(text)));
  }
  return texts;
}

}  // namespace saltus::api
