// Whether what is given to records fits them (Modelica 6.7, 12.6).
//
// Problem     A record is taken apart into its members, each of which looks for its own value in what the record is given. Nothing
//             asks there for arguments of a constructor that belong to no member.
// Method      Calls that make records, and components that have values as a whole, are noted where they are met, and looked at when
//             all components are made: to look at them makes components too.
// Tested by   tests/corpus/fail/records.test.
#include <fmt/format.h>

#include <algorithm>

#include "base/similar_name.hpp"
#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {

void Instantiator::note_constructor(const ClassFile& file, const Call& call, Instance* record) {
  if (record != nullptr && noted_constructions_.insert({&call, record}).second) {
    constructions_.push_back({&file, &call, record});
  }
}

void Instantiator::check_values() {
  while (n_checked_constructions_ < constructions_.size() || n_checked_composites_ < composites_.size()) {
    while (n_checked_composites_ < composites_.size()) {
      Node& node = *composites_[n_checked_composites_++];
      if (node.failed) {
        continue;
      }
      if (!node.shape.empty()) {
        check_sizes(node, *node.modifier, node.path);
      }
      for (const Instance* const instance : node.instances) {
        check_record_value(node, *instance);
      }
    }
    while (n_checked_constructions_ < constructions_.size()) {
      const Construction made = constructions_[n_checked_constructions_++];
      check_construction(made);
    }
  }
}

/// Of a member of a record: one that its class gives.
bool Instantiator::has_value(Node& member) {
  if (member.failed || !member.is_present) {
    return true;
  }
  if (member.is_primitive()) {
    return member.type->attributes != nullptr && member.type->attributes->value.has_value();
  }
  const std::vector<Leaf> inner = leaves(*member.type);
  return std::all_of(inner.begin(), inner.end(), [this](const Leaf& leaf) { return has_value(*leaf.node); });
}

/// Each argument is for a member that may be given, each member has a value once.
void Instantiator::check_construction(const Construction& made) {
  const ClassFile& file = *made.file;
  const Call& call = *made.call;
  const std::string_view function = file.ast.text(call.function);
  const FilePlace place{&file, call.function_span};
  std::vector<Element*> inputs;
  std::vector<std::string_view> names;
  Instance& constructor = constructor_of(*made.record);
  for (Element* const element : in_order(constructor)) {
    if (is_constructor_input(*element)) {
      inputs.push_back(element);
      names.push_back(text(element->name));
    }
  }
  const auto tell = [&](std::string message, FilePlace where, std::string hint = {}) {
    reports_.error(kWrongArguments, std::move(message), where, std::move(hint))
        .notes.push_back({"the record is declared here", made.record->def().place()});
  };
  if (!call.iterators.empty()) {
    tell(fmt::format("'{}' takes no 'for'", function), place);
    return;
  }
  std::vector<bool> given(inputs.size());
  const auto arguments = file.ast[call.arguments];
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    std::size_t input = k;
    if (arguments[k].name.valid()) {
      const std::string_view wanted = file.ast.text(arguments[k].name);
      input = static_cast<std::size_t>(std::find(names.begin(), names.end(), wanted) - names.begin());
      if (input == inputs.size()) {
        tell(fmt::format("'{}' has no input '{}'", function, wanted), {&file, arguments[k].span},
             did_you_mean(wanted, names));
        return;
      }
    }
    if (input >= inputs.size()) {
      tell(fmt::format("'{}' takes {} argument{}, not {}", function, names.size(),
                       names.size() == 1 ? "" : "s", arguments.size()),
           place);
      return;
    }
    if (given[input]) {
      tell(fmt::format("input '{}' is given twice", names[input]), {&file, arguments[k].span});
      return;
    }
    given[input] = true;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!given[i] && !has_value(node_of(constructor, *inputs[i]))) {
      tell(fmt::format("input '{}' of '{}' is missing", names[i], function), place);
      return;
    }
  }
}

/// Of what a binding chooses, as far as it is a record.
std::optional<std::vector<Leaf>> Instantiator::leaves_of(const Binding& binding) {
  std::optional<std::vector<Leaf>> result = leaves_of(*binding.file, binding.value, binding.where, nullptr);
  for (const Selector& selector : binding.selectors) {
    if (!result || !selector.subscripts.empty()) {
      continue;  // elements of an array have the same members
    }
    std::vector<Leaf> inner;
    for (const Leaf& leaf : *result) {
      if (leaf.path.size() > 1 && leaf.path[0] == selector.member) {
        inner.push_back({{leaf.path.begin() + 1, leaf.path.end()}, leaf.node});
      }
    }
    result = inner.empty() ? std::nullopt : std::optional(std::move(inner));
  }
  return result;
}

/// `R r = …`: the value has the members of R and no others.
void Instantiator::check_record_value(Node& node, const Instance& record) {
  if (record.modifier == nullptr || !record.modifier->value) {
    return;
  }
  const std::vector<Leaf> wanted = leaves(*node.type);
  std::vector<Binding> open{*record.modifier->value};
  while (!open.empty()) {
    const Binding given = peeled(std::move(open.back()));
    open.pop_back();
    const ClassFile& file = *given.file;
    if (file.ast[given.value].kind == ExpressionKind::conditional) {
      const auto operands = file.ast.operands(given.value);
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if (k % 2 == 1 || k + 1 == operands.size()) {
          open.push_back({&file, operands[k], given.where, given.selectors});
        }
      }
      continue;
    }
    if (file.ast[given.value].kind == ExpressionKind::call) {
      const Call& call = file.ast.call(given.value);
      note_constructor(file, call, record_of(file, call, given.where));
    }
    const std::optional<std::vector<Leaf>> leaves = leaves_of(given);
    if (leaves) {
      check_same_leaves(wanted, *leaves, {&file, file.ast[given.value].span});
    }
  }
}

/// An equation of records changes no constant: what it says of one must be what the constant is.
void Instantiator::check_constant(Node& constant, const Binding& given, const Locals* locals) {
  const Binding value = peeled(given);
  const ClassFile& file = *value.file;
  const FilePlace place{&file, file.ast[value.value].span};
  const ExpressionKind kind = file.ast[value.value].kind;
  std::optional<KnownValue> known;
  if (kind == ExpressionKind::name) {
    known = value_of(resolve(file, value.value, value.where, locals, value.selectors), file, value.where,
                     locals, place);
  } else if (value.selectors.empty()) {
    known = evaluate(file, value.value, value.where, locals);
  } else if (kind == ExpressionKind::conditional) {
    const auto operands = file.ast.operands(value.value);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (k % 2 == 1 || k + 1 == operands.size()) {
        check_constant(constant, {&file, operands[k], value.where, value.selectors}, locals);
      }
    }
    return;
  } else if (const auto all = leaves_of(file, value.value, value.where, locals)) {
    // What a function computes, and what a constructor leaves out, has the constants of its class.
    for (const Leaf& leaf : *all) {
      const bool is_meant = std::equal(leaf.path.begin(), leaf.path.end(), value.selectors.begin(),
                                       value.selectors.end(), [](Name name, const Selector& selector) {
                                         return selector.subscripts.empty() && selector.member == name;
                                       });
      const Modifier* const attributes = is_meant ? leaf.node->type->attributes : nullptr;
      if (attributes != nullptr && attributes->value) {
        known = evaluate_binding(*attributes->value);
      }
    }
  }
  const std::optional<KnownValue> own = value_of(constant);
  if (!known) {
    reports_.error(kNotDecided,
                   fmt::format("'{}' is a constant: what is equated with it must be known", constant.path),
                   place);
  } else if (own &&
             (own->shape != known->shape || own->numbers != known->numbers || own->texts != known->texts)) {
    reports_
        .error(kWrongModification,
               fmt::format("'{}' is the constant {}, here it would be {}", constant.path, to_text(*own),
                           to_text(*known)),
               place)
        .notes.push_back({"declared here", constant.element->place()});
  }
}

}  // namespace saltus::lang
