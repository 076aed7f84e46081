// Problem     Elaboration knows one flat model; people write classes made of others.
// Method      The instance tree is built from the class (instance.hpp), depth first. Connections are collected, then equations are
//             written in the names of the flat model, then declarations. The result is a text of the same language, in which
//             every part remembers where it was written (flat_writer.hpp); what elaboration says about it is told there.
// Contract    Depends on the texts alone. Ends with an error that names the class where classes contain or extend themselves.
// Choices     A text, not a tree: what is run is exactly what 'saltus flatten' prints. Declarations come last because the values
//             of parameters that decided something are final in the flat model, and equations may decide too.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/work_watch.hpp"
#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

/// In units of base/work_watch.hpp.
constexpr std::int64_t kWorkOfAComponent = 2000;

std::string quoted_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return result + "\"";
}

}  // namespace

Instantiator::Instantiator(ClassTree& tree, Reports& reports, const KnownSettings& settings)
    : tree_(tree), reports_(reports), settings_(settings) {
  top_ = &instances_.emplace_back();
  top_->use.def = &tree.root();
  top_->depth = -1;
}

std::optional<FlatText> Instantiator::flatten(ClassDef& model) {
  if (model.text != nullptr && model.text->is_partial) {
    reports_.error(kPartialClass, fmt::format("'{}' is partial: it cannot be run", model.path), model.place(),
                   "run a class that extends it");
  }
  Context enclosing{top_, 0};
  expand(*top_);
  // The classes around the model, from the top.
  std::vector<ClassDef*> around;
  for (ClassDef* at = model.parent; at != nullptr && at->parent != nullptr; at = at->parent) {
    around.push_back(at);
  }
  for (auto at = around.rbegin(); at != around.rend(); ++at) {
    Element* const element = find_member(*enclosing.instance, (*at)->name);
    if (element == nullptr) {
      return std::nullopt;
    }
    enclosing = {&class_instance(*enclosing.instance, *element), 0};
    expand(*enclosing.instance);
  }
  Instance& root = instances_.emplace_back();
  root_ = &root;
  root.use.def = &model;
  root.use.enclosing = enclosing;
  root.is_component = true;
  expand(root);
  visit_components(root);
  check_replacements();
  check_values();
  if (reports_.has_errors()) {
    return std::nullopt;
  }
  collect_connections(root);
  write_equations(root);
  write_start_equations();
  write_clocks();
  write_connections();
  write_declarations(root);
  write_called_functions();
  if (reports_.has_errors()) {
    return std::nullopt;
  }
  FlatWriter whole;
  {
    const FlatWriter::Scope scope(whole, model.place());
    whole << "model ";
    whole.name(model.path);
    if (model.text->description.valid()) {
      whole << " " << quoted_text(model.file->ast.text(model.text->description));
    }
    whole << "\n";
  }
  whole.append(functions_);
  whole.append(declarations_);
  whole.append(samples_);
  if (!initial_equations_.text().empty()) {
    whole << "initial equation\n";
    whole.append(initial_equations_);
  }
  whole << "equation\n";
  whole.append(equations_);
  for (const Modification& annotation : model.text->annotations) {
    const std::string_view name = model.file->ast.text(annotation.name);
    if (name == "experiment" || name == "__saltus") {
      const FlatWriter::Scope scope(whole, {model.file, annotation.span});
      whole << "annotation(" << model.file->source->text(annotation.span) << ");\n";
    }
  }
  whole << "end ";
  whole.name(model.path) << ";\n";
  FlatText result;
  result.text = whole.text();
  result.origins = whole.origins();
  result.structural = structural_;
  result.types = std::move(types_);
  return result;
}

/// Functions call others and name constants, whose values may do both.
void Instantiator::write_called_functions() {
  std::size_t f = 0;
  std::size_t c = 0;
  do {
    for (; f < functions_to_write_.size(); ++f) {
      const CalledFunction called = functions_to_write_[f];
      write_function(called);
    }
    for (; c < constants_in_order_.size(); ++c) {
      write_declaration(*constants_in_order_[c]);
    }
    check_values();
    write_sizes_to_ask();
  } while (f < functions_to_write_.size() || c < constants_in_order_.size());
}

void Instantiator::visit_components(Instance& instance) {
  count_work(kWorkOfAComponent);
  for (Element* const element : in_order(instance)) {
    if (element->component == nullptr || limit_told_) {
      continue;
    }
    Node& node = node_of(instance, *element);
    if (node.inner != nullptr) {
      continue;
    }
    for (Instance* const inner : node.instances) {
      visit_components(*inner);
    }
  }
}

void Instantiator::write_declarations(Instance& instance) {
  for (Element* const element : in_order(instance)) {
    if (element->component == nullptr || element->node == nullptr) {
      continue;
    }
    Node& node = *element->node;
    if (node.inner != nullptr || !node.is_present || node.failed) {
      continue;
    }
    if (node.is_primitive()) {
      write_declaration(node);
    }
    for (Instance* const inner : node.instances) {
      write_declarations(*inner);
    }
  }
}

/// `Real x[3]`
void Instantiator::write_type_and_name(Node& node, std::string_view name, Target target) {
  FlatWriter& out = target.out;
  out << type_text(node.type->built_in) << " ";
  out.name(name);
  std::vector<Size> sizes = node.holder->record_sizes;
  sizes.insert(sizes.end(), node.sizes.begin(), node.sizes.end());
  write_sizes(sizes, target);
}

void Instantiator::write_sizes(std::span<const Size> sizes, Target target) {
  FlatWriter& out = target.out;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const Size& size = sizes[d];
    out << (d > 0 ? ", " : "[");
    if (const std::optional<const ClassDef*> type = type_of_size(size)) {
      out << std::to_string(n_values(*type));
      continue;
    }
    write(target, *size.file, size.value, size.where);
  }
  out << (sizes.empty() ? "" : "]");
}

void Instantiator::write_declaration(Node& node) {
  FlatWriter& out = declarations_;
  const FlatWriter::Scope scope(out, node.element->place());
  const bool is_text = is_known_text(node);
  const bool decided = structural_.count(node.path) != 0;
  const auto given = given_at_start_.find(&node);
  const bool is_given = given != given_at_start_.end();
  out << (node.is_final || decided || is_given ? "  final " : "  ");
  switch (node.variability) {
    case VariabilityPrefix::constant: out << "constant "; break;
    case VariabilityPrefix::parameter: out << "parameter "; break;
    case VariabilityPrefix::discrete: out << "discrete "; break;
    case VariabilityPrefix::none: out << (is_text ? "parameter " : ""); break;
  }
  if (!is_text && node.holder == root_ && node.variability < VariabilityPrefix::parameter) {
    out << (node.causality == CausalityPrefix::input    ? "input "
            : node.causality == CausalityPrefix::output ? "output "
                                                        : "");
  }
  if (const ClassDef& type = node.type->def(); &type != &tree_.root()) {
    types_[node.path] = type.path;
  }
  const Target target{out, nullptr};
  write_type_and_name(node, node.path, target);
  write_attributes(node, target);
  const std::optional<KnownValue> setting = decided ? setting_of(node) : std::nullopt;
  if (is_given) {
    out << " = " << given->second;
  } else if (setting) {
    out << " = " << to_text(*setting);
  } else if (node.type->attributes != nullptr && node.type->attributes->value) {
    out << " = ";
    write_binding(target, *node.type->attributes->value);
    check_given(node, *node.type->attributes->value, fmt::format("'{}'", node.path));
  }
  const std::string_view description = node.element->file->ast.text(node.component().description);
  if (!description.empty()) {
    out << " " << quoted_text(description);
  }
  out << ";\n";
}

void Instantiator::write_state_select(const Binding& binding, Target target) {
  constexpr std::array<std::string_view, 5> kLiterals = {"never", "avoid", "default", "prefer", "always"};
  const std::optional<KnownValue> value = evaluate_binding(binding);
  const bool is_array = value && !value->is_scalar();
  if (!value || value->type != KnownValue::Type::integer || value->size() == 0) {
    const FilePlace place{binding.file, binding.file->ast[binding.value].span};
    reports_.error(kNotDecided, "'stateSelect' must be known while the components are made", place);
  }
  target.out << (is_array ? "{" : "");
  for (std::size_t i = 0; value && i < value->size() && value->type == KnownValue::Type::integer; ++i) {
    const auto literal = static_cast<std::size_t>(std::clamp(value->numbers[i], 1.0, 5.0)) - 1;
    target.out << (i > 0 ? ", " : "") << "StateSelect." << kLiterals[literal];
  }
  target.out << (is_array ? "}" : "");
}

void Instantiator::write_attributes(Node& node, Target target) {
  FlatWriter& out = target.out;
  bool first = true;
  const auto begin = [&] {
    out << (first ? "(" : ", ");
    first = false;
  };
  const bool is_enumeration = node.type->built_in == BuiltIn::enumeration;
  bool has_start = false;
  if (node.type->attributes != nullptr) {
    for (const auto& [name, modifier] : node.type->attributes->parts) {
      const std::string& attribute = text(name);
      has_start = has_start || attribute == "start";
      const bool is_given = attribute == "fixed" && given_at_start_.count(&node) != 0;
      if (!modifier->value || is_given || (is_enumeration && (attribute == "min" || attribute == "max"))) {
        continue;
      }
      begin();
      const FlatWriter::Scope scope(out, modifier->place);
      out << (modifier->each && !node.sizes.empty() ? "each " : "") << attribute << " = ";
      if (attribute == "stateSelect") {
        write_state_select(*modifier->value, target);
        continue;
      }
      write_binding(target, *modifier->value);
      if (attribute == "start" || attribute == "min" || attribute == "max" || attribute == "nominal") {
        check_given(node, *modifier->value, fmt::format("attribute '{}' of '{}'", attribute, node.path));
      }
    }
  }
  if (is_enumeration) {
    begin();
    out << "min = 1, max = " << std::to_string(node.type->enumeration->text->literals.size());
    if (!has_start && node.variability < VariabilityPrefix::parameter) {
      out << ", start = 1";
    }
  }
  out << (first ? "" : ")");
}

}  // namespace saltus::lang
