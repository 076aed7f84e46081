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
  enum class Section {
    declarations,
    equation,
    initial_equation,
    initial_algorithm,
    algorithm,
    refused_algorithm
  };

  void file_item();
  [[nodiscard]] bool at_class_start(std::size_t ahead = 0) const override;
  void stray_end();

  // Classes.
  void within_clause();
  void class_definition(std::uint32_t parent, bool is_protected);
  void class_prefixes(Class& item);
  /// `model`, `operator record`; false where nothing more is to be read of the class.
  bool class_keyword(Class& item);
  void skip_class(Symbol name);
  void short_definition(Class& item);
  void enumeration(Class& item);
  void extends_clause(Class& item, bool is_protected);
  void import_clause(Class& item);
  void built_in_body(Class& item);
  std::uint32_t class_in_modification(Class item) override;
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
