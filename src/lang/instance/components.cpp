// Components: their types, conditions, sizes and instances (Modelica 4.4, 4.8, 5.4).
#include <fmt/format.h>

#include <algorithm>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

/// Components within components: deeper ones come from classes that contain themselves.
constexpr int kMaxComponentDepth = 100;
/// All components of a model, those of arrays one by one; each takes one or two kilobytes.
constexpr std::size_t kMaxComponents = 200'000;

/// The name of a member in the flat model: as it is written, quotes and all.
std::string member_text(const std::string& name) {
  return is_plain_identifier(name) ? name : flat_identifier(name);
}

std::string subscript_text(const std::vector<std::int64_t>& subscripts) {
  return fmt::format("[{}]", fmt::join(subscripts, ","));
}

}  // namespace

bool Instantiator::spend_component(const Node& node) {
  if (++n_components_ <= kMaxComponents) {
    return true;
  }
  if (!limit_told_) {
    limit_told_ = true;
    reports_.error(kTooManyComponents,
                   fmt::format("with '{}' the model has more than {} components", node.path, kMaxComponents),
                   node.element->place());
  }
  return false;
}

Node& Instantiator::node_of(Instance& holder, Element& element) {
  if (element.node == nullptr) {
    Node& node = nodes_.emplace_back();
    element.node = &node;
    node.element = &element;
    node.holder = &holder;
    node.path = holder.path.empty() ? text(element.name)
                                    : fmt::format("{}.{}", holder.path, member_text(text(element.name)));
    node.failed = !spend_component(node);
    if (!node.failed) {
      make_node(node);
    }
    node.is_ready = true;
  }
  return *element.node;
}

/// An outer component is the inner one of the same name further out (Modelica 5.4).
bool Instantiator::find_inner(Node& node) {
  for (Instance* around = node.holder->owner; around != nullptr; around = around->owner) {
    const auto half = around->inner_of_name.find(node.element->name);
    if (half != around->inner_of_name.end()) {
      node.inner = &node_of(*around, *half->second);
      node.is_present = node.inner->is_present;
      return true;
    }
    const auto found = around->of_name.find(node.element->name);
    if (found != around->of_name.end() && found->second->component != nullptr &&
        found->second->component->is_inner) {
      node.inner = &node_of(*around, *found->second);
      node.is_present = node.inner->is_present;
      check_inner(node);
      return true;
    }
  }
  if (add_inner(node)) {
    return true;
  }
  reports_.error(
      kMissingInner,
      fmt::format("there is no inner '{}' for the outer component '{}'", text(node.element->name), node.path),
      node.element->place(),
      fmt::format("declare 'inner {} {};' in the model", node.element->file->ast.text(node.component().type),
                  text(node.element->name)));
  return false;
}

/// Without an inner component the model has one with the values of its class (Modelica 5.4), if that is a whole model.
bool Instantiator::add_inner(Node& node) {
  const Element& outer = *node.element;
  if (root_->of_name.count(outer.name) != 0 || !node.component().dimensions.empty()) {
    return false;
  }
  const std::size_t n_before = reports_.items().size();
  const std::optional<FoundClass> type = find_class(outer.file->ast.text(node.component().type),
                                                    outer.context, {outer.file, node.component().type_span});
  if (!type || reports_.items().size() != n_before || type->built_in != BuiltIn::none ||
      type->use.def->text == nullptr || type->use.def->text->is_partial ||
      (type->use.def->kind() != ClassKind::model && type->use.def->kind() != ClassKind::block)) {
    return false;
  }
  Component& component = split_components_.emplace_back(node.component());
  component.is_outer = false;
  component.is_inner = true;
  component.condition = {};
  Element& element = root_->elements.emplace_back();
  element.name = outer.name;
  element.file = outer.file;
  element.component = &component;
  element.context = outer.context;
  element.owners = {0};
  root_->of_name.emplace(element.name, &element);
  root_->parts[0].items.push_back({static_cast<std::uint32_t>(root_->elements.size() - 1), false, 0});
  reports_.warn(kMissingInner,
                fmt::format("the model has no inner '{}': one of class '{}' with its own values was added",
                            text(element.name), type->use.def->path),
                outer.place());
  node.inner = &node_of(*root_, element);
  for (Instance* const instance : node.inner->instances) {
    visit_components(*instance);
  }
  return !node.inner->failed;
}

/// `Resistor r if use_r;` with a condition that is false: it does not exist (Modelica 4.4.5).
bool Instantiator::is_left_out(Node& node) {
  const ExpressionId condition = node.component().condition;
  if (!condition.valid()) {
    return false;
  }
  const std::optional<KnownValue> value =
      decide(*node.element->file, condition, node.element->context, nullptr,
             fmt::format("whether there is a component '{}'", node.path));
  if (!value) {
    node.failed = true;
    return true;
  }
  if (value->type != KnownValue::Type::boolean || !value->is_scalar()) {
    reports_.error(kWrongModification, fmt::format("the condition of '{}' must be a Boolean", node.path),
                   {node.element->file, node.element->file->ast[condition].span});
    node.failed = true;
    return true;
  }
  return !value->is_true();
}

bool Instantiator::check_type(Node& node, const ClassDef& def) {
  const FilePlace place{node.element->file, node.component().type_span};
  const auto tell = [&](DiagnosticCode code, std::string message) {
    reports_.error(code, std::move(message), place)
        .notes.push_back({"the class is declared here", def.place()});
    return false;
  };
  if (def.kind() == ClassKind::function && node.holder->function != nullptr) {
    return tell(
        kNotSupported,
        fmt::format("'{}' is a function: inputs that are functions are not supported yet", node.path));
  }
  if (def.kind() == ClassKind::package || def.kind() == ClassKind::function) {
    return tell(kWrongKindOfClass,
                fmt::format("'{}' is a {}: '{}' cannot be one", def.path, to_string(def.kind()), node.path));
  }
  if (def.text == nullptr) {
    return true;
  }
  if (def.text->is_operator) {
    return tell(kNotSupported,
                fmt::format("'{}' is an operator record, which are not supported yet", def.path));
  }
  if (def.text->is_expandable) {
    return tell(kNotSupported,
                fmt::format("'{}' is an expandable connector, which are not supported yet", def.path));
  }
  if (def.text->is_partial) {
    return tell(kPartialClass,
                fmt::format("class '{}' of '{}' is partial: it has to be extended or redeclared", def.path,
                            node.path));
  }
  return true;
}

Instance& Instantiator::make_instance(const ClassUse& use, const Modifier* modifier, Node& node,
                                      std::string path) {
  Instance& instance = instances_.emplace_back();
  instance.use = use;
  instance.modifier = modifier;
  instance.is_component = node.holder->is_component;
  instance.function = node.holder->function;
  instance.path = std::move(path);
  instance.owner = node.holder;
  instance.depth = node.holder->depth + 1;
  instance.variability = node.variability;
  instance.is_flow = node.is_flow;
  expand(instance);
  instance.prefixed = node.causality != CausalityPrefix::none ? node.causality : instance.causality;
  return instance;
}

bool Instantiator::evaluate_shape(Node& node, const std::vector<Size>& sizes) {
  for (const Size& size : sizes) {
    const FilePlace place{size.file, size.file->ast[size.value].span};
    if (size.file->ast[size.value].kind == ExpressionKind::all) {
      reports_.error(
          kNotSupported,
          fmt::format("the size ':' of the array of components '{}' is not supported yet", node.path), place);
      return false;
    }
    const std::size_t n_before = reports_.items().size();
    if (const std::optional<const ClassDef*> type = type_of_size(size)) {
      node.shape.push_back(n_values(*type));
      continue;
    }
    if (reports_.items().size() != n_before) {
      return false;
    }
    const std::optional<KnownValue> value =
        decide(*size.file, size.value, size.where, nullptr, fmt::format("the size of '{}'", node.path));
    if (!value) {
      return false;
    }
    if (value->type != KnownValue::Type::integer || !value->is_scalar() || value->whole() < 0) {
      reports_.error(
          kWrongModification,
          fmt::format("the size of '{}' must be a whole number, not {}", node.path, to_text(*value)), place);
      return false;
    }
    node.shape.push_back(value->whole());
  }
  return true;
}

void Instantiator::make_node(Node& node) {
  const Element& element = *node.element;
  const Component& component = node.component();
  Instance& holder = *node.holder;
  node.failed = true;
  if (holder.depth > kMaxComponentDepth) {
    reports_.error(kClassCycle,
                   fmt::format("'{}' is nested more than {} components deep: does class '{}' contain itself?",
                               node.path, kMaxComponentDepth, holder.def().path),
                   element.place());
    return;
  }
  if (component.is_stream) {
    reports_.error(kNotSupported,
                   fmt::format("'stream' variables such as '{}' are not supported yet", node.path),
                   element.place());
    return;
  }
  if (component.is_outer && holder.function != nullptr) {
    return;  // told where the class is read
  }
  if (component.is_outer) {
    check_outer(node);
    node.failed = !find_inner(node);
    return;
  }
  node.failed = false;
  if (is_left_out(node)) {
    node.is_present = false;
    return;
  }
  const ClassFile& file = *element.file;
  const std::optional<FoundClass> type =
      find_class(file.ast.text(component.type), element.context, {&file, component.type_span});
  node.failed = true;
  if (!type || (type->built_in == BuiltIn::none && !check_type(node, *type->use.def))) {
    return;
  }
  // What the declaration itself says, under what is said from outside.
  Modifier& own = new_modifier();
  if (const Modifier* const written = modifier_of(file, component.modifications, element.context)) {
    own = *written;
  }
  own.place = element.place();
  own.final = component.final;
  if (component.value.valid()) {
    own.value = Binding{&file, component.value, element.context, {}};
  }
  node.is_final = component.final || (element.modifier != nullptr && element.modifier->final);
  node.modifier = merged(merged(element.modifier, &own), element.kept);
  std::vector<Size> sizes;
  const Element* declared = &element;
  while (declared->component->dimensions.empty() && declared->original != nullptr &&
         declared->original->component != nullptr) {
    declared = declared->original;
  }
  const Element& sized = *declared;
  for (const ExpressionId size : sized.file->ast[sized.component->dimensions]) {
    sizes.push_back({sized.file, size, sized.context});
  }
  node.variability = std::max(component.variability, holder.variability);
  node.causality = component.causality;
  node.is_flow = component.is_flow || holder.is_flow;
  if (type->built_in != BuiltIn::none) {
    Instance& plain = instances_.emplace_back();
    plain.use.def = &tree_.root();
    plain.state = Instance::State::done;
    plain.built_in = type->built_in;
    plain.attributes = node.modifier;
    node.type = &plain;
  } else {
    node.type = &make_instance(type->use, merged(node.modifier, type->use.modifier), node, node.path);
  }
  node.failed = false;
  check_prefixes(node);
  check_protected(node);
  if (node.is_primitive()) {
    node.sizes = std::move(sizes);
    node.sizes.insert(node.sizes.end(), node.type->sizes.begin(), node.type->sizes.end());
    node.causality = node.causality == CausalityPrefix::none ? node.type->causality : node.causality;
    return;
  }
  if (!node.type->sizes.empty()) {
    sizes.insert(sizes.end(), node.type->sizes.begin(), node.type->sizes.end());
  }
  if (!sizes.empty() || node.modifier->value) {
    composites_.push_back(&node);
  }
  if (holder.function != nullptr) {
    node.type->record_sizes = holder.record_sizes;
    node.type->record_sizes.insert(node.type->record_sizes.end(), sizes.begin(), sizes.end());
    node.sizes = std::move(sizes);
    node.instances.push_back(node.type);
    return;
  }
  if (sizes.empty()) {
    node.instances.push_back(node.type);
    return;
  }
  node.sizes = std::move(sizes);
  node.failed = !evaluate_shape(node, node.sizes);
  std::int64_t n = node.failed ? 0 : 1;
  for (const std::int64_t size : node.shape) {
    n = size == 0 ? 0
                  : std::min<std::int64_t>(n * std::min<std::int64_t>(size, kMaxComponents + 1),
                                           kMaxComponents + 1);
  }
  std::vector<std::int64_t> subscripts(node.shape.size(), 1);
  for (std::int64_t i = 0; i < n; ++i) {
    if (!spend_component(node)) {
      node.failed = true;
      return;
    }
    node.instances.push_back(&make_instance(type->use,
                                            merged(element_of(node.modifier, subscripts), type->use.modifier),
                                            node, node.path + subscript_text(subscripts)));
    for (std::size_t d = subscripts.size(); d-- > 0 && ++subscripts[d] > node.shape[d];) {
      subscripts[d] = 1;
    }
  }
}

}  // namespace saltus::lang
