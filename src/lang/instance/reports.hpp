/// What is wrong, with places in several files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/syntax/ast.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::lang {

/// An identifier, interned over all files.
using Name = Id<struct NameTag>;

/// A file that has been read.
struct ClassFile {
  std::shared_ptr<const SourceText> source;
  Ast ast;
  std::vector<Name> names;  ///< of its symbols
  std::uint32_t index = 0;  ///< among all files
};

struct FilePlace {
  const ClassFile* file = nullptr;  ///< null: nowhere in a text
  SourceSpan span = {};
};

class Reports {
 public:
  struct Note {
    std::string message;
    FilePlace place;
  };
  struct Item {
    Severity severity = Severity::error;
    std::string code;
    std::string message;
    FilePlace place;
    std::string hint;
    std::vector<Note> notes;
  };
  /// One problem is reported once for each place, however many components have it.
  Item& error(DiagnosticCode code, std::string message, FilePlace place, std::string hint = {});
  /// What does not hinder.
  void warn(DiagnosticCode code, std::string message, FilePlace place);
  /// Those of a text that was read, which are places in `file`.
  void add(const Diagnostics& found, const ClassFile& file);

  [[nodiscard]] bool has_errors() const { return n_errors_ > 0; }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

 private:
  std::vector<Item> items_;
  Item unsaid_;
  std::size_t n_errors_ = 0;
};

}  // namespace saltus::lang
