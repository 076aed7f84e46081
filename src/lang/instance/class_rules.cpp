#include "lang/instance/class_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "lang/instance/instance_codes.hpp"

namespace saltus::lang {
namespace {

/// Types of the language; nothing else may have their names (Modelica 4.9).
constexpr std::array<std::string_view, 4> kTypeNames = {"Real", "Integer", "Boolean", "String"};
/// Attributes that an enumeration has, which its literals would hide (Modelica 4.9.5).
constexpr std::array<std::string_view, 5> kAttributesOfEnumerations = {"quantity", "min", "max", "start",
                                                                       "fixed"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// One class and where to tell what is wrong with it.
class Rules {
 public:
  Rules(const ClassDef& def, Reports& reports)
      : def_(def), text_(*def.text), ast_(def.file->ast), reports_(reports) {}

  void tell() {
    if (is_one_of(ast_.text(text_.name), kTypeNames)) {
      add(kReservedName, fmt::format("'{}' is a type of the language: no class may have its name", def_.path),
          text_.name_span);
    }
    for (const Component& component : text_.components) {
      if (is_one_of(ast_.text(component.name), kTypeNames)) {
        add(kReservedName,
            fmt::format("'{}' is a type of the language: no component may have its name",
                        ast_.text(component.name)),
            component.name_span);
      }
    }
    tell_literals();
    tell_imports();
    switch (text_.kind) {
      case ClassKind::connector: tell_connector(); break;
      case ClassKind::record: tell_record(); break;
      case ClassKind::function: tell_function(); break;
      default: break;
    }
  }

 private:
  void add(DiagnosticCode code, std::string message, SourceSpan span) {
    reports_.error(code, std::move(message), {def_.file, span});
  }

  void tell_literals() {
    for (std::size_t i = 0; i < text_.literals.size(); ++i) {
      const EnumerationLiteral& literal = text_.literals[i];
      const std::string_view name = ast_.text(literal.name);
      if (is_one_of(name, kAttributesOfEnumerations)) {
        add(kReservedName,
            fmt::format("'{}' is an attribute of enumerations: no literal may have its name", name),
            literal.span);
      }
      const auto end = text_.literals.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::any_of(text_.literals.begin(), end,
                      [&](const EnumerationLiteral& earlier) { return earlier.name == literal.name; })) {
        add(kClassTaken, fmt::format("the literal '{}' stands here twice", name), literal.span);
      }
    }
  }

  void tell_imports() {
    for (std::size_t i = 0; i < text_.imports.size(); ++i) {
      const Import& import = text_.imports[i];
      const auto end = text_.imports.begin() + static_cast<std::ptrdiff_t>(i);
      if (import.alias.valid() && std::any_of(text_.imports.begin(), end, [&](const Import& earlier) {
            return earlier.alias == import.alias && earlier.path != import.path;
          })) {
        add(kClassTaken, fmt::format("'{}' is imported twice, as different things", ast_.text(import.alias)),
            import.span);
      }
    }
  }

  void tell_no_equations() {
    const std::initializer_list<std::pair<const std::vector<Statement>*, std::string_view>> sections = {
        {&text_.equations, "equations"},
        {&text_.initial_equations, "initial equations"},
        {&text_.algorithm, "an algorithm"},
        {&text_.initial_algorithm, "an initial algorithm"}};
    for (const auto& [section, name] : sections) {
      if (!section->empty()) {
        add(kNotAllowed,
            fmt::format("a {} has no equations: '{}' has {}", to_string(text_.kind), def_.path, name),
            section->front().span);
      }
    }
  }

  void tell_component(const Component& component, bool is_wrong, std::string_view what) {
    if (is_wrong) {
      add(kNotAllowed,
          fmt::format("'{}' of the {} '{}' cannot be {}", ast_.text(component.name), to_string(text_.kind),
                      def_.path, what),
          component.name_span);
    }
  }

  void tell_connector() {
    tell_no_equations();
    for (const Component& component : text_.components) {
      tell_component(component, component.is_protected, "protected");
      tell_component(component, component.is_inner, "'inner'");
      tell_component(component, component.is_outer, "'outer'");
    }
  }

  void tell_record() {
    tell_no_equations();
    for (const Component& component : text_.components) {
      tell_component(component, component.is_protected && !text_.is_operator, "protected");
      tell_component(component, component.is_inner, "'inner'");
      tell_component(component, component.is_outer, "'outer'");
      tell_component(component, component.is_flow, "'flow'");
      tell_component(component, component.is_stream, "'stream'");
      tell_component(component, component.causality == CausalityPrefix::input, "'input'");
      tell_component(component, component.causality == CausalityPrefix::output, "'output'");
    }
  }

  void tell_function() {
    const std::initializer_list<std::pair<const std::vector<Statement>*, std::string_view>> sections = {
        {&text_.equations, "equations"},
        {&text_.initial_equations, "initial equations"},
        {&text_.initial_algorithm, "an initial algorithm"}};
    for (const auto& [section, name] : sections) {
      if (!section->empty()) {
        add(kNotAllowed, fmt::format("the function '{}' cannot have {}", def_.path, name),
            section->front().span);
      }
    }
    for (const Component& component : text_.components) {
      tell_component(component, component.is_inner, "'inner'");
      tell_component(component, component.is_outer, "'outer'");
    }
  }

  const ClassDef& def_;
  const Class& text_;
  const Ast& ast_;
  Reports& reports_;
};

}  // namespace

void tell_broken_rules(const ClassDef& def, Reports& reports) {
  if (def.text != nullptr) {
    Rules(def, reports).tell();
  }
}

std::string extension_problem(const ClassDef& derived, const ClassDef& base) {
  if (derived.text == nullptr || base.text == nullptr || base.text->is_plain_class ||
      derived.text->is_plain_class || derived.text->is_operator || base.text->is_operator ||
      derived.kind() == base.kind()) {
    return {};
  }
  const ClassKind kind = base.kind();
  bool fits = false;
  switch (derived.kind()) {
    case ClassKind::connector: fits = kind == ClassKind::record || kind == ClassKind::type; break;
    case ClassKind::block: fits = kind == ClassKind::record; break;
    case ClassKind::model: fits = kind == ClassKind::record || kind == ClassKind::block; break;
    default: break;
  }
  return fits ? std::string()
              : fmt::format("a {} cannot extend a {}: '{}' is one", to_string(derived.kind()),
                            to_string(kind), base.path);
}

}  // namespace saltus::lang
