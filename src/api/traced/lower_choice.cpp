#include "api/traced/lower_choice.hpp"

#include <algorithm>

namespace saltus::api {

using expr::Op;
using lang::Scalar;

namespace {

bool is_known(const Scalar& scalar, double truth) {
  return scalar.known && scalar.number == truth;
}

}  // namespace

int ChoiceLowering::tree_of(NodeId node) {
  const expr::Node content = graph_[node];
  Tree tree;
  if (content.op == Op::select && n_places_ < kMostPlaces) {
    const bool is_contrary = truths_.at(content.first).is_contrary;
    tree.decision = content.first;
    tree.if_true = tree_of(NodeId(is_contrary ? content.third : content.second));
    tree.if_false = tree_of(NodeId(is_contrary ? content.second : content.third));
  } else {
    tree.value = node;
    ++n_places_;
  }
  trees_.push_back(tree);
  return static_cast<int>(trees_.size()) - 1;
}

void ChoiceLowering::collect(int tree, Values& values) const {
  const Tree& item = trees_[static_cast<std::size_t>(tree)];
  if (item.is_choice()) {
    collect(item.if_true, values);
    collect(item.if_false, values);
  } else if (item.value.valid()) {
    const std::size_t places = ++values.places[item.value.value()];
    values.most = std::max(values.most, places);
    if (places == 1) {
      values.list.push_back(item.value);
    }
  }
}

ChoiceLowering::Proposition ChoiceLowering::both(const Proposition& a, const Proposition& b) const {
  Proposition result{arithmetic_.binary(Op::logical_and, a.truth, b.truth), a.length + b.length + 1, a.needs};
  result.needs.insert(result.needs.end(), b.needs.begin(), b.needs.end());
  return result;
}

ChoiceLowering::Proposition ChoiceLowering::either(const Proposition& a, const Proposition& b) const {
  return {arithmetic_.binary(Op::logical_or, a.truth, b.truth), a.length + b.length + 1};
}

bool ChoiceLowering::excludes(const Proposition& proposition, std::uint32_t decision) const {
  const expr::Node& excluded = graph_[NodeId(decision)];
  return std::any_of(proposition.needs.begin(), proposition.needs.end(), [&](std::uint32_t needed) {
    const expr::Node& node = graph_[NodeId(needed)];
    return node.first == excluded.second && node.second == excluded.first;
  });
}

ChoiceLowering::Proposition ChoiceLowering::proposition(int tree, NodeId value) const {
  const Tree& item = trees_[static_cast<std::size_t>(tree)];
  if (!item.is_choice()) {
    return {lang::known_scalar(item.value == value ? 1.0 : 0.0)};
  }
  const TracedEquations::Truth& truth = truths_.at(item.decision);
  Proposition holds{truth.scalar, 0};
  if (!truth.is_contrary) {
    holds.needs.push_back(item.decision);
  }
  // Made where it is needed: each is a condition of the model.
  const auto fails = [&] {
    Proposition result{contrary_(item.decision), 1};
    if (truth.is_contrary) {
      result.needs.push_back(item.decision);
    }
    return result;
  };
  const Proposition a = proposition(item.if_true, value);
  const Proposition b = proposition(item.if_false, value);
  if (a.truth == b.truth) {
    return a;
  }
  if (is_known(a.truth, 1.0)) {
    return is_known(b.truth, 0.0) ? holds : either(holds, b);
  }
  if (is_known(b.truth, 0.0)) {
    return truth.is_contrary && excludes(a, item.decision) ? a : both(holds, a);
  }
  if (is_known(a.truth, 0.0)) {
    return is_known(b.truth, 1.0)                             ? fails()
           : !truth.is_contrary && excludes(b, item.decision) ? b
                                                              : both(fails(), b);
  }
  if (is_known(b.truth, 1.0)) {
    return either(fails(), a);
  }
  // c ? q : (d and q), from (c or d) and q.
  const expr::Node other = arithmetic_.graph()[b.truth.node];
  if (other.op == Op::logical_and &&
      (NodeId(other.second) == a.truth.node || NodeId(other.first) == a.truth.node)) {
    const NodeId rest(NodeId(other.second) == a.truth.node ? other.first : other.second);
    return both(either(holds, {lang::node_scalar(rest), b.length - a.length - 1}), a);
  }
  return either(both(holds, a), both(fails(), b));
}

int ChoiceLowering::without(int tree, NodeId value) {
  Tree item = trees_[static_cast<std::size_t>(tree)];
  if (item.is_choice()) {
    item.if_true = without(item.if_true, value);
    item.if_false = without(item.if_false, value);
    const auto is_anything = [this](int part) {
      const Tree& end = trees_[static_cast<std::size_t>(part)];
      return !end.is_choice() && !end.value.valid();
    };
    const Tree& one = trees_[static_cast<std::size_t>(item.if_true)];
    const Tree& other = trees_[static_cast<std::size_t>(item.if_false)];
    if (is_anything(item.if_true)) {
      return item.if_false;
    }
    if (is_anything(item.if_false) || (!one.is_choice() && !other.is_choice() && one.value == other.value)) {
      return item.if_true;
    }
  } else if (item.value == value) {
    item.value = NodeId();
  }
  trees_.push_back(item);
  return static_cast<int>(trees_.size()) - 1;
}

Scalar ChoiceLowering::plain(int tree) const {
  const Tree& item = trees_[static_cast<std::size_t>(tree)];
  if (!item.is_choice()) {
    return images_[item.value.index()];
  }
  return arithmetic_.select(truths_.at(item.decision).scalar, plain(item.if_true), plain(item.if_false));
}

Scalar ChoiceLowering::operator()(NodeId choice) {
  const int whole = tree_of(choice);
  struct Case {
    Scalar proposition;
    NodeId value;
  };
  std::vector<Case> cases;
  int rest = whole;
  for (;;) {
    Values values;
    collect(rest, values);
    if (values.most < 2) {
      break;
    }
    std::optional<Proposition> shortest;
    NodeId value;
    for (const NodeId candidate : values.list) {
      const Proposition leads = proposition(rest, candidate);
      if (!shortest || leads.length < shortest->length) {
        shortest = leads;
        value = candidate;
      }
    }
    cases.push_back({shortest->truth, value});
    rest = without(rest, value);
  }
  Scalar result = plain(rest);
  for (std::size_t i = cases.size(); i-- > 0;) {
    result = arithmetic_.select(cases[i].proposition, images_[cases[i].value.index()], result);
  }
  return result;
}

}  // namespace saltus::api
