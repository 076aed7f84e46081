#include "lang/instance/class_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/instance/instance_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"
#include "lang/syntax/parser.hpp"

namespace saltus::lang {
namespace {

/// Types that the language has besides Real, Integer, Boolean and String (Modelica 4.9.8).
constexpr std::string_view kPredefined =
    "type StateSelect = enumeration(never, avoid, default, prefer, always);\n"
    "type AssertionLevel = enumeration(warning, error);\n";

}  // namespace

ClassTree::ClassTree(const ClassLibrary* library, Reports& reports) : library_(library), reports_(reports) {
  defs_.emplace_back();
  auto source = std::make_shared<const SourceText>("predefined types", std::string(kPredefined));
  Diagnostics none(source);
  ParseResult parsed = parse(*source, Dialect::modelica, none, Refusals::keep);
  add_file(std::move(source), std::move(parsed.ast), root(), {}, Name());
}

Name ClassTree::intern(std::string_view text) {
  const auto found = names_.find(text);
  if (found != names_.end()) {
    return found->second;
  }
  const Name name(texts_.size());
  texts_.emplace_back(text);
  names_.emplace(texts_.back(), name);
  return name;
}

ClassDef* ClassTree::of(const ClassFile& file, std::uint32_t index) const {
  return defs_of_file_[file.index][index];
}

ClassDef& ClassTree::package_of(std::string_view path) {
  ClassDef* at = &root();
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const Name name = intern(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
    ClassDef* next = find(*at, name);
    if (next == nullptr) {
      next = &defs_.emplace_back();
      next->parent = at;
      next->name = name;
      next->path = at->path.empty() ? text(name) : at->path + "." + text(name);
      at->classes.emplace(name, next);
    }
    at = next;
  }
  return *at;
}

const ClassFile& ClassTree::add(std::shared_ptr<const SourceText> source, Ast ast) {
  ClassDef& parent = package_of(ast.text(ast.within));
  return add_file(std::move(source), std::move(ast), parent, {}, Name());
}

/// `only`: the class that a file of a library is there for.
const ClassFile& ClassTree::add_file(std::shared_ptr<const SourceText> source, Ast ast, ClassDef& parent,
                                     const std::string& folder, Name only) {
  ClassFile& file = files_.emplace_back();
  file.index = static_cast<std::uint32_t>(files_.size() - 1);
  file.source = std::move(source);
  file.ast = std::move(ast);
  file.names.reserve(file.ast.n_symbols());
  for (std::size_t i = 0; i < file.ast.n_symbols(); ++i) {
    file.names.push_back(intern(file.ast.text(Symbol(i))));
  }
  std::vector<ClassDef*>& defs = defs_of_file_.emplace_back();
  for (const Class& item : file.ast.classes) {
    ClassDef& def = defs_.emplace_back();
    defs.push_back(&def);
    def.file = &file;
    def.text = &item;
    def.name = item.name.valid() ? file.names[item.name.index()] : intern("");
    if (item.is_in_modification) {
      def.path = text(def.name);
      continue;
    }
    ClassDef& around = item.is_nested() ? *defs[item.parent] : parent;
    def.parent = &around;
    def.path = around.path.empty() ? text(def.name) : around.path + "." + text(def.name);
    def.folder = !item.is_nested() && def.name == only ? folder : std::string();
    const auto [place, is_new] = around.classes.emplace(def.name, &def);
    if (!is_new && place->second->file != &file && !only.valid()) {
      place->second = &def;  // the text that is run goes before the library
    } else if (!is_new) {
      reports_.error(kClassTaken, fmt::format("a class '{}' is there already", def.path), def.place())
          .notes.push_back({"the first one", place->second->place()});
      continue;
    }
    around.in_order.push_back(&def);
  }
  return file;
}

ClassDef* ClassTree::find(ClassDef& in, Name name) {
  const auto found = in.classes.find(name);
  if (found != in.classes.end()) {
    return found->second;
  }
  const bool has_folder = in.parent == nullptr || !in.folder.empty();
  if (library_ == nullptr || !has_folder || text(name).empty() || !in.missing.insert(name).second) {
    return nullptr;
  }
  std::optional<ClassLibrary::Unit> unit = library_->find(in.folder, text(name));
  if (!unit) {
    return nullptr;
  }
  if (!unit->problem.empty()) {
    reports_.error(kWrongClassFile, fmt::format("class '{}': {}", text(name), unit->problem), {});
    return nullptr;
  }
  auto source = std::make_shared<const SourceText>(unit->file, std::move(unit->text));
  Diagnostics problems(source);
  ParseResult parsed = parse(*source, Dialect::modelica, problems, Refusals::keep);
  const ClassFile& file = add_file(std::move(source), std::move(parsed.ast), in, unit->folder, name);
  if (problems.has_errors()) {
    reports_.add(problems, file);
  }
  const auto read = in.classes.find(name);
  if (read == in.classes.end()) {
    reports_.error(kWrongClassFile, fmt::format("'{}' holds no class '{}'", unit->file, text(name)), {});
    return nullptr;
  }
  return read->second;
}

ClassDef* ClassTree::find_path(std::string_view path) {
  ClassDef* at = &root();
  while (at != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    at = find(*at, intern(path.substr(0, dot)));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at == &root() ? nullptr : at;
}

void ClassTree::tell_refusals(ClassDef& def) {
  if (def.refusals_told || def.file == nullptr) {
    return;
  }
  def.refusals_told = true;
  const SourceSpan extent = def.text->extent;
  for (const Refusal& refusal : def.file->ast.refusals) {
    const auto holds = [&](SourceSpan span) {
      return span.offset <= refusal.span.offset && refusal.span.end() <= span.end();
    };
    const bool in_another = std::any_of(def.in_order.begin(), def.in_order.end(), [&](const ClassDef* inner) {
      return inner->file == def.file && holds(inner->text->extent);
    });
    if (holds(extent) && !in_another) {
      reports_
          .error(kNotSupported, fmt::format("{} is not supported yet", refusal.construct),
                 {def.file, refusal.span}, refusal.hint)
          .notes.push_back({fmt::format("in class '{}'", def.path), def.place()});
    }
  }
}

}  // namespace saltus::lang
