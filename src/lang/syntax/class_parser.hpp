// Files, classes and modes.
#pragma once

#include <string>

#include "lang/syntax/statement_parser.hpp"

namespace saltus::lang {

class ClassParser : public StatementParser {
 public:
  using StatementParser::StatementParser;

  /// The whole text.
  Ast file();
  /// Of the text read by file().
  [[nodiscard]] Damage damage() { return take_damage(); }

 private:
  enum class Section { declarations, equation, initial_equation, algorithm, refused_algorithm };

  void file_item();
  [[nodiscard]] bool at_class_start(std::size_t ahead = 0) const;
  void stray_end();

  // Classes.
  void class_definition(std::uint32_t parent);
  void class_prefixes();
  void refuse_class(std::uint32_t parent);
  void skip_class(Symbol name);
  void type_alias(Class& item);
  void class_body(Class& item, std::uint32_t index);
  bool class_item(Class& item, std::uint32_t index, Section& section, bool& is_protected);
  bool section_keyword(Class& item, Section& section, bool& is_protected);
  void declaration_item(Class& item, Section& section, bool is_protected);
  void equation_item(Class& item, Section section);
  void annotation_item(std::vector<Modification>& annotations);
  [[nodiscard]] bool at_misplaced_equation() const;
  bool repair_class_item(const Class& item, Section section);
  void repair_mode_words();

  // Modes.
  void mode_item(Class& item);
  void mode_head(Mode& mode);
  void mode_body(Mode& mode);
  bool mode_body_item(Mode& mode, bool& in_equations);
  void transition(Mode& mode);

  bool modes_refused_ = false;
};

}  // namespace saltus::lang
