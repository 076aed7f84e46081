/// Expressions of ModelBuilder: trees that are written as text of the language.
///
/// Choices    the language is the one place that says what a relation, an abs or a clause means; so a builder makes text, and its diagnostics
///            are those of the language, with places in that text. Trees share their parts, texts do not: what is used again and again gets a name, as a
///            variable of the model.
/// Fails when the text would be longer than kLongestExpression, or a number is not finite: expression_problem()
/// Checked by tests/unit/api/model_builder_test.cpp
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "saltus/model_builder.hpp"

namespace saltus::api {

/// Characters of one expression; a person or a loop writes less.
inline constexpr std::size_t kLongestExpression = 10'000'000;

/// How tightly an operator binds (Modelica 3.2): what stands inside another of the same or a tighter one needs parentheses.
enum class Binding : int {
  choice,
  disjunction,
  conjunction,
  negation,
  relation,
  sum,
  product,
  power,
  primary
};

struct ExpressionNode {
  enum class Form { word, prefix, infix, call, choice, braces };
  Form form = Form::word;
  std::string text;  ///< of a word; operator; name of a function
  Binding binding = Binding::primary;
  std::vector<std::shared_ptr<const ExpressionNode>> parts = {};
  bool is_finite = true;
  std::size_t length = 0;  ///< of the text, about; saturates

  ExpressionNode() = default;
  ExpressionNode(const ExpressionNode&) = delete;
  ExpressionNode& operator=(const ExpressionNode&) = delete;
  /// Not by recursion: a sum of a million terms is a chain of that depth.
  ~ExpressionNode();
};

/// Why it cannot be written; empty: it can.
[[nodiscard]] std::string expression_problem(const Expression& expression);
/// `least`: what binds less tightly is put in parentheses.
[[nodiscard]] std::string expression_text(const Expression& expression, Binding least = Binding::choice);

}  // namespace saltus::api
