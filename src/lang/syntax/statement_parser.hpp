// Equations and the statements of algorithms.
#pragma once

#include <string>
#include <vector>

#include "lang/syntax/declaration_parser.hpp"

namespace saltus::lang {

class StatementParser : public DeclarationParser {
 public:
  using DeclarationParser::DeclarationParser;

 protected:
  enum class StatementPlace { equation, algorithm };

  /// Statements up to the `end`, `else` or section keyword that ends them.
  void statements(ListBuilder<Statement>& list, StatementPlace place);
  [[nodiscard]] bool at_end_of_statements() const;
  /// One statement with its semicolon; nothing is added where the text is none.
  void statement(ListBuilder<Statement>& list, StatementPlace place);

  /// Declarations found among equations, which are reported and kept so that their names are known.
  std::vector<Component> misplaced_components_;

 private:
  void connect_equation(ListBuilder<Statement>& list, StatementPlace place);
  void simple_statement(ListBuilder<Statement>& list, StatementPlace place);
  bool repair_statement(std::size_t start);
  void comparison_as_equation(Statement& item);
  void finish_statement(ListBuilder<Statement>& list, Statement item, SourceSpan start);
  void branches(ListBuilder<Statement>& list, StatementPlace place);
  void for_block(ListBuilder<Statement>& list, StatementPlace place);
  void while_block(ListBuilder<Statement>& list, StatementPlace place);
  void jump_statement(ListBuilder<Statement>& list, StatementPlace place);
  [[nodiscard]] bool at_misplaced_declaration() const;
  List<Statement> body(StatementPlace place);

  int n_loops_ = 0;  ///< around the statement that is read
};

}  // namespace saltus::lang
