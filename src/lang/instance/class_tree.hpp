/// The classes as they are written, in files and folders; nothing is instantiated.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/instance/class_library.hpp"
#include "lang/instance/reports.hpp"
#include "lang/syntax/dialect.hpp"

namespace saltus::lang {

/// One definition.
struct ClassDef {
  const ClassFile* file =
      nullptr;                  ///< null: the top of all classes, or a package that is only named by 'within'
  const Class* text = nullptr;  ///< null as `file`
  ClassDef* parent = nullptr;   ///< null: the top
  Name name;
  std::string path;                 ///< "Modelica.Electrical.Analog.Basic.Resistor"
  std::string folder;               ///< where further classes of it are found; empty: nowhere
  std::vector<ClassDef*> in_order;  ///< of the text
  std::unordered_map<Name, ClassDef*> classes;
  std::unordered_set<Name> missing;  ///< looked for in the folder in vain
  bool refusals_told = false;
  bool rules_told = false;

  [[nodiscard]] FilePlace place() const {
    return text == nullptr ? FilePlace{} : FilePlace{file, text->name_span};
  }
  [[nodiscard]] ClassKind kind() const { return text == nullptr ? ClassKind::package : text->kind; }
};

class ClassTree {
 public:
  /// `library` may be null.
  ClassTree(const ClassLibrary* library, Reports& reports);

  [[nodiscard]] ClassDef& root() { return defs_.front(); }
  /// The classes of a text that was read, at the place that its 'within' names.
  const ClassFile& add(std::shared_ptr<const SourceText> source, Ast ast);
  /// The class that is written in another one; files are read as they are needed. Null: there is none.
  ClassDef* find(ClassDef& in, Name name);
  /// The definition of a class of a file.
  [[nodiscard]] ClassDef* of(const ClassFile& file, std::uint32_t index) const;
  /// By its full name; null: there is none.
  ClassDef* find_path(std::string_view path);
  /// Says what is not supported in the text of this class, once.
  void tell_refusals(ClassDef& def);

  [[nodiscard]] Name intern(std::string_view text);
  [[nodiscard]] const std::string& text(Name name) const { return texts_[name.index()]; }

 private:
  const ClassFile& add_file(std::shared_ptr<const SourceText> source, Ast ast, ClassDef& parent,
                            const std::string& folder, Name only);
  ClassDef& package_of(std::string_view path);

  const ClassLibrary* library_;
  Reports& reports_;
  std::deque<ClassFile> files_;
  std::deque<ClassDef> defs_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, Name> names_;
  std::vector<std::vector<ClassDef*>> defs_of_file_;
};

}  // namespace saltus::lang
