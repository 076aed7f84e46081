// Declarations of variables, modifications, annotations.
#pragma once

#include <vector>

#include "lang/syntax/expression_parser.hpp"

namespace saltus::lang {

class DeclarationParser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

 protected:
  struct DeclarationPlace {
    bool in_function = false;
    bool is_protected = false;
  };
  /// `parameter Real x(start = 1) = 2 "text", y;` with its semicolon.
  void component_clause(std::vector<Component>& components, DeclarationPlace place);
  [[nodiscard]] bool at_declaration_prefix() const;
  /// `(start = 1, each fixed = true)`
  List<Modification> class_modification();
  /// `annotation(...)` without a semicolon; empty if there is none here.
  List<Modification> annotation();
  /// `a.b.c` joined into one symbol.
  Symbol dotted_name(std::string_view what, SourceSpan* span);
  /// `constrainedby Base(k = 1) "text"`, where it is written.
  void constraining_clause(Constraint& constraint);

  // What a modification shares with classes.
  [[nodiscard]] virtual bool at_class_start(std::size_t ahead = 0) const = 0;
  /// `model A = B(k = 1)` after the prefixes that `item` has; its index in Ast::classes, kNoIndex after an error.
  virtual std::uint32_t class_in_modification(Class item) = 0;

 private:
  /// What the components of one clause share.
  struct Clause {
    Component shared;
    List<ExpressionId> type_dimensions;
    bool has_prefix = false;
  };
  void prefixes(Clause& clause);
  void variability_prefix(Clause& clause, VariabilityPrefix prefix);
  void causality_prefix(Clause& clause, CausalityPrefix prefix);
  void type_of_clause(Clause& clause);
  bool type_is_missing(const Clause& clause) const;
  bool component(const Clause& clause, std::vector<Component>& components, DeclarationPlace place);
  void declared_name(Component& item);
  void dimensions(const Clause& clause, Component& item);
  void declaration_equation(Component& item, DeclarationPlace place);
  bool modification(ListBuilder<Modification>& list);
  void redeclaration(ListBuilder<Modification>& list, Modification item, SourceSpan start);
};

}  // namespace saltus::lang
