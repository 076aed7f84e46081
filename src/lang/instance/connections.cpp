// Connections and the equations that they mean (Modelica 9).
//
// A connection joins two connectors member by member. Of the members without 'flow' all in a set are equal; of those with
// 'flow' the sum is zero, where a connector of the class in which the connection stands counts with the other sign (9.2). What
// flows through a connector that nothing is connected to is zero.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

std::size_t element_count(const std::vector<std::int64_t>& shape) {
  return static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

/// Elements of one connector: each has an equation of its own.
constexpr double kMostConnectedElements = 1e6;

}  // namespace

std::optional<std::vector<std::int64_t>> Instantiator::connected_shape(Node& node) {
  std::optional<std::vector<std::int64_t>> shape = shape_of(node);
  double n = 1.0;
  for (std::size_t d = 0; shape && d < shape->size(); ++d) {
    n *= static_cast<double>((*shape)[d]);
  }
  if (!shape || n <= kMostConnectedElements) {
    return shape;
  }
  if (!limit_told_) {
    limit_told_ = true;
    reports_.error(
        kTooManyComponents,
        fmt::format("'{}' of a connector has more than {} elements", node.path, kMostConnectedElements),
        node.element->place());
  }
  return std::nullopt;
}

void Instantiator::collect_connections(Instance& instance) {
  for (std::uint32_t p = 0; p < instance.parts.size(); ++p) {
    const Part& part = instance.parts[p];
    if (part.def->text != nullptr) {
      collect_connections(*part.def->file, part.def->text->equations, {&instance, p}, nullptr);
    }
  }
  for (Element* const element : in_order(instance)) {
    if (element->component == nullptr || element->node == nullptr || element->node->inner != nullptr) {
      continue;
    }
    for (Instance* const inner : element->node->instances) {
      collect_connections(*inner);
    }
  }
}

void Instantiator::collect_connections(const ClassFile& file, std::span<const Statement> list, Context from,
                                       const Locals* locals) {
  for (const Statement& statement : list) {
    if (statement.kind == StatementKind::connect) {
      connect(file, statement, from, locals);
    } else if (statement.kind == StatementKind::for_block &&
               has_connections(file, file.ast[statement.body])) {
      for_each_value(
          file, file.ast[statement.iterators], {ExpressionId(), file.ast[statement.body]}, from, locals,
          [&](const Locals* inner) { collect_connections(file, file.ast[statement.body], from, inner); });
    } else if (statement.kind == StatementKind::if_block || statement.kind == StatementKind::when_block) {
      const auto branches = file.ast[statement.branches];
      const bool any = std::any_of(branches.begin(), branches.end(), [&](const Branch& branch) {
        return has_connections(file, file.ast[branch.body]);
      });
      if (!any) {
        continue;
      }
      bool decided = false;
      unknown_reason_.clear();
      const std::optional<std::size_t> chosen = chosen_branch(file, branches, from, locals, decided);
      if (!decided || statement.kind == StatementKind::when_block) {
        auto& item = reports_.error(kNotDecided,
                                    "a connection depends on a condition that is not known from parameters",
                                    {&file, statement.span});
        if (!unknown_reason_.empty()) {
          item.notes.push_back({unknown_reason_, unknown_place_});
        }
      } else if (chosen) {
        collect_connections(file, file.ast[branches[*chosen].body], from, locals);
      }
    }
  }
}

bool Instantiator::has_connections(const ClassFile& file, std::span<const Statement> list) const {
  return std::any_of(list.begin(), list.end(), [&](const Statement& statement) {
    const auto branches = file.ast[statement.branches];
    return statement.kind == StatementKind::connect || has_connections(file, file.ast[statement.body]) ||
           std::any_of(branches.begin(), branches.end(),
                       [&](const Branch& branch) { return has_connections(file, file.ast[branch.body]); });
  });
}

/// The single connectors, or elements of them, that one side of a connection means.
bool Instantiator::ends_of(const Reference& reference, const ClassFile& file, ExpressionId id, Context from,
                           const Locals* locals, std::vector<End>& ends) {
  const FilePlace place{&file, file.ast[id].span};
  switch (reference.kind) {
    case Reference::Kind::array:
      return std::all_of(reference.elements.begin(), reference.elements.end(), [&](const Reference& element) {
        Reference one = element;
        one.is_outside = reference.is_outside;
        return ends_of(one, file, id, from, locals, ends);
      });
    case Reference::Kind::composite:
      check_connected_place(reference, place, from);
      if (!is_connector(*reference.instance)) {
        reports_
            .error(kWrongConnection,
                   fmt::format("'{}' is a {}, not a connector", reference.instance->path,
                               to_string(reference.instance->def().kind())),
                   place)
            .notes.push_back({"declared here", reference.node->element->place()});
        return false;
      }
      ends.push_back({nullptr, reference.instance, {}, !reference.is_outside, reference.node});
      return true;
    case Reference::Kind::primitive: {
      Node& node = *reference.node;
      check_connected_place(reference, place, from);
      if (!is_connector(*node.type) && !is_connector(*node.holder)) {
        reports_
            .error(kWrongConnection, fmt::format("'{}' is no connector, nor a part of one", node.path), place)
            .notes.push_back({"declared here", node.element->place()});
        return false;
      }
      const std::optional<std::vector<std::int64_t>> shape = connected_shape(node);
      if (!shape && !limit_told_) {
        reports_
            .error(kNotDecided, fmt::format("the size of '{}' must be known to connect it", node.path), place)
            .notes.push_back({"declared here", node.element->place()});
      }
      if (!shape) {
        return false;
      }
      const NameStep& step = reference.last.front();
      std::vector<std::size_t> positions{0};
      const auto subscripts = file.ast[step.subscripts];
      if (subscripts.size() > shape->size()) {
        reports_.error(kNoSuchElement, fmt::format("'{}' has {} dimensions", node.path, shape->size()),
                       place);
        return false;
      }
      for (std::size_t d = 0; d < shape->size(); ++d) {
        const std::optional<Choice> chosen =
            choice((*shape)[d], d < subscripts.size() ? subscripts[d] : ExpressionId(), file, from, locals,
                   node.path);
        if (!chosen) {
          return false;
        }
        std::vector<std::size_t> next;
        for (const std::size_t base : positions) {
          for (const std::int64_t position : chosen->positions) {
            next.push_back(base * static_cast<std::size_t>((*shape)[d]) +
                           static_cast<std::size_t>(position - 1));
          }
        }
        positions = std::move(next);
      }
      for (const std::size_t position : positions) {
        ends.push_back({&node, nullptr, {position}, !reference.is_outside, &node});
      }
      return true;
    }
    case Reference::Kind::missing: return false;
    case Reference::Kind::left_out: return false;
    default: reports_.error(kWrongConnection, "this is no connector", place); return false;
  }
}

void Instantiator::connect(const ClassFile& file, const Statement& statement, Context from,
                           const Locals* locals) {
  for (const ExpressionId side : {statement.left, statement.right}) {
    if (file.ast[side].kind != ExpressionKind::name) {
      reports_.error(kWrongConnection, "'connect' takes two connectors", {&file, file.ast[side].span});
      return;
    }
  }
  const FilePlace place{&file, statement.span};
  const Reference left = resolve(file, statement.left, from, locals);
  const Reference right = resolve(file, statement.right, from, locals);
  std::vector<End> left_ends;
  std::vector<End> right_ends;
  if (left.kind == Reference::Kind::left_out || right.kind == Reference::Kind::left_out) {
    return;  // a connection to what does not exist does not exist (Modelica 4.4.5)
  }
  if (!ends_of(left, file, statement.left, from, locals, left_ends) ||
      !ends_of(right, file, statement.right, from, locals, right_ends)) {
    return;
  }
  if (left_ends.size() != right_ends.size()) {
    auto& item = reports_.error(
        kWrongConnection,
        fmt::format("{} connectors are connected to {}", left_ends.size(), right_ends.size()), place);
    item.notes.push_back({"the left one is declared here", left.node->element->place()});
    item.notes.push_back({"the right one is declared here", right.node->element->place()});
    return;
  }
  std::set<std::string> connected;
  for (std::size_t i = 0; i < left_ends.size(); ++i) {
    connect_ends(left_ends[i], right_ends[i], place);
    for (const End* const end : {&left_ends[i], &right_ends[i]}) {
      connected.insert(end->instance != nullptr ? end->instance->path : end->node->path);
    }
  }
  for (const std::string& path : connected) {
    ++connections_of_[path];
  }
}

void Instantiator::connect_ends(const End& left, const End& right, FilePlace place) {
  const auto tell = [&](std::string message) {
    auto& item = reports_.error(kWrongConnection, std::move(message), place);
    item.notes.push_back({"the left one is declared here", left.owner->element->place()});
    item.notes.push_back({"the right one is declared here", right.owner->element->place()});
  };
  if ((left.instance == nullptr) != (right.instance == nullptr)) {
    tell("these connectors do not fit: one has members, the other is a single value");
    return;
  }
  if (left.instance == nullptr) {
    if (left.elements.size() != right.elements.size()) {
      tell(fmt::format("'{}' with {} elements is connected to '{}' with {}", left.node->path,
                       left.elements.size(), right.node->path, right.elements.size()));
      return;
    }
    if (left.node->is_flow != right.node->is_flow) {
      tell(fmt::format("only one of '{}' and '{}' is 'flow'", left.node->path, right.node->path));
      return;
    }
    if (left.node->type->built_in != right.node->type->built_in) {
      tell(fmt::format("'{}' and '{}' have different types", left.node->path, right.node->path));
      return;
    }
    if (const std::string problem = prefix_conflict(left, right); !problem.empty()) {
      tell(problem);
      return;
    }
    if (left.node->variability >= VariabilityPrefix::parameter) {
      for (std::size_t i = 0; i < left.elements.size(); ++i) {
        const std::string a = wire_text({left.node, left.elements[i], true});
        const std::string b = wire_text({right.node, right.elements[i], true});
        const FlatWriter::Scope scope(equations_, place);
        equations_ << "assert(" << a << " == " << b << ", "
                   << to_text(known_text(fmt::format("'{}' and '{}' are connected and must be equal",
                                                     left.node->path, right.node->path)))
                   << ");\n";
      }
      return;
    }
    for (std::size_t i = 0; i < left.elements.size(); ++i) {
      const std::size_t a = wire({left.node, left.elements[i], left.inside}, place);
      const std::size_t b = wire({right.node, right.elements[i], right.inside}, place);
      join_wires(a, b);
    }
    return;
  }
  std::size_t n_members = 0;
  for (Element* const member : in_order(*left.instance)) {
    if (member->component == nullptr || !node_of(*left.instance, *member).is_present) {
      continue;
    }
    ++n_members;
    Element* const other = find_member(*right.instance, member->name);
    if (other == nullptr || other->component == nullptr || !node_of(*right.instance, *other).is_present) {
      tell(fmt::format("'{}' has a member '{}', '{}' has none", left.instance->path, text(member->name),
                       right.instance->path));
      return;
    }
    Node& a = node_of(*left.instance, *member);
    Node& b = node_of(*right.instance, *other);
    if (a.failed || b.failed) {
      return;
    }
    if (a.is_primitive() != b.is_primitive() || a.instances.size() != b.instances.size()) {
      tell(fmt::format("'{}' and '{}' do not fit", a.path, b.path));
      return;
    }
    if (a.is_primitive()) {
      const auto shape_a = connected_shape(a);
      const auto shape_b = connected_shape(b);
      if (limit_told_) {
        return;
      }
      if (!shape_a || !shape_b) {
        tell(fmt::format("the sizes of '{}' and '{}' must be known", a.path, b.path));
        return;
      }
      End left_end{&a, nullptr, std::vector<std::size_t>(element_count(*shape_a)), left.inside, left.owner};
      End right_end{&b, nullptr, std::vector<std::size_t>(element_count(*shape_b)), right.inside,
                    right.owner};
      std::iota(left_end.elements.begin(), left_end.elements.end(), std::size_t{0});
      std::iota(right_end.elements.begin(), right_end.elements.end(), std::size_t{0});
      connect_ends(left_end, right_end, place);
      continue;
    }
    for (std::size_t i = 0; i < a.instances.size(); ++i) {
      connect_ends({nullptr, a.instances[i], {}, left.inside, left.owner},
                   {nullptr, b.instances[i], {}, right.inside, right.owner}, place);
    }
  }
  std::size_t n_others = 0;
  for (Element* const member : in_order(*right.instance)) {
    n_others += member->component != nullptr && node_of(*right.instance, *member).is_present ? 1 : 0;
  }
  if (n_others != n_members) {
    tell(fmt::format("'{}' has {} members, '{}' has {}", left.instance->path, n_members, right.instance->path,
                     n_others));
  }
}

std::size_t Instantiator::wire(const Wire& given, FilePlace place) {
  Wire one = given;
  if (!one.inside) {
    passed_on_.insert(one.node);
  }
  one.inside = one.inside || !one.node->is_flow;  // only flows have two faces
  const auto [found, is_new] = wire_of_.try_emplace({one.node, one.element, one.inside}, wires_.size());
  if (is_new) {
    wires_.push_back(one);
    wire_sets_.push_back(wires_.size() - 1);
    wire_places_.push_back(place);
  }
  return found->second;
}

void Instantiator::join_wires(std::size_t a, std::size_t b) {
  const auto root = [&](std::size_t i) {
    while (wire_sets_[i] != i) {
      wire_sets_[i] = wire_sets_[wire_sets_[i]];
      i = wire_sets_[i];
    }
    return i;
  };
  const std::size_t x = root(a);
  const std::size_t y = root(b);
  wire_sets_[std::max(x, y)] = std::min(x, y);
}

/// Every flow of every connector has a face towards what is around its component.
void Instantiator::add_flow_faces(Instance& instance, bool in_connector) {
  for (Element* const element : in_order(instance)) {
    if (element->component == nullptr || element->node == nullptr) {
      continue;
    }
    Node& node = *element->node;
    if (!node.is_present || node.failed || node.inner != nullptr) {
      continue;
    }
    if (node.is_primitive()) {
      if (!node.is_flow || !in_connector || node.variability >= VariabilityPrefix::parameter) {
        continue;
      }
      const auto shape = connected_shape(node);
      for (std::size_t i = 0; shape && i < element_count(*shape); ++i) {
        wire({&node, i, true}, element->place());
      }
      continue;
    }
    for (Instance* const inner : node.instances) {
      add_flow_faces(*inner, in_connector || is_connector(*inner));
    }
  }
}

std::string Instantiator::wire_text(const Wire& wire) {
  std::string result = flat_identifier(wire.node->path);
  const auto shape = shape_of(*wire.node);
  if (!shape || shape->empty()) {
    return result;
  }
  std::vector<std::size_t> subscripts(shape->size());
  std::size_t position = wire.element;
  for (std::size_t d = shape->size(); d-- > 0;) {
    subscripts[d] = position % static_cast<std::size_t>((*shape)[d]) + 1;
    position /= static_cast<std::size_t>((*shape)[d]);
  }
  return fmt::format("{}[{}]", result, fmt::join(subscripts, ", "));
}

void Instantiator::write_connections() {
  add_flow_faces(*root_, false);
  std::vector<std::vector<std::size_t>> sets(wires_.size());
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    std::size_t root = i;
    while (wire_sets_[root] != root) {
      root = wire_sets_[root];
    }
    sets[root].push_back(i);
  }
  for (const std::vector<std::size_t>& set : sets) {
    if (set.empty()) {
      continue;
    }
    const FlatWriter::Scope scope(equations_, wire_places_[set.front()]);
    if (!wires_[set.front()].node->is_flow) {
      // A value that is given by something stands on the right, so that what changes at events only is set once.
      const std::size_t given = source_of(set);
      for (const std::size_t i : set) {
        if (i != given) {
          const FlatWriter::Scope one(equations_, wire_places_[i]);
          equations_ << wire_text(wires_[i]) << " = " << wire_text(wires_[given]) << ";\n";
        }
      }
      continue;
    }
    for (std::size_t k = 0; k < set.size(); ++k) {
      const Wire& one = wires_[set[k]];
      equations_ << (one.inside ? (k == 0 ? "" : " + ") : (k == 0 ? "-" : " - ")) << wire_text(one);
    }
    equations_ << " = 0;\n";
  }
}

/// Of connected signals at most one may be given by something: the output of a component that does not pass on one inside it, or an
/// input of the model (Modelica 9.3). The first one if there is none.
std::size_t Instantiator::source_of(const std::vector<std::size_t>& set) {
  std::optional<std::size_t> source;
  for (const std::size_t i : set) {
    const Node& node = *wires_[i].node;
    const bool is_source = node.holder == root_
                               ? node.causality == CausalityPrefix::input
                               : node.causality == CausalityPrefix::output && passed_on_.count(&node) == 0;
    if (!is_source) {
      continue;
    }
    if (source && wires_[*source].node != &node) {
      const Node& first = *wires_[*source].node;
      reports_
          .error(kWrongConnection,
                 fmt::format("'{}' and '{}' are connected, but both are given by something", first.path,
                             node.path),
                 wire_places_[i])
          .notes.push_back({"the first one is declared here", first.element->place()});
      return *source;
    }
    source = i;
  }
  return source.value_or(set.front());
}

}  // namespace saltus::lang
