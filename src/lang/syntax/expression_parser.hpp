// Expressions, as in the grammar of Modelica 3.6, section A.2.7.
#pragma once

#include "lang/syntax/parser_base.hpp"

namespace saltus::lang {

class ExpressionParser : public ParserBase {
 public:
  using ParserBase::ParserBase;

 protected:
  /// `if … then … else …` or a simple expression. Never invalid: of kind error after a failure.
  ExpressionId expression();
  /// Without a leading `if`: what an equation may begin with.
  ExpressionId simple_expression();
  /// An expression in a place where a truth value is meant; `=` for `==` is reported as such.
  ExpressionId condition();
  /// `[n, :]` after the name of a declaration or type.
  List<ExpressionId> subscripts();
  /// `i in 1:N, j in 1:M`
  List<Iterator> iterators();
  /// The value of a string token and those joined to it by `+`.
  StringId description();

 private:
  ExpressionId conditional();
  ExpressionId logical_expression();
  ExpressionId logical_term();
  ExpressionId logical_factor();
  ExpressionId relation();
  ExpressionId arithmetic();
  ExpressionId signed_term();
  ExpressionId term();
  ExpressionId signed_factor();
  ExpressionId factor();
  ExpressionId primary();
  ExpressionId no_primary();
  ExpressionId integer_literal();
  ExpressionId real_literal();
  ExpressionId name_or_call();
  ExpressionId call(Symbol function, SourceSpan function_span);
  ExpressionId array_of(const Call& call, SourceSpan span);
  ExpressionId members_of(ExpressionId value, SourceSpan start);
  bool argument(ListBuilder<Argument>& arguments, List<Iterator>& loop);
  ExpressionId parentheses();
  ExpressionId braces();
  ExpressionId matrix();
  ExpressionId matrix_row();
  template <class Next, class OperatorOf>
  ExpressionId chain(Next next, OperatorOf operator_of);

  [[nodiscard]] SourceSpan span_of(ExpressionId id) const { return builder_.ast()[id].span; }

  int open_subscripts_ = 0;  ///< inside them `end` is the last index
};

}  // namespace saltus::lang
