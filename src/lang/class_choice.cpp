#include "lang/class_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

bool can_run(const Class& item) {
  return (item.kind == ClassKind::model || item.kind == ClassKind::block) && !item.is_partial &&
         !item.is_in_modification;
}

bool has_experiment(const Ast& ast, const Class& item) {
  return std::any_of(item.annotations.begin(), item.annotations.end(), [&](const Modification& annotation) {
    return ast.text(annotation.name) == "experiment";
  });
}

std::string names_of(const Ast& ast, const std::vector<const Class*>& list) {
  std::string names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    names += (i == 0 ? "" : i + 1 == list.size() ? " and " : ", ") + path_of(ast, *list[i]);
  }
  return names;
}

bool is_built_in(std::string_view type) {
  return type == "Real" || type == "Integer" || type == "Boolean" || type == "String";
}

/// What a flat model may use: types of the language under other names, and functions.
class FlatCheck {
 public:
  FlatCheck(const Ast& ast, const Class& main, const ClassLibrary* library)
      : ast_(ast), main_(main), library_(library) {
    const auto index = static_cast<std::uint32_t>(&main - ast.classes.data());
    for (const Class& item : ast.classes) {
      const bool visible = !item.is_nested() || item.parent == index;
      if (visible && !item.is_in_modification) {
        visible_.push_back(&item);
      }
      others_.insert(item.name.value());
    }
  }

  [[nodiscard]] bool run() const {
    const bool plain = main_.kind == ClassKind::model && !main_.is_nested() && !main_.is_partial &&
                       !main_.is_encapsulated && !main_.is_short() && main_.extends.empty() &&
                       main_.imports.empty() && !main_.is_class_extends && main_.initial_algorithm.empty();
    if (!plain || ast_.needs_instances || ast_.has_within || !components_are_flat(main_) ||
        has_connections(main_.equations) || has_connections(main_.initial_equations)) {
      return false;
    }
    const auto index = static_cast<std::uint32_t>(&main_ - ast_.classes.data());
    for (const Class* const item : visible_) {
      const bool is_inside = item->is_nested() && item->parent == index;
      const bool helper = item->kind == ClassKind::function || item->kind == ClassKind::type;
      if (is_inside && !helper) {
        return false;
      }
      if (helper && !helper_is_flat(*item)) {
        return false;
      }
    }
    return expressions_are_flat();
  }

 private:
  [[nodiscard]] bool helper_is_flat(const Class& item) const {
    if (item.is_partial || item.is_encapsulated || item.is_class_extends || !item.extends.empty() ||
        !item.imports.empty() || item.is_enumeration || item.is_replaceable || item.is_redeclare ||
        item.built_in_function.valid()) {
      return false;
    }
    return item.kind == ClassKind::type ? type_is_flat(item.base)
                                        : !item.is_short() && components_are_flat(item);
  }

  /// A name that is not there at all is flat: elaboration says so.
  [[nodiscard]] bool type_is_flat(Symbol type) const {
    const std::string_view name = ast_.text(type);
    if (is_built_in(name)) {
      return true;
    }
    const std::string_view first = name.substr(0, name.find('.'));
    if (first.empty()) {
      return false;  // from the top of all classes
    }
    for (const Class* const item : visible_) {
      if (ast_.text(item->name) == first) {
        const bool is_helper = item->kind == ClassKind::type || item->kind == ClassKind::function;
        return is_helper && first == name;
      }
    }
    return !is_in_library(first);
  }

  [[nodiscard]] bool components_are_flat(const Class& item) const {
    return std::all_of(item.components.begin(), item.components.end(), [this](const Component& component) {
      return !component.is_flow && !component.is_stream && !component.is_inner && !component.is_outer &&
             !component.is_replaceable && !component.is_redeclare && !component.constraint.base.valid() &&
             !component.condition.valid() && modifications_are_flat(component.modifications) &&
             type_is_flat(component.type);
    });
  }

  [[nodiscard]] bool modifications_are_flat(List<Modification> list) const {
    const auto items = ast_[list];
    return std::all_of(items.begin(), items.end(), [](const Modification& item) {
      return item.redeclared_class == kNoIndex && item.redeclared_component == kNoIndex;
    });
  }

  [[nodiscard]] bool has_connections(std::span<const Statement> list) const {
    return std::any_of(list.begin(), list.end(), [this](const Statement& statement) {
      const auto branches = ast_[statement.branches];
      return statement.kind == StatementKind::connect || has_connections(ast_[statement.body]) ||
             std::any_of(branches.begin(), branches.end(),
                         [this](const Branch& branch) { return has_connections(ast_[branch.body]); });
    });
  }

  /// Dotted names that begin with a class mean something in it; some functions are written out with the classes.
  [[nodiscard]] bool expressions_are_flat() const {
    std::unordered_set<std::string> asked;
    const auto names_class = [&](std::string_view name) {
      const std::string first(name.substr(0, name.find('.')));
      if (!asked.insert(first).second) {
        return false;
      }
      return is_in_library(first) || std::any_of(visible_.begin(), visible_.end(), [&](const Class* item) {
               return ast_.text(item->name) == first;
             });
    };
    for (std::size_t i = 0; i < ast_.n_expressions(); ++i) {
      const ExpressionId id(i);
      if (ast_[id].kind == ExpressionKind::name && ast_.name_parts(id).size() > 1 &&
          names_class(ast_.text(ast_.name_parts(id)[0].name))) {
        return false;
      }
      if (ast_[id].kind == ExpressionKind::call) {
        const std::string_view function = ast_.text(ast_.call(id).function);
        const auto arguments = ast_[ast_.call(id).arguments];
        const bool has_names = std::any_of(arguments.begin(), arguments.end(),
                                           [](const Argument& argument) { return argument.name.valid(); });
        const bool is_written_out = (function == "homotopy" && has_names) || function == "semiLinear" ||
                                    function == "cardinality" || function == "String";
        if (is_written_out || (function.find('.') != std::string_view::npos && names_class(function))) {
          return false;
        }
      }
    }
    return true;
  }

  [[nodiscard]] bool is_in_library(std::string_view name) const {
    return library_ != nullptr && library_->find("", std::string(name)).has_value();
  }

  const Ast& ast_;
  const Class& main_;
  const ClassLibrary* library_;
  std::vector<const Class*> visible_;
  std::unordered_set<std::uint32_t> others_;
};

}  // namespace

std::string path_of(const Ast& ast, const Class& item) {
  std::string path(ast.text(item.name));
  for (const Class* at = &item; at->is_nested();) {
    at = &ast.classes[at->parent];
    path = fmt::format("{}.{}", ast.text(at->name), path);
  }
  const std::string_view within = ast.text(ast.within);
  return within.empty() ? path : fmt::format("{}.{}", within, path);
}

std::string unquoted_path(const std::string& name) {
  std::string path;
  bool is_quoted = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (is_quoted && name[i] == '\\' && i + 1 < name.size()) {
      path += name[++i];
    } else if (name[i] == '\'' && (is_quoted || path.empty() || name[i - 1] == '.')) {
      is_quoted = !is_quoted;
    } else {
      path += name[i];
    }
  }
  return is_quoted ? name : path;
}

const Class* choose_class(const Ast& ast, const std::string& name, bool elsewhere, Diagnostics& diagnostics) {
  std::vector<const Class*> with_experiment;
  std::vector<const Class*> at_top;
  for (const Class& item : ast.classes) {
    if (!name.empty() && !item.is_in_modification &&
        (path_of(ast, item) == name || (!item.is_nested() && ast.text(item.name) == name))) {
      return &item;
    }
    if (can_run(item) && has_experiment(ast, item)) {
      with_experiment.push_back(&item);
    }
    if (can_run(item) && !item.is_nested()) {
      at_top.push_back(&item);
    }
  }
  if (!name.empty()) {
    if (!elsewhere && !at_top.empty()) {
      diagnostics.error(kUnknownModel,
                        fmt::format("the text holds no model '{}', but {}", name, names_of(ast, at_top)));
    } else if (!elsewhere && !ast.classes.empty()) {
      diagnostics.error(kUnknownModel, fmt::format("the text holds no model '{}'", name));
    }
    return nullptr;
  }
  const bool by_experiment = !with_experiment.empty();
  const std::vector<const Class*>& candidates = by_experiment ? with_experiment : at_top;
  if (candidates.empty()) {
    // What cannot be run is the better answer than nothing: it says why.
    const auto last = std::find_if(ast.classes.rbegin(), ast.classes.rend(), [](const Class& item) {
      return item.kind == ClassKind::model && !item.is_nested() && !item.is_in_modification;
    });
    return last == ast.classes.rend() ? nullptr : &*last;
  }
  const Class* const chosen = candidates.back();
  if (candidates.size() > 1 && !diagnostics.has_errors()) {  // a missing end makes models too
    diagnostics.warning(
        kSeveralModels,
        fmt::format("the text holds {} models{}: {}; the last one, {}, is taken", candidates.size(),
                    by_experiment && at_top != with_experiment ? " with an experiment" : "",
                    names_of(ast, candidates), path_of(ast, *chosen)),
        chosen->name_span, "--model NAME takes another one");
  }
  return chosen;
}

bool is_flat(const Ast& ast, const Class& item, const ClassLibrary* library) {
  return FlatCheck(ast, item, library).run();
}

}  // namespace saltus::lang
