// What may be connected with what (Modelica 9.1.2, 9.3); the sizes, types and members are compared in connections.cpp.
#include <fmt/format.h>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {

/// A connector of the class itself, or of one of its components (Modelica 9.1.2).
void Instantiator::check_connected_place(const Reference& reference, FilePlace place, Context from) {
  const Instance* holder =
      reference.kind == Reference::Kind::composite ? reference.instance->owner : reference.node->holder;
  while (holder != nullptr && is_connector(*holder)) {
    holder = holder->owner;
  }
  int depth = 0;
  const Instance* at = holder;
  for (; at != nullptr && at != from.instance; at = at->owner) {
    ++depth;
  }
  if (at != nullptr && depth > 1) {
    reports_.error(
        kWrongConnection,
        fmt::format("'{}' is a connector of a component of a component: it can be connected inside '{}'",
                    reference.instance != nullptr ? reference.instance->path : reference.node->path,
                    holder->owner->path),
        place);
  }
}

/// Why the prefixes of two members do not fit; empty: they do (Modelica 9.3).
std::string Instantiator::prefix_conflict(const End& left, const End& right) {
  const Node& a = *left.node;
  const Node& b = *right.node;
  const auto fixed = [](const Node& node) { return node.variability >= VariabilityPrefix::parameter; };
  if ((fixed(a) || fixed(b)) && a.variability != b.variability) {
    return fmt::format("'{}' and '{}' must both be constants, both parameters, or none", a.path, b.path);
  }
  if (fixed(a)) {
    return {};
  }
  if ((a.causality == CausalityPrefix::none) != (b.causality == CausalityPrefix::none)) {
    return fmt::format("only one of '{}' and '{}' is 'input' or 'output'", a.path, b.path);
  }
  const auto gives = [](const End& end) {
    return !end.node->element->is_protected &&
           end.node->causality == (end.inside ? CausalityPrefix::output : CausalityPrefix::input);
  };
  if (gives(left) && gives(right)) {
    return fmt::format("'{}' and '{}' are connected, but both are given by something", a.path, b.path);
  }
  return {};
}

}  // namespace saltus::lang
